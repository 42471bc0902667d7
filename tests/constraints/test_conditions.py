"""General conditions a(q, t)·v + b(t) = 0 ([stroe] 2.3): against independent equations, differences, and a kind of coupling."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.spacecraft.coupled import Coupled
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import BOOM, balance, column, drift, point, run
from tests.constraints.test_rows import advanced

SLED = """
name = "Sled"
[bodies.sled]
mass = 4.0
mass_center = [0.3, 0.0, 0.0]
inertia = [0.2, 0.4, 0.5]
[joints.ice]
parent = "space"
child = "sled"
kind = "general"
translations = ["x", "y"]
rotations = ["z"]
initial = { position = [0.2, -0.1, 0.7], rate = [0.8, 0.6, 1.2] }
"""
AS_CONDITION = """
[conditions.blade]
terms = { "ice.velocity[1]" = "-sin(ice.angle[1])", "ice.velocity[2]" = "cos(ice.angle[1])" }
"""
WITH_PARTS = """
[conditions.blade]
terms = { "ice.velocity[1]" = "-across", "ice.velocity[2]" = "cos(heading)" }
constants = { turned = 0.0 }
let = { heading = "ice.angle[1] + turned", across = "sin(heading)" }
"""
AS_COUPLING = """
[couplings.blade]
kind = "knife_edge"
a = "space"
b = "sled"
axis = "y"
"""


def sled(kind: str, stop: float = 5.0):
    system, trajectory = run(SLED + kind, stop)
    return system, trajectory, trajectory.x[:, :6]  # x, y, heading and their rates


def test_parts_with_names_are_the_formula_written_out():
    """`let`: the same value, rate and motion, on floats and on symbols; a constant inside a part is a parameter."""
    x = np.random.default_rng(1).normal(size=6)
    both = []
    for text in (AS_CONDITION, WITH_PARTS):
        system = load_text(SLED + text)
        k = np.asarray(system.derive(np.array(system.signals.starts("parameters"))), float)
        u, d = np.zeros(system.nu), np.array(system.signals.starts("discretes"))
        state = np.array(system.signals.starts("states"))
        state[:6] = x
        both.append([motion(each, 0.3, state, u, k, d)[0] for each in (system, fast(system))])
    np.testing.assert_allclose(np.array(both), np.array([[both[0][0]] * 2] * 2), rtol=1e-13, atol=1e-13)
    system = load_text(SLED + WITH_PARTS)
    assert "blade.turned" in [s.name for s in system.signals.parameters]


def test_parts_that_cannot_be_are_named():
    for let, sentence in {
        '{ a = "b", b = "1.0" }': "conditions.blade.let.a is 'b', expected coordinates, constants, time and pi",
        '{ time = "1.0" }': "conditions.blade.let is 'time', expected another name",
        '{ turned = "1.0" }': "conditions.blade.let is 'turned', expected another name: it is one of the constants",
    }.items():
        text = WITH_PARTS[: WITH_PARTS.index("let =")] + f"let = {let}\n"
        with pytest.raises(ValueError, match=re.escape(sentence)):
            load_text(SLED + text)


def test_a_blade_as_a_condition_is_chaplygins_sleigh():
    """v̇ = a ω², ω̇ = −m a v ω/(J + m a²), mass centre a ahead of the blade (S. A. Chaplygin 1911): as in test_velocity_conditions."""
    _, trajectory, states = sled(AS_CONDITION)
    m, a, J = 4.0, 0.3, 0.5

    def sleigh(t, s):
        _x, _y, heading, v, w = s
        return [v * np.cos(heading), v * np.sin(heading), w, a * w * w, -m * a * v * w / (J + m * a * a)]

    heading = states[0, 2]
    begin = [*states[0, :3], states[0, 3] * np.cos(heading) + states[0, 4] * np.sin(heading), states[0, 5]]
    independent = solve_ivp(sleigh, (0.0, 5.0), begin, "DOP853", trajectory.time, rtol=1e-13, atol=1e-13).y
    np.testing.assert_allclose(states[:, :3], independent[:3].T, atol=1e-9)  # measured 2e-13


def test_a_blade_as_a_condition_is_the_knife_edge():
    """Two texts of one law: the same motion, and the multiplier is the force across the blade (its row is a unit vector)."""
    condition, first, states = sled(AS_CONDITION)
    coupling, second, expected = sled(AS_COUPLING)
    np.testing.assert_allclose(states, expected, atol=1e-11)  # measured 5e-14
    force = second.y[:, coupling.signals.where("outputs", "blade.force")]
    np.testing.assert_allclose(
        np.abs(column(condition, first, "blade.multiplier")), np.linalg.norm(force, axis=1), atol=1e-10
    )  # measured 9e-14


PARTICLE = (
    """
name = "Particle"
[environment]
gravity = "uniform"
acceleration = [0.0, 0.0, -1.5]
"""
    + point("bead", "at", 2.0)
    + """stiffness = [3.0, 5.0, 0.0]
