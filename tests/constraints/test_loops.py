"""Closed loops: conservation laws of a free four-bar, no drift, and a spatial loop with a flexible link against brute force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from spacefmu.dynamics.bodies.body import plain_node
from spacefmu.dynamics.constraints import KINDS, Coupling
from spacefmu.dynamics.constraints.grip import End
from spacefmu.dynamics.description import load, load_text
from spacefmu.dynamics.joints import AxesJoint, FreeJoint, SphericalJoint
from spacefmu.dynamics.joints.forces import AxesForces, BallForces, NoForces
from spacefmu.dynamics.spacecraft import LinkJoint, Spacecraft, spacecraft_system
from spacefmu.dynamics.system.evaluate import Refused, motion, project, residual, start
from spacefmu.dynamics.tree.topology import Link, Tree
from spacefmu.fmu_src.native.trace.fast import fast
from tests.brute_force import PointModel
from tests.constraints.craft import balance, column, drift, run, start_random
from tests.papers.point_crafts import SPACE, Table

FOUR_BAR = Path("fmu_src/catalogue/FourBar.toml")


@pytest.mark.parametrize("spin", ["[0.0, 0.0, 0.3]", "[0.2, -0.4, 0.3]"], ids=["planar", "tumbling"])
def test_free_four_bar_conserves(spin):
    """Momentum, angular momentum, energy minus work to 1e-10 over several turns of the crank, with a motor torque of 0.02 N m."""
    text = FOUR_BAR.read_text().replace("angular_velocity = [0.0, 0.0, 0.3]", f"angular_velocity = {spin}")
    system, trajectory = run(load_text(text), 10.0, 11, u=np.array([0.02]))
    assert drift(column(system, trajectory, "system.momentum")) < 1e-10  # measured 8e-12
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-10  # measured 1e-12
    assert drift(balance(system, trajectory)) < 1e-10  # measured 6e-12 J
    assert np.max(np.abs(column(system, trajectory, "system.work"))) > 1e-3  # the motor has worked
    _x, u, k, d = start(system)
    for projection in system.projections:
        for state in trajectory.x:
            assert residual(projection, 0.0, state, u, k, d) < 1e-12  # measured 1e-13


def flexible_loop():
    """(engine, brute force): hub – flexible arm clamped to it; hub – rod on a ball joint; the arm's tip meets the rod's end.

    Both share the mass points of `Table` and nothing else. Coordinates stand in the same order.
    """
    hub, arm, rod = Table(1), Table(2, modes=2), Table(3)
    base, root = np.array([0.3, -0.2, 0.4]), np.array([-0.1, 0.5, 0.2])
    reach = base + arm.tip.position - root  # from the ball joint to the arm's tip, undeformed
    bodies = (hub.rigid("hub"), arm.flexible("arm"), rod.rigid("rod"))

    links = (
        Link(bodies[0], FreeJoint(), -1, SPACE, np.eye(3)),
        Link(bodies[1], AxesJoint(), 0, plain_node("base", base), np.eye(3)),
        Link(bodies[2], SphericalJoint(), 0, plain_node("root", root), np.eye(3)),
    )
    none = np.zeros(0)
    joints = (
        LinkJoint("hub", NoForces(6), np.array([0, 0, 0, 1, 0, 0, 0.0]), np.zeros(6), none, none),
        LinkJoint("clamp", AxesForces(()), none, none, np.zeros(2), np.zeros(2)),
        LinkJoint("ball", BallForces(name="ball"), np.array([1, 0, 0, 0.0]), np.zeros(3), none, none),
    )
    closing = Coupling(
        "closing", End(1, arm.tip), End(2, plain_node("end", reach)), KINDS["spherical"], np.eye(3), np.eye(3)
    )
    system = spacecraft_system(Spacecraft("Loop", "", Tree(links), joints, couplings=(closing,)))

    model = PointModel()
    place, R_hub = model.plain(3), model.attitude()
    eta, R_rod = model.plain(2), model.attitude()
    hub.put(model, place, R_hub)
    arm.put(model, place + R_hub @ ca.DM(base), R_hub, eta)
    rod.put(model, place + R_hub @ ca.DM(root), R_hub @ R_rod)
    tip = place + R_hub @ (ca.DM(base) + ca.DM(arm.tip.position) + ca.DM(arm.tip.shape) @ eta)
    end = place + R_hub @ (ca.DM(root) + R_rod @ ca.DM(reach))
    return system, model, end - tip


def test_spatial_loop_with_a_flexible_link():
    """Accelerations of a loop hub – flexible arm – rod – hub, against Lagrange's equations of its mass points with a multiplier.

    At three seeded states on the constraint. M q̈ + h = Gᵀλ, G q̈ = −Ġ q̇, all by automatic differentiation.
    """
    system, model, gap = flexible_loop()
    q, base = ca.vertcat(*model.q), ca.vertcat(*model.base)
    rate = ca.SX.sym("rate", q.numel())
    lagrange = model.equations()
    G = ca.jacobian(gap, q)
    constraint = ca.Function("gap", [base, q, rate], [G, ca.jtimes(ca.jtimes(gap, q, rate), q, rate)])
    for seed in (1, 2, 3):
        x, u, k, d = start_random(system, seed)
        nq, nv = 13, 11
        b, chart, v = model.split(x[: nq + nv])
        M, h = (np.array(part) for part in lagrange(b, chart, v)[:2])
        J, turning = (np.array(part) for part in constraint(b, chart, v))
        saddle = np.block([[M, -J.T], [J, np.zeros((3, 3))]])
        expected = np.linalg.solve(saddle, np.concatenate([-h.ravel(), -turning.ravel()]))
        x_dot, y, _ = motion(system, 0.0, x, u, k, d)
        np.testing.assert_allclose(x_dot[nq : nq + nv], expected[:nv], atol=1e-9)  # measured 3e-16
        np.testing.assert_allclose(
            y[system.signals.where("outputs", "closing.force")], expected[nv:], atol=1e-9
        )  # measured 8e-16


def test_inexact_start_is_assembled_or_refused():
    """Angles wrong by degrees are moved onto the loop, least in the kinetic metric; a loop that can't close is refused with its residual."""
    system = load(FOUR_BAR)
    written = np.deg2rad([80.0, 78.38, 107.53])  # in the catalogue's file, rounded
    found = [system.signals.starts("states")[system.signals.where("states", f"hinge{i}.angle")] for i in (1, 2, 3)]
    assert 1e-6 < np.max(np.abs(found - written)) < 1e-3  # measured 2e-05
    x, u, k, d = start(system)
    assert max(residual(projection, 0.0, x, u, k, d) for projection in system.projections) < 1e-12  # measured 1e-15
    craft = system.made_by[1]
    far = replace(craft.couplings[0], b=End(3, plain_node("far", [9.0, 0.0, 0.0])))
    with pytest.raises(
        ValueError, match=r"positions of couplings: no state found .* residual [0-9.]+ .* the largest in closing"
    ):
        start(spacecraft_system(replace(craft, couplings=(far,))))


def test_starts_far_off_are_assembled():
    """Sixty seeded starts with hinges wrong by up to 86 degrees: damped steps assemble 59 (full ones alone 47), the last is refused."""
    system = fast(load(FOUR_BAR))
    x, u, k, d = start(system)
    hinges = [system.signals.where("states", f"hinge{i}.angle") for i in (1, 2, 3)]
    assembled = 0
    for shift in np.random.default_rng(3).uniform(-1.5, 1.5, (60, 3)):
        wrong = x.copy()
        wrong[hinges] += shift
        try:
            found = project(system, 0.0, wrong, u, k, d)
        except Refused:
            continue
        assembled += max(residual(projection, 0.0, found, u, k, d) for projection in system.projections) < 1e-12
    assert assembled >= 58
