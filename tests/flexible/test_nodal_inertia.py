"""Inertia at nodes of flexible bodies: as the mass points of small rigid bodies, as bodies on `fixed` joints, as cantilever formulas say."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.bodies.beam import Beam, beam_body
from spacefmu.dynamics.bodies.body import FlexibleBody, Node, RigidBody
from spacefmu.dynamics.bodies.equations import bias
from spacefmu.dynamics.bodies.integrals import SUMS, integrals_of_points
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.joints import AxesJoint, FreeJoint
from spacefmu.dynamics.joints.forces import AxesForces, NoForces
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from tests.compare import relative
from tests.papers.point_crafts import SPACE, engine
from tests.tree.random_trees import rotation

MODES, NODES = 3, 4


def table(seed=1):
    """Positions, masses, shapes, inertias about the mass centres, turns, H and offsets of the mass centres at random nodes."""
    rng = np.random.default_rng(seed)
    second = rng.normal(size=(MODES, MODES, NODES, 3))
    turned = [rotation(rng) for _ in range(NODES)]
    moments = rng.uniform(0.2, 2.0, (NODES, 3)) @ (1.0 - np.eye(3))  # b + c, a + c, a + b: the triangle inequality
    return {
        "positions": rng.normal(size=(NODES, 3)),
        "masses": rng.uniform(0.5, 2.0, NODES),
        "shapes": rng.normal(size=(MODES, NODES, 3)),
        "inertias": np.array([R @ np.diag(m) @ R.T for R, m in zip(turned, moments, strict=True)]),
        "turns": rng.normal(size=(MODES, NODES, 3)),
        "second": second + np.swapaxes(second, 0, 1),
        "offsets": rng.normal(size=(NODES, 3)),
    }


def six_points(positions, masses, shapes, inertias, turns, second, offsets, turning_twice=True):
    """Each node's body as six mass points along its principal axes, with shapes φ + ψ×d and H + ½(ψ_μ×(ψ_k×d) + ψ_k×(ψ_μ×d))."""
    rho, mass, phi, H = [], [], [], []
    for p in range(NODES):
        P = 0.5 * np.trace(inertias[p]) * np.eye(3) - inertias[p]
        values, axes = np.linalg.eigh(P)
        for value, axis in zip(values, axes.T, strict=True):
            for sign in (1.0, -1.0):
                d = offsets[p] + sign * axis * np.sqrt(3.0 * value / masses[p])  # 2 (m/6) a² = λ
                twice = np.array([[np.cross(a, np.cross(b, d)) for b in turns[:, p]] for a in turns[:, p]])
                rho.append(positions[p] + d)
                mass.append(masses[p] / 6.0)
                phi.append(shapes[:, p] + np.cross(turns[:, p], d))
                H.append(second[:, :, p] + turning_twice * 0.5 * (twice + np.swapaxes(twice, 0, 1)))
    return integrals_of_points(
        np.array(rho), np.array(mass), np.array(phi).swapaxes(0, 1), second=np.moveaxis(np.array(H), 0, 2)
    )


def test_an_inertia_at_a_node_is_its_six_mass_points():
    """All integrals, with H of the body and offsets of the mass centres, to 1e-13 (measured 1e-15)."""
    found, expected = integrals_of_points(**table()), six_points(**table())
    for name in SUMS:
        a, b = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-13 * np.max(np.abs(b)), err_msg=name)


def test_points_with_linear_shapes_have_the_same_load_at_rest():
    """With ψ×d alone the points agree in everything but h⁴, h⁵ and ∫H dm: those need the second order of the turn."""
    found, points = integrals_of_points(**table()), six_points(**table(), turning_twice=False)
    for name in ("inertia", "s1", "h1", "h3", "modal_mass"):
        np.testing.assert_allclose(getattr(found, name), getattr(points, name), rtol=0.0, atol=1e-12, err_msg=name)
    for name in ("h4", "h5", "s1_second"):
        assert np.max(np.abs(getattr(found, name) - getattr(points, name))) > 0.1, name


