"""Springs that push and pull, force and torque pairs, drives of free joints: closed forms, Newton and Euler, and each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.algebra.rotation import quaternion_dcm
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import TWO_BODIES, column, pair, point, run
from tests.laws.balance import assert_laws

BOB = 'name = "Bob"\n' + point("bob", "place", 2.0) + "initial = {{ position = {position}, rate = {rate} }}\n[springs.line]\na = \"space\"\nb = \"bob\"\n{more}\n"  # fmt: skip
MOVING = """
[bodies.base.initial]
orientation = [0.3, -0.4, 0.8]
velocity = [0.1, 0.2, -0.1]
angular_velocity = [0.4, -0.3, 0.5]
[bodies.arm.initial]
position = [1.5, -0.6, 0.9]
orientation = [-0.7, 0.2, 0.4]
velocity = [-0.3, 0.1, 0.2]
angular_velocity = [-0.2, 0.6, 0.3]
"""
SPRING = (
    '[springs.line]\na = "base.grip"\nb = "arm.grip"\nlength = 2.5\nstiffness = 30.0\ndamping = 4.0\nforce = true\n'
)
PAIR = '[pairs.magnet]\na = "base.grip"\nb = "arm.grip"\n'


def test_a_spring_of_no_length_is_an_isotropic_oscillator():
    """x(t) = x₀ cos ωt + v₀/ω sin ωt, an ellipse about the place, also straight through it."""
    for position, rate in (([1.0, 0.0, 0.5], [0.0, 2.0, -1.0]), ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])):
        text = BOB.format(position=position, rate=rate, more="stiffness = 18.0")
        system, trajectory = run(text, 5.0, 51)
        t, w = trajectory.time[:, None], 3.0
        expected = np.array(position) * np.cos(w * t) + np.array(rate) / w * np.sin(w * t)
        assert np.max(np.abs(column(system, trajectory, "place.position") - expected)) < 1e-9


def test_a_spring_pushes_where_it_is_short():
    """m s̈ + c ṡ + k s = 0 from s = −0.4: closed form of the damped oscillation."""
    text = BOB.format(position=[0.6, 0, 0], rate=[0, 0, 0], more="length = 1.0\nstiffness = 18.0\ndamping = 2.4")
    system, trajectory = run(text, 5.0, 51)
    t, decay = trajectory.time, 2.4 / (2.0 * 2.0)
    w = np.sqrt(18.0 / 2.0 - decay**2)
    s = -0.4 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    assert np.max(np.abs(column(system, trajectory, "line.length") - 1.0 - s)) < 1e-9
    assert column(system, trajectory, "line.tension")[0] == pytest.approx(-0.4 * 18.0)


def newton_and_euler(system, x, forces_on):
    """(a, α) of the frames of base and arm, absolute in N and body axes, from forces on their grips: written out here.

    m a_c = F,   J α = (ρ − c)×F + T − ω×Jω,   a = a_c − α×c − ω×(ω×c)
    """
    found = {}
    data = {
        "base": (7.0, [0.1, -0.2, 0.05], [[1.1, 0.1, -0.2], [0.1, 1.4, 0.05], [-0.2, 0.05, 1.7]], [0.4, 0.3, -0.2]),
        "arm": (3.0, [-0.2, 0.1, 0.3], [[0.4, -0.05, 0.02], [-0.05, 0.5, 0.04], [0.02, 0.04, 0.6]], [-0.5, 0.2, 0.6]),
    }
    for name, (_, _, _, rho) in data.items():
        place, q, v, w = (x[system.signals.where("states", f"{name}.{n}")] for n in ("position", "quaternion", "velocity", "angular_velocity"))  # fmt: skip
        dcm = quaternion_dcm(q)
        found[name] = place + dcm @ rho, v + dcm @ np.cross(w, rho), dcm, w
    results = {}
    for name, (F, T) in forces_on(found).items():
        m, c, J, rho = (np.array(value) for value in data[name])
        _, _, dcm, w = found[name]
        force, torque = dcm.T @ F, dcm.T @ T
        alpha = np.linalg.solve(J, np.cross(rho - c, force) + torque - np.cross(w, J @ w))
        a = dcm @ (force / m - np.cross(alpha, c) - np.cross(w, np.cross(w, c)))
        results[name] = np.concatenate([a, alpha])
    return results


def accelerations(system, inputs):
    x, u, k, d = start(system)
    for name, value in inputs.items():
        u[system.signals.where("inputs", name)] = value
    rates, y, _ = motion(system, 0.0, x, u, k, d)
    table = system.signals
    return x, y, {
        body: np.concatenate([rates[table.where("states", f"{body}.{speed}")] for speed in ("velocity", "angular_velocity")])
        for body in ("base", "arm")
    }  # fmt: skip


def test_spring_between_bodies_by_newton_and_euler():
    """Both ends off the mass centres, an input along the line."""
    system = load_text(pair(SPRING, MOVING))
    x, _, found = accelerations(system, {"line.force": 7.0})

    def forces(ends):
        (ra, va, *_), (rb, vb, *_) = ends["base"], ends["arm"]
        D = np.linalg.norm(rb - ra)
        n = (rb - ra) / D
        T = 30.0 * (D - 2.5) + 4.0 * n @ (vb - va) - 7.0
        return {"base": (T * n, np.zeros(3)), "arm": (-T * n, np.zeros(3))}

    for name, expected in newton_and_euler(system, x, forces).items():
        assert np.max(np.abs(found[name] - expected)) < 1e-12


def test_pair_by_newton_and_euler():
    """On arm's grip in axes of base; the opposite on base at the same point, so its grip feels the moment too."""
    system = load_text(pair(PAIR, MOVING))
    F, T = np.array([3.0, -2.0, 1.5]), np.array([0.3, 0.7, -0.4])
    x, _, found = accelerations(system, {"magnet.force": F, "magnet.torque": T})

    def forces(ends):
        (ra, _, dcm, _), (rb, *_) = ends["base"], ends["arm"]
        on_b, torque = dcm @ F, dcm @ T
        return {"base": (-on_b, -torque - np.cross(rb - ra, on_b)), "arm": (on_b, torque)}

    for name, expected in newton_and_euler(system, x, forces).items():
        assert np.max(np.abs(found[name] - expected)) < 1e-12


