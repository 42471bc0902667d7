// Pinocchio on the chain of bench/models.py: a free hub with N hinged links. Its C++ `aba`, and the C that CasADi generates from it.
// Compiled by bench/peers/pinocchio.py against the headers of the wheels `libpinocchio`, `cmeel-boost`, `cmeel-eigen` and `casadi`.
#include <casadi/casadi.hpp>
#include <pinocchio/autodiff/casadi.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/multibody.hpp>

#include <time.h>

namespace pin = pinocchio;

static pin::Model chain(int links, double hub_mass, const double *hub_inertia, double mass, double length, const double *inertia, double first)
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

struct Numbers {
    pin::Model model;
    pin::Data data;
    Eigen::VectorXd q, v, tau;
    explicit Numbers(const pin::Model &m) : model(m), data(m), q(pin::neutral(m)), v(m.nv), tau(m.nv) { v.setZero(), tau.setZero(); }
};

extern "C" {

// A chain with numbers; q (nq: place, quaternion x y z w, angles) and v (nv: of the hub in its own axes, rates).
void *pin_new(int links, double hub_mass, const double *hub_inertia, double mass, double length, const double *inertia, double first)
{
    return new Numbers(chain(links, hub_mass, hub_inertia, mass, length, inertia, first));
}

void pin_free(void *chain) { delete static_cast<Numbers *>(chain); }

void pin_accelerations(void *chain, const double *q, const double *v, double *a)
{
    Numbers &c = *static_cast<Numbers *>(chain);
    c.q = Eigen::Map<const Eigen::VectorXd>(q, c.model.nq), c.v = Eigen::Map<const Eigen::VectorXd>(v, c.model.nv);
    Eigen::Map<Eigen::VectorXd>(a, c.model.nv) = pin::aba(c.model, c.data, c.q, c.v, c.tau);
}

// Nanoseconds of CPU of one `aba`, over n of them.
double pin_loop(void *chain, long n)
{
    Numbers &c = *static_cast<Numbers *>(chain);
    timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (long i = 0; i < n; i++) {
        c.q[0] = 1e-12 * (i & 1);
        pin::aba(c.model, c.data, c.q, c.v, c.tau);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / n;
}

// The same as C: `int aba(const double **arg, double **res, ...)` of q, v, tau, with all numbers of the model folded in.
void pin_generate(void *chain, const char *folder)
{
    using casadi::SX;
    using Symbol = pin::ModelTpl<SX>;
    const pin::Model &numbers = static_cast<Numbers *>(chain)->model;
    const Symbol model = numbers.cast<SX>();
    pin::DataTpl<SX> data(model);
    const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), tau = SX::sym("tau", model.nv);
    Symbol::ConfigVectorType qs(model.nq);
    Symbol::TangentVectorType vs(model.nv), taus(model.nv);
    for (int i = 0; i < model.nq; i++) qs[i] = q(i);
    for (int i = 0; i < model.nv; i++) vs[i] = v(i), taus[i] = tau(i);
    pin::aba(model, data, qs, vs, taus);
    SX a(model.nv, 1);
    for (int i = 0; i < model.nv; i++) a(i) = data.ddq[i];
    casadi::Function aba("aba", {q, v, tau}, {a});
    casadi::CodeGenerator generator("aba.c");
    generator.add(aba);
    generator.generate(std::string(folder) + "/");
}
}