def test_gyroscopic_load_on_the_modes():
    """At η = η̇ = 0 a body that turns at ω loads mode k with −ψ_k·(ω × Jω), by hand."""
    at = table()
    at.update(masses=0.0 * at["masses"], offsets=None, second=None)
    omega = np.array([0.3, -0.7, 1.1])
    none = np.zeros(MODES)
    load = -bias(integrals_of_points(**at), omega, none, none)[6:]
    gyroscopic = np.cross(omega, at["inertias"] @ omega)
    np.testing.assert_allclose(load, -np.einsum("npi,pi->n", at["turns"], gyroscopic), rtol=1e-12)


def joined_and_lumped(offset):
    """Two Systems: a free flexible body with an inertia at its tip node, and the same with a body on a `fixed` joint there."""
    at = table(5)
    at.update(second=None)
    inertia = np.zeros((NODES, 3, 3))
    inertia[-1] = at["inertias"][-1]
    offsets = np.zeros((NODES, 3))
    offsets[-1] = offset
    lumped = integrals_of_points(at["positions"], at["masses"], at["shapes"], inertia, at["turns"], offsets=offsets)
    without = np.append(at["masses"][:-1], 0.0)
    bare = integrals_of_points(at["positions"], without, at["shapes"])
    tip = Node("tip", at["positions"][-1], at["shapes"][:, -1].T, at["turns"][:, -1].T)
    stiffness, free = np.array([40.0, 60.0, 90.0]), (FreeJoint(), NoForces(6), -1, SPACE, np.eye(3))
    bodies = [
        FlexibleBody(
            "a", integrals, np.sqrt(stiffness / np.diag(integrals.modal_mass)) / (2.0 * np.pi), np.zeros(MODES), {}
        )
        for integrals in (lumped, bare)
    ]
    dish = RigidBody("dish", at["masses"][-1], np.asarray(offset, float), at["inertias"][-1])
    fixed = (dish, AxesJoint(), AxesForces(()), 0, tip, np.eye(3))
    return engine([(bodies[0], *free)]), engine([(bodies[1], *free), fixed])


def test_a_body_on_a_fixed_joint_differs_by_cubic_terms():
    """At amplitudes and rates ε kinetic energy and angular momentum differ by ε³: all of the second order is there. Slopes measured 3.00.

    At ε = 0 the accelerations are equal (measured 1e-15). A mass beside its node does not differ at all: test_beside.py.
    """
    rng = np.random.default_rng(8)
    attitude, speeds = np.append([0.1, -0.2, 0.3], [1.0, 0.0, 0.0, 0.0]), rng.normal(size=6)
    eta, eta_dot = rng.normal(size=MODES), rng.normal(size=MODES)
    systems = joined_and_lumped((0.0, 0.0, 0.0))

    def differences(size):
        x = np.concatenate([attitude, size * eta, speeds, size * eta_dot, [0.0, 0.0]])
        rates, totals = [], []
        for system in systems:
            k = evaluate.constants(system, system.signals.starts("parameters"))
            x_dot, y, _ = evaluate.motion(system, 0.0, x, np.zeros(system.nu), k, np.zeros(0))
            rates.append(x_dot)
            names = ("kinetic_energy", "angular_momentum")
            totals.append([y[system.signals.where("outputs", f"system.{name}")] for name in names])
        return relative(*rates), [np.max(np.abs(a - b)) for a, b in zip(*totals, strict=True)]

    assert differences(0.0)[0] < 1e-13
    slopes = np.diff(np.log([differences(size)[1] for size in (4e-3, 2e-3, 1e-3)]), axis=0) / np.log(0.5)
    assert np.allclose(slopes, 3.0, atol=0.1)


SPUN = """
name = "Spun"
[bodies.boom]
damping = 0.5
nodes = {{ tip = 1.0 }}
[bodies.boom.beam]
length = 2.0
mass = 1.0
bending_y = 40.0
bending_z = 30.0
modes = {{ bending_z = 3 }}
{beam}
[joints.axle]
parent = "space"
child = "boom"
kind = "revolute"
axis = [1.0, 0.0, 1.0]
drive = "acceleration"
initial = {{ rate = 1.0 }}
{dish}
"""
LUMPED = "tip_mass = 0.2\ntip_inertia = [0.1, 0.5, 0.5]"
JOINED = """
[bodies.dish]
mass = 0.2
inertia = [0.1, 0.5, 0.5]
[joints.end]
parent = "boom.tip"
child = "dish"
kind = "fixed"
"""