initial = { position = [1.0, 0.3, 0.0], rate = [0.2, 0.9, 0.0] }
[conditions.bowl]
constants = { depth = 0.4 }
terms = { "at.velocity[1]" = "-at.position[2]", "at.velocity[3]" = 1.0 }
drift = "depth*sin(2*time)"
"""
)


def test_a_rheonomic_condition_against_newton():
    """ż = y ẋ − 0.4 sin 2t, nonholonomic and rheonomic, with Newton's equations and the multiplier eliminated by hand.

    m r̈ = F + λ a, a = (−y, 0, 1): a·r̈ = ẏ ẋ − 0.8 cos 2t gives λ; what drives it does the work ∫ −λ b dt.
    """
    system, trajectory = run(PARTICLE, 8.0)
    m = 2.0

    def rates(t, s):
        r, v = s[:3], s[3:6]
        a = np.array([-r[1], 0.0, 1.0])
        force = np.array([-3.0 * r[0], -5.0 * r[1], -1.5 * m])
        multiplier = (v[1] * v[0] - 0.8 * np.cos(2.0 * t) - a @ force / m) / (a @ a / m)
        return [*v, *((force + multiplier * a) / m), -multiplier * 0.4 * np.sin(2.0 * t)]

    begin = [*trajectory.x[0, :6], 0.0]
    independent = solve_ivp(rates, (0.0, 8.0), begin, "DOP853", trajectory.time, rtol=1e-13, atol=1e-13).y.T
    np.testing.assert_allclose(trajectory.x[:, :6], independent[:, :6], atol=1e-9)  # measured 8e-13
    work = column(system, trajectory, "system.work")
    np.testing.assert_allclose(work, independent[:, 6], atol=1e-9)  # measured 8e-13
    assert np.ptp(work) > 1.0  # measured 2.0 J: the balance below is not an empty one
    assert drift(balance(system, trajectory)) < 1e-10  # measured 3e-12


def test_a_scleronomic_multiplier_does_no_work_and_nothing_drifts():
    """Without its drift, 15 s and some 4 periods of the springs (a long run: test_fmu.py): ż = y ẋ at round-off, energy constant, no work."""
    system, trajectory = run(PARTICLE.replace("depth = 0.4", "depth = 0.0"), 15.0, 16, rtol=1e-11, atol=1e-12)
    x = trajectory.x
    assert np.max(np.abs(x[:, 5] - x[:, 1] * x[:, 3])) < 1e-10  # measured 1e-16
    assert drift(balance(system, trajectory)) < 1e-9  # measured 3e-11, of 4 J
    assert np.max(np.abs(column(system, trajectory, "system.work"))) == 0.0
    assert np.ptp(column(system, trajectory, "bowl.multiplier")) > 1.0  # measured 5.0


WILD = (
    """
name = "Wild"
[bodies.hub]
mass = 7.0
mass_center = [0.1, -0.2, 0.05]
inertia = { xx = 1.1, yy = 1.4, zz = 1.7, xy = 0.1, xz = -0.2, yz = 0.05 }
"""
    + BOOM
    + """[joints.arm]
parent = "hub"
child = "boom"
place = [0.5, 0.0, 0.0]
kind = "revolute"
axis = "z"
[conditions.wild]
constants = { c = 0.7 }
drift = "0.3*sin(time)/(2 + hub.position[2]**2)"
[conditions.wild.terms]
"hub.velocity[1]" = "hub.quaternion[1]*hub.quaternion[3] + c"
"hub.angular_velocity[2]" = "exp(0.2*hub.position[3]) - cos(time)"
"arm.rate" = "1.5 + tanh(arm.angle)*hub.quaternion[2]"
"boom.mode[1].rate" = "-sqrt(1 + boom.mode[2].amplitude**2)"
"""
)


@pytest.mark.parametrize("seed", range(5))
def test_gamma_is_the_derivative(seed):
    """d(a·v + b)/dt = a·v̇ − γ by central differences at random states, with quaternions, modes and time; step 1e-5.

    The engine divides by |a|, whose derivative its γ need not have: the difference vanishes where the condition holds.
    """
    system = load_text(WILD)
    route = Coupled(Dynamics(system.made_by[1], system.signals), ())
    condition, dyn = route.connections.all[0], route.dynamics
    rng = np.random.default_rng(seed)
    x, u, k, d = start(system)
    x = x + 0.4 * rng.normal(size=x.size)
    x[3:7] /= np.linalg.norm(x[3:7])
    v_dot, h, t = rng.normal(size=dyn.tree.nv), 1e-5, 0.8

    def now(time, state):
        _, [(_, view, asked)], _ = route.rows.still(time, state, u, k, d)
        size = np.linalg.norm(condition._coefficients(view)[0])
        return size * asked.rate[0], size * (asked.jacobian[0] @ v_dot - asked.gamma[0])

    (before, _), (after, _) = (now(t + step, advanced(route, x, v_dot, step)) for step in (-h, h))
    np.testing.assert_allclose((after - before) / (2 * h), now(t, x)[1], atol=1e-8)  # measured 1.5e-10


def test_floats_and_symbols_agree():
    """At a random state, rates and outputs."""
    system = load_text(WILD)
    x, u, k, d = start(system)
    x = x + 0.1 * np.random.default_rng(3).normal(size=x.size)
    for a, b in zip(motion(system, 0.4, x, u, k, d), motion(fast(system), 0.4, x, u, k, d), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)  # measured 2e-13


def test_coefficients_that_vanish_ask_for_nothing():
    """0 ẋ = 0 is true: the sled moves as if free, its mass centre on a straight line (m ẍ_c = 0)."""
    free, expected, _ = sled("", 2.0)
    text = '[conditions.blade]\nterms = { "ice.velocity[1]" = "0*ice.angle[1]" }\n'
    system, trajectory, _ = sled(text, 2.0)
    np.testing.assert_allclose(trajectory.x[:, :6], expected.x[:, :6], atol=1e-11)  # measured 3e-16
    assert np.max(np.abs(column(system, trajectory, "blade.multiplier"))) == 0.0
    assert drift(column(free, expected, "system.momentum")) < 1e-12
