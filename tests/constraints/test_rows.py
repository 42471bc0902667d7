"""Every kind of coupling, proved row by row: rates and convective terms by numerical differentiation, forces by momentum."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.constraints.kinds import KINDS
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.spacecraft.coupled import Coupled
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.system.evaluate import motion, start
from tests.constraints.craft import pair, start_random

EXTRA = {
    "universal": 'axis_b = "x"',
    "distance": "length = 0.8",
    "rolling_ball": "radius = 0.3",
    "rolling_disc": 'radius = 0.3\naxis_b = "x"',
}
NAMES = list(KINDS)


def coupled(kind: str):
    """(system, its Coupled route) of two bodies joined by one coupling of the kind, axes not along coordinate axes."""
    text = pair(
        f'[couplings.c]\nkind = "{kind}"\na = "base.grip"\nb = "arm.grip"\naxis = [0.36, 0.48, 0.8]\n{EXTRA.get(kind, "")}\n'
    )
    system = load_text(text)
    craft = system.made_by[1]
    return system, Coupled(Dynamics(craft, system.signals), ())


def advanced(route, x, v_dot, h):
    """x after a time h with constant v̇, to O(h³): midpoint rule for q̇ = T(q) v."""
    dyn = route.dynamics
    q, v = dyn.split(x)
    half = q + 0.5 * h * dyn.coordinate_rates(q, v)
    q = q + h * dyn.coordinate_rates(half, v + 0.5 * h * v_dot)
    return np.concatenate([q, v + h * v_dot, x[len(q) + len(v) :]])


@pytest.mark.parametrize("kind", NAMES)
def test_rates_are_derivatives(kind):
    """d(residual)/dt = rate and d(rate)/dt = G v̇ − γ at a state that does not satisfy the coupling, by central differences.

    Step 1e-5: truncation 1e-10 times third derivatives of order 10, round-off 1e-11.
    """
    _, route = coupled(kind)
    system, _ = coupled(kind)
    rng = np.random.default_rng(7)
    x, u, k, d = start_random(system, 3)
    x = x + 0.05 * rng.normal(size=x.size)  # off the manifolds, quaternions nearly unit
    for span in ((3, 7), (10, 14)):
        x[slice(*span)] /= np.linalg.norm(x[slice(*span)])
    nv = route.dynamics.tree.nv
    v_dot, h = rng.normal(size=nv), 1e-5
    now, before, after = (
        route.rows.still(0.0, state, u, k, d)[1][0][2]
        for state in (x, advanced(route, x, v_dot, -h), advanced(route, x, v_dot, h))
    )
    rate = (after.residual - before.residual) / (2 * h)
    np.testing.assert_allclose(rate, now.rate * now.positional, atol=2e-8)  # measured 3e-11
    acceleration = (after.rate - before.rate) / (2 * h)
    np.testing.assert_allclose(acceleration, now.jacobian @ v_dot - now.gamma, atol=2e-8)  # measured 3e-10
    np.testing.assert_allclose(now.jacobian @ x[14 : 14 + nv], now.rate, atol=1e-13)  # measured 1e-16


@pytest.mark.parametrize("kind", NAMES)
def test_no_kind_is_singular_where_the_axes_coincide(kind):
    """All rows independent, and of similar size, with the bodies' axes along each other: there [stroe] (14), (16) lose their rank."""
    system, route = coupled(kind)
    x, u, k, d = start(system)
    conditions = route.rows.still(0.0, x, u, k, d)[1][0][2]
    strengths = np.linalg.svd(conditions.jacobian, compute_uv=False)
    assert strengths[-1] / strengths[0] > 0.3  # measured 0.50 (planar) and more


@pytest.mark.parametrize("kind", NAMES)
def test_forces_conserve_momentum(kind):
    """Two bodies and nothing outside: ṗ = 0, Ḣ = 0 and no power, whatever the coupling. [stroe] (18) as printed fails here.

    By differences of the totals along the motion, step 1e-5.
    """
    system, route = coupled(kind)
    x, u, k, d = start_random(system, 5)
    x_dot, _, _ = motion(system, 0.0, x, u, k, d)
    nq, nv = route.dynamics.tree.nq, route.dynamics.tree.nv
    h = 1e-5
    states = [advanced(route, x, x_dot[nq : nq + nv], step) for step in (-h, h)]
    before, after = (motion(system, 0.0, state, u, k, d)[1] for state in states)
    for name in ("system.momentum", "system.angular_momentum", "system.kinetic_energy"):
        span = system.signals.where("outputs", name)
        np.testing.assert_allclose((after[span] - before[span]) / (2 * h), 0.0, atol=1e-8)  # measured 3e-11


@pytest.mark.parametrize("kind", NAMES)
def test_multipliers_are_joint_forces(kind):
    """The force and torque outputs, applied to the arm alone, give its acceleration: F = m a_c, T = J α + ω×Jω."""
    system, route = coupled(kind)
    x, u, k, d = start_random(system, 9)
    x_dot, y, _ = motion(system, 0.0, x, u, k, d)
    table = system.signals
    dyn = route.dynamics
    body = dyn.moment(0.0, x, u, k, d).bodies[1]
    force_N = y[table.where("outputs", "c.force")]
    torque_N = (
        y[table.where("outputs", "c.torque")] if "c.torque[1]" in [s.name for s in table.outputs] else np.zeros(3)
    )
    if KINDS[kind].rolls:  # the contact is one radius below the centre: add its moment about the place
        E_z = route.connections.all[0].axes_a[:, 2]
        normal = dyn.moment(0.0, x, u, k, d).bodies[0].dcm_NB @ E_z
        if KINDS[kind].edge:  # the lowest point of a disc about the arm's x
            axis = body.dcm_NB[:, 0]
            normal = normal - axis * (axis @ normal)
            normal = normal / np.linalg.norm(normal)
        torque_N = np.cross(-0.3 * normal, force_N)
    c, place = np.array([-0.2, 0.1, 0.3]), np.array([-0.5, 0.2, 0.6])
    J = np.array([[0.4, -0.05, 0.02], [-0.05, 0.5, 0.04], [0.02, 0.04, 0.6]])
    a_N = x_dot[table.where("states", "arm.velocity")]
    alpha, omega = (
        x_dot[table.where("states", "arm.angular_velocity")],
        x[table.where("states", "arm.angular_velocity")],
    )
    a_c = body.dcm_NB.T @ a_N + np.cross(alpha, c) + np.cross(omega, np.cross(omega, c))
    force, torque = body.dcm_NB.T @ force_N, body.dcm_NB.T @ torque_N
    np.testing.assert_allclose(force, 3.0 * a_c, atol=1e-11)  # measured 4e-17
    np.testing.assert_allclose(
        torque + np.cross(place - c, force), J @ alpha + np.cross(omega, J @ omega), atol=1e-11
    )  # measured 2e-17