def steady_tip(**parts):
    system = fast(load_text(SPUN.format(**parts)))
    run = integrate(system, np.linspace(0.0, 12.0, 4), rtol=1e-8, atol=1e-9)
    return run.y[-1][system.signals.where("outputs", "boom.tip.displacement")][2]


def test_tip_of_a_spinning_boom():
    """About (1, 0, 1) at Ω: the beam's weight, the tip mass's and the tip body's moment ½Ω²(J_x − J_z) bend it along z.

    Cantilever formulas: 11 ρΩ²L⁵/(240 EI) + mΩ²L⁴/(6 EI) + ½Ω²(J_z − J_x)L²/(2 EI). Measured −0.0553, −0.0550 and −0.0556 m;
    with the attitude of the tip body held constant in the integrals it was −0.0421 m.
    """
    lumped, joined = steady_tip(beam=LUMPED, dish=""), steady_tip(beam="", dish=JOINED)
    rho, L, m, EI = 0.5, 2.0, 0.2, 30.0
    formulas = -11.0 * rho * L**5 / (240.0 * EI) - m * L**4 / (6.0 * EI) - 0.5 * (0.5 - 0.1) * L**2 / (2.0 * EI)
    assert lumped == pytest.approx(joined, rel=0.01)  # modes of a beam without tip body, three of them
    assert lumped == pytest.approx(formulas, rel=0.02)  # stiffening and the bent axis: some Ω²/ω²


def test_a_flat_section_twists_towards_the_plane_of_rotation():
    """A wing whose width is along y, spinning about x + y + z: the propeller moment −(ω×Jω)_x = (I_y − I_z) ω_y ω_z a length."""
    beam = Beam(3.0, 2.0, torsion=50.0, section_inertia=(0.01, 0.4))
    body = beam_body("wing", beam, {"torsion": 1}, 0.0, {}).integrals_at_build
    load = -bias(body, np.array([0.5, 0.7, 0.9]), np.zeros(1), np.zeros(1))[6]
    assert load == pytest.approx((0.01 - 0.4) * 0.7 * 0.9 * 3.0 * 2.0 / np.pi, rel=1e-12)  # ∫sin(πs/2) ds = 2/π


@pytest.mark.parametrize("axis, second_axis", [("x", "y"), ("y", "z"), ([1.0, 1.0, 0.0], [0.0, 0.0, 1.0])])
def test_sections_stand_in_the_beams_own_axes(axis, second_axis):
    """section_inertia is about the beam's y and z wherever they point; a round beam has half its polar inertia about each."""
    text = """
name = "A"
[bodies.wing.beam]
length = 2.0
mass = 3.0
axis = {axis}
second_axis = {second}
torsion = 5.0
modes = {{ torsion = 1 }}
{inertia}
"""
    x = np.array(axis) / np.linalg.norm(axis) if not isinstance(axis, str) else np.eye(3)["xyz".index(axis)]
    y = np.array(second_axis) if not isinstance(second_axis, str) else np.eye(3)["xyz".index(second_axis)]
    frame = np.column_stack([x, y, np.cross(x, y)])
    quoted = [f'"{a}"' if isinstance(a, str) else a for a in (axis, second_axis)]
    rod = np.diag([0.0, 1.0, 1.0]) * 3.0 * 2.0**2 / 3.0
    for inertia, about in (("section_inertia = [0.3, 0.1]", (0.3, 0.1)), ("polar_inertia = 0.4", (0.2, 0.2))):
        _, craft = load_text(text.format(axis=quoted[0], second=quoted[1], inertia=inertia)).made_by
        expected = frame @ (rod + np.diag([0.4, *about])) @ frame.T
        np.testing.assert_allclose(craft.tree.links[0].body.integrals_at_build.inertia, expected, atol=1e-13)
