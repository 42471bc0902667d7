#include <casadi/casadi.hpp>
#include <pinocchio/autodiff/casadi.hpp>
#include <pinocchio/algorithm/aba.hpp>

#include "pinocchio_chain.h"

// `aba` as C by CasADi: `int aba(const double **arg, double **res, ...)` of q, v, tau, with all numbers of the model folded in.
extern "C" void pin_generate(int links, double hub_mass, const double *hub_inertia, double mass, double length, const double *inertia, double first, const char *folder)
{
    using casadi::SX;
    using Symbol = pin::ModelTpl<SX>;
    const pin::Model numbers = chain(links, hub_mass, hub_inertia, mass, length, inertia, first);
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
