// Pinocchio on the chain of bench/models.py: a free hub with N hinged links.
// Compiled by pinocchio_peer.py against the headers of the wheels `libpinocchio`, `cmeel-boost` and `cmeel-eigen`.
#ifndef PINOCCHIO_CHAIN_H
#define PINOCCHIO_CHAIN_H
#include <pinocchio/multibody.hpp>

namespace pin = pinocchio;

inline pin::Model chain(int links, double hub_mass, const double *hub_inertia, double mass, double length, const double *inertia, double first)
{
    pin::Model model;
    model.gravity.setZero();
    const Eigen::Vector3d J(hub_inertia[0], hub_inertia[1], hub_inertia[2]), j(inertia[0], inertia[1], inertia[2]);
    auto parent = model.addJoint(0, pin::JointModelFreeFlyer(), pin::SE3::Identity(), "hub");
    model.appendBodyToJoint(parent, pin::Inertia(hub_mass, Eigen::Vector3d::Zero(), Eigen::Matrix3d(J.asDiagonal())));
    const pin::Inertia link(mass, Eigen::Vector3d(length / 2, 0, 0), Eigen::Matrix3d(j.asDiagonal()));
    for (int i = 0; i < links; i++) {
        const Eigen::Vector3d place(i == 0 ? first : length, 0, 0);
        parent = model.addJoint(parent, pin::JointModelRY(), pin::SE3(Eigen::Matrix3d::Identity(), place), "hinge" + std::to_string(i));
        model.appendBodyToJoint(parent, link);
    }
    return model;
}
#endif
