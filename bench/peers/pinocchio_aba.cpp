// Pinocchio's C++ `aba` with numbers.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>

#include "pinocchio_chain.h"
#include <time.h>

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
}