@pytest.mark.parametrize("between, inputs", [(SPRING, {"line.force": 2.0}), (PAIR, {"magnet.force": [0.5, -0.2, 0.1], "magnet.torque": [0.05, 0.1, -0.1]})])  # fmt: skip
def test_conservation_and_power_balance(between, inputs):
    """Momentum and angular momentum stay, energy = work − losses, to 1e-10."""
    system = load_text(pair(between, MOVING))
    u = np.array(system.signals.starts("inputs"))
    for name, value in inputs.items():
        u[system.signals.where("inputs", name)] = value
    assert_laws(system, integrate(fast(system), np.linspace(0.0, 2.0, 5), u=u, rtol=1e-12, atol=1e-12))


def test_drive_of_a_free_joint_is_a_pair():
    """The same two bodies: arm on a driven free joint of base, or free beside it with a pair. Accelerations to 1e-12."""
    joint = """
[joints.hover]
parent = "base"
child = "arm"
kind = "free"
drive = "force"
place = [0.4, 0.3, -0.2]
orientation = [0.5, 0.1, -0.3]
initial = { position = [0.8, -0.5, 0.4], orientation = [0.2, -0.6, 0.3] }
"""
    only = "[bodies.base.initial]\norientation = [0.3, -0.4, 0.8]\nangular_velocity = [0.4, -0.3, 0.5]\n"
    jointed = load_text(TWO_BODIES + only + joint)
    F, T = np.array([3.0, -2.0, 1.5]), np.array([0.3, 0.7, -0.4])
    x, u, k, d = start(jointed)
    u[jointed.signals.where("inputs", "hover.force")] = F
    u[jointed.signals.where("inputs", "hover.torque")] = T
    rates, y, _ = motion(jointed, 0.0, x, u, k, d)
    out = {
        n: y[jointed.signals.where("outputs", f"arm.{n}")]
        for n in ("position", "quaternion", "velocity", "angular_velocity")
    }
    free = load_text(pair('[pairs.magnet]\na = "base"\nb = "arm"\n', only))
    z, w, k, d = start(free)
    for name, value in out.items():
        z[free.signals.where("states", f"arm.{name}")] = value
    dcm_NB, dcm_NA = (
        quaternion_dcm(x[jointed.signals.where("states", "base.quaternion")]),
        quaternion_dcm(out["quaternion"]),
    )
    mount = Rotation.from_euler("XYZ", [0.5, 0.1, -0.3]).as_matrix()
    w[free.signals.where("inputs", "magnet.force")] = mount @ F
    w[free.signals.where("inputs", "magnet.torque")] = dcm_NB.T @ dcm_NA @ T
    expected = motion(free, 0.0, z, w, k, d)[0]
    for speed in ("velocity", "angular_velocity"):
        a, b = (
            rates[jointed.signals.where("states", f"base.{speed}")],
            expected[free.signals.where("states", f"base.{speed}")],
        )
        assert np.max(np.abs(a - b)) < 1e-12


@pytest.mark.parametrize(
    "between, sentence",
    [
        ('[springs.line]\na = "base"\nb = "arm"\n', "springs.line has no effect; it requires a stiffness, a damping, a law, or force = true"),
        ('[springs.line]\na = "base"\nb = "arm"\nstiffness = -1.0\n', "springs.line.stiffness is -1.0"),
        ('[springs.line]\na = "base"\nb = "arm"\nlength = -1.0\nstiffness = 1.0\n', "springs.line.length is -1.0"),
        ('[pairs.line]\na = "base"\nb = "base.grip"\n', "pairs.line.b is 'base.grip', expected a place on another body"),
        ('[pairs.line]\na = "base"\nb = "arms"\n', "pairs.line.b names the body 'arms'"),
        ('[cables.line]\na = "base"\nb = "arm"\nlength = 1e-10\n', "cables.line.length is 1e-10"),
        ('[joints.line]\nparent = "base"\nchild = "arm"\nkind = "free"\ndrive = "position"\n', "joints.line.drive is"),
        ('[joints.line]\nparent = "base"\nchild = "arm"\nkind = "free"\nstiffness = 2.0\n', "joints.line.stiffness = 2.0 is not allowed"),
    ],
)  # fmt: skip
def test_refused(between, sentence):
    with pytest.raises(DescriptionError) as caught:
        load_text(TWO_BODIES + between)
    assert any(problem.startswith(sentence) for problem in caught.value.problems), caught.value.problems
