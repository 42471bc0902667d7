"""Two routes to every quantity of a random tree: the O(n) recursion and Kane's equations, floats and symbols.

Every joint kind, any topology, flexible parents that carry children at nodes, wheels, springs, friction, stops,
prescribed and locked axes, loads at nodes. All errors are relative to the largest entry compared.
"""

from functools import cache

import numpy as np
from hypothesis import given, seed, settings

from spacefmu.dynamics.bodies.equations import mass_matrix
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.spacecraft.system import spacecraft_system
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.tree.composite import composite_equations
from spacefmu.dynamics.tree.kane import PartialVelocities, bias_accelerations, kane_equations
from spacefmu.dynamics.tree.kinematics import accelerations
from spacefmu.dynamics.tree.totals import totals
from spacefmu.fmu_src.native.trace.fast import fast
from tests.compare import relative
from tests.tree.random_trees import random_craft, random_instant, structures

SAME = seed(1)  # the tests draw the same trees, so that each is made once
EVERYWHERE = settings(max_examples=80, deadline=None, database=None)
FEW = settings(max_examples=10, derandomize=True, deadline=None, database=None)


def moment_of(structure):
    rows, number = structure
    return _moment(tuple(rows), number)


@cache
def _moment(rows, number):
    craft = random_craft((rows, number))
    system = spacecraft_system(craft)
    dynamics = Dynamics(craft, system.signals)
    t, x, u, k, d = random_instant(system, number)
    return dynamics, dynamics.moment(t, x, u, k, d)


def solve_kane(dynamics, moment):
    """v̇ of M v̇ = f, with the prescribed and locked entries moved to the right side. Also M and f."""
    M, f, _, _ = dynamics.kane(moment)
    known = np.zeros(len(f)) if moment.known is None else moment.known
    rates = np.zeros(len(f)) if moment.known is None else moment.known_rates
    free = known < 0.5
    v_dot = np.where(free, 0.0, rates)
    v_dot[free] = np.linalg.solve(M[np.ix_(free, free)], (f - M @ v_dot)[free])
    return v_dot, M, f


@SAME
@EVERYWHERE
@given(structures(7))
def test_recursion_is_kane(structure):
    """v̇ by both routes: 1e-12 relative. Measured: at most 3e-14 over the drawn trees."""
    dynamics, moment = moment_of(structure)
    by_recursion, _, _ = dynamics.recursive(moment)
    by_kane, _, _ = solve_kane(dynamics, moment)
    assert relative(by_recursion, by_kane, floor=1.0) < 1e-12


@SAME
@EVERYWHERE
@given(structures(7))
def test_reactions_carry_the_tree(structure):
    """Joint reactions of the recursion: along the axes they are what moves the tree, M v̇ − f + forces.

    Along free axes that is the given joint force; along prescribed and locked ones the force that holds them,
    which Kane's equations give as the residual. Measured: at most 1e-14.
    """
    dynamics, moment = moment_of(structure)
    v_dot, _, reactions = dynamics.recursive(moment)
    M, f, _, _ = dynamics.kane(moment)
    needed = M @ v_dot - f + moment.passive + moment.drive
    transmitted = [body.H.T @ reaction for body, reaction in zip(moment.bodies, reactions, strict=True)]
    wanted = [needed[span] for span in dynamics.tree.joint_v]
    assert relative(np.concatenate(transmitted), np.concatenate(wanted), floor=1.0) < 1e-11


@SAME
@EVERYWHERE
@given(structures(7))
def test_mass_matrix_is_symmetric_and_positive(structure):
    """M = Mᵀ (measured 1e-16) and vᵀMv > 0: Cholesky exists."""
    dynamics, moment = moment_of(structure)
    M, _, _, _ = dynamics.kane(moment)
    assert relative(M, M.T, floor=1.0) < 1e-14
    np.linalg.cholesky(M)  # raises where M is not positive definite


@SAME
@EVERYWHERE
@given(structures(7))
def test_kinetic_energy_is_half_v_M_v(structure):
    """Σ ½(v, ω, η̇)ᵀM_i(v, ω, η̇) of the bodies = ½vᵀMv of the tree. Measured 5e-16."""
    dynamics, moment = moment_of(structure)
    M, _, _, _ = dynamics.kane(moment)
    energy = totals(moment.bodies).kinetic_energy
    assert relative(energy, 0.5 * moment.v @ M @ moment.v, floor=1.0) < 1e-13


@SAME
@EVERYWHERE
@given(structures(7))
def test_accelerations_satisfy_each_body(structure):
    """A third route, d'Alembert: Σ over bodies of V_iᵀ(M_iA_i + residual_i) = joint forces on every free axis.

    A_i come outward from v̇ (kinematics), not from the recursion's own pass, and no mass matrix of the tree is made.
    On the way: A_i = V_i v̇ + B_i. Measured 2e-14 and 1e-14.
    """
    dynamics, moment = moment_of(structure)
    v_dot, _, _ = dynamics.recursive(moment)
    A = accelerations(moment.bodies, dynamics.tree, v_dot)
    V = PartialVelocities(dynamics.tree, moment.bodies)
    B = bias_accelerations(dynamics.tree, moment.bodies)
    assert all(relative(V[i] @ v_dot + B[i], A[i], floor=1.0) < 1e-13 for i in range(len(A)))
    inertial = [
        V[i].T @ (mass_matrix(body.integrals, body.eta) @ A[i] + moment.residual[i])
        for i, body in enumerate(moment.bodies)
    ]
    free = np.ones(len(v_dot), bool) if moment.known is None else moment.known < 0.5
    given = moment.passive + moment.drive
    scale = max(1.0, *(np.abs(part).max(initial=0.0) for part in inertial))  # what the sum is made of
    assert np.abs(sum(inertial) - given)[free].max(initial=0.0) < 1e-12 * scale


@SAME
@EVERYWHERE
@given(structures(7))
def test_composite_bodies_are_kane(structure):
    """M and h by composite bodies and by the paper's sums over partial velocities: 1e-13 relative. Measured 1e-15."""
    dynamics, moment = moment_of(structure)
    M, h, _ = kane_equations(dynamics.tree, moment.bodies, moment.residual)
    M_composite, h_composite, _ = composite_equations(dynamics.tree, moment.bodies, moment.residual)
    assert relative(M_composite, M, floor=1.0) < 1e-13
    assert relative(h_composite, h, floor=1.0) < 1e-13


@FEW
@given(structures(3))
def test_floats_are_symbols(structure):
    """The whole motion, ẋ and outputs, traced once on symbols, to 1e-12 relative. Measured 3e-15."""
    system = spacecraft_system(random_craft(structure))
    traced = fast(system)
    instant = random_instant(system, structure[1])
    pairs = [(evaluate.motion(system, *instant), evaluate.motion(traced, *instant))]
    if system.update is not None:  # the jump of an axis that locks, the modes of stops
        g = pairs[0][0][2]
        pairs.append((evaluate.run(system.update, *instant, g), evaluate.run(traced.update, *instant, g)))
    for floats, symbols in pairs:
        assert all(relative(one, other, floor=1.0) < 1e-12 for one, other in zip(floats, symbols, strict=True))
