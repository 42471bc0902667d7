"""Beams in segments against solutions of other methods (rods.py): shooting, Galerkin's method, a chain of rigid links. Table: docs/large_deflections.md."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.algebra.rotation import quaternion_dcm
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast
from tests.flexible.rods import Links, frequencies, tip_under_load
from tests.flexible.segments import Static, clamped


def turned(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def found_frequencies(beam: Static) -> np.ndarray:
    """[rad/s], rising."""
    found = beam.derivatives(0.0, beam.x, np.zeros(beam.system.nu), beam.k, np.zeros(0))
    return np.sqrt(np.sort(np.linalg.eigvals(-found.A[beam.v, beam.q]).real))


def test_bend_of_45_degrees():
    """Bathe and Bolourchi (1979): an arc of 45° and radius 100, E = 1e7, section 1 × 1 with GJ = EI, pulled out of its plane by 600."""
    angle, load = np.pi / 4.0, 600.0 * (25.0 * np.pi) ** 2 / (1e7 / 12.0)
    wanted = tip_under_load([0.0, 0.0, load], lambda s: (1.0, 1.0, 1.0, 0.0), lambda s: np.array([0.0, 0.0, angle]))
    # Simo and Vu-Quoc (1986) print (15.79, 47.23, 53.37), with shear and stretch; typed from memory
    np.testing.assert_allclose(25.0 * np.pi * wanted, [47.23, 15.79, 53.37], atol=0.2)
    beam = Static(clamped(f"bending_y = 1.0, bending_z = 1.0, torsion = 1.0, polar_inertia = 0.01, curvature = [0.0, 0.0, {angle!r}]", 4))  # fmt: skip
    beam.unloaded = turned(2, angle)
    tip = beam.settle(dead=[0.0, 0.0, load], steps=4)
    assert np.linalg.norm(tip["position"] - wanted) < 1e-4


def test_curved_twisted_tapered_beam_with_an_offset_centre():
    """All that a profile has, under a load in no plane of symmetry, which moves the tip by a third of the length."""
    twist, bend, center = 0.8, 0.5, (0.03, -0.02)
    text = clamped(
        "bending_y = 1.0, bending_z = 2.0, torsion = 0.7, axial = 200.0, polar_inertia = 0.01, "
        f"curvature = [{twist}, 0.0, {bend}], tension_center = [{center[0]}, {center[1]}], "
        "profile = { x = [0.0, 1.0], bending_y = [1.5, 0.5], bending_z = [1.2, 0.8], torsion = [1.0, 0.6], axial = [1.0, 0.5] }",
        4,
    )
    load = [-0.5, 0.6, 1.2]
    wanted = tip_under_load(
        load,
        lambda s: (0.7 * (1.0 - 0.4 * s), 2.0 * (1.2 - 0.4 * s), 1.5 - s, 200.0 * (1.0 - 0.5 * s)),
        lambda s: np.array([twist, 0.0, bend]),
        center,
    )
    beam = Static(text)
    beam.unloaded = rotation_of_constant(np.array([twist, 0.0, bend]))
    straight = tip_under_load(0.001 * np.array(load), lambda s: (1e9,) * 4, lambda s: np.array([twist, 0.0, bend]))
    assert np.linalg.norm(wanted - straight) > 0.3
    tip = beam.settle(dead=load, steps=2)
    assert np.linalg.norm(tip["position"] - wanted) < 1e-4


def rotation_of_constant(kappa) -> np.ndarray:
    """exp(κ~), Rodrigues' formula."""
    angle = np.linalg.norm(kappa)
    n = np.array([[0.0, -kappa[2], kappa[1]], [kappa[2], 0.0, -kappa[0]], [-kappa[1], kappa[0], 0.0]]) / angle
    return np.eye(3) + np.sin(angle) * n + (1.0 - np.cos(angle)) * n @ n


def test_frequencies_of_a_uniform_beam():
    """Their errors fall by h⁶ at rest, and the highest is bounded by 20/h² (77/h² without the inertia that segments add)."""
    wanted = frequencies(lambda x: 1.0, lambda x: np.eye(2))[0]
    assert wanted == pytest.approx(3.5160153, abs=1e-7)
    errors = []
    for segments in (2, 4):
        found = found_frequencies(Static(clamped("bending_y = 1.0", segments)))
        errors.append(abs(found[0] / wanted - 1.0))
        assert found[-1] < 20.0 * segments**2
    assert errors[0] < 3e-4
    assert errors[1] < errors[0] / 2.0**5


def test_linear_model_of_a_beam():
    """Its first mode is the cantilever's; all segments are one body in the shares of the kinetic energy."""
    model = api.linearize(load_text(clamped("bending_y = 1.0", 2)))
    assert list(model.inertias) == ["boom"]
    first = min(abs(value) for value in np.linalg.eigvals(model.A))
    assert first == pytest.approx(3.5160153, rel=3e-4)


def test_frequencies_of_torsion_and_stretch():
    """(i − ½) π √(GJ/I)/L, and the same with EA and the mass."""
    for kind, keys in (("torsion", "torsion = 0.5, polar_inertia = 0.5"), ("axial", "axial = 1.0")):
        found = found_frequencies(Static(clamped(keys, 4)))
        assert found[0] == pytest.approx(0.5 * np.pi, rel=1e-6), kind
        assert found[1] == pytest.approx(1.5 * np.pi, rel=1e-3), kind
        assert found[-1] < 7.0 * 4


def test_frequencies_of_a_tapered_twisted_beam():
    """Stiffer along z by 4, twisted by 1 rad, with mass and stiffness that fall to a half."""
    text = clamped(
        "bending_y = 1.0, bending_z = 4.0, curvature = [1.0, 0.0, 0.0], "
        "profile = { x = [0.0, 1.0], mass = [1.0, 0.5], bending_y = [1.0, 0.5], bending_z = [1.0, 0.5] }",
        4,
    )
    wanted = frequencies(
        lambda x: (1.0 - 0.5 * x) / 0.75,
        lambda x: turned(0, x)[1:, 1:] @ np.diag([1.0, 4.0]) @ turned(0, x)[1:, 1:].T * (1.0 - 0.5 * x),
    )
    found = found_frequencies(Static(text))
    for number, bar in enumerate((3e-5, 3e-4, 3e-3)):
        assert found[number] == pytest.approx(wanted[number], rel=bar)


def test_frequencies_with_an_offset_mass_centre():
    """Bending and torsion are one motion where the mass centre is beside the axis; rotary inertia of the sections belongs to it."""
    center, polar = (0.06, -0.04), 0.01
    text = clamped(f"bending_y = 1.0, bending_z = 2.0, torsion = 0.3, polar_inertia = {polar}, mass_center = [{center[0]}, {center[1]}]", 4)  # fmt: skip
    wanted = frequencies(lambda x: 1.0, lambda x: np.diag([1.0, 2.0]), about=lambda x: (0.3, polar), center=center)
    plain = frequencies(lambda x: 1.0, lambda x: np.diag([1.0, 2.0]), about=lambda x: (0.3, polar))
    assert np.max(np.abs(plain[:4] / wanted[:4] - 1.0)) > 0.05
    np.testing.assert_allclose(found_frequencies(Static(text))[:3], wanted[:3], rtol=1e-4)


ROD = """
name = "Rod"
[bodies.boom]
nodes = {{ tip = 1.0 }}
forces_at = ["frame"]
initial = {{ position = [6.0, 0.0, 0.0], orientation = [0.0, 0.0, {slope!r}] }}
beam = {{ length = 10.0, mass = 10.0, axis = "x", segments = {segments}, {keys} }}
"""


def flight(system, load, times):
    """States at the times: `load(t)` → force (3,) and torque (3,) at the root in N, both continuous between the times."""
    moving, names = fast(system), [state.name for state in system.signals.states]
    k, turn = evaluate.constants(system, system.signals.starts("parameters")), names.index("boom.quaternion[1]")
    where = [system.signals.where("inputs", f"boom.{name}") for name in ("force", "torque")]
    x = np.array(system.signals.starts("states"))
    rows = [x]
    for begin, end in pairwise(times):

        def rates(t, x, begin=begin, end=end):
            u, dcm = np.zeros(system.nu), quaternion_dcm(x[turn : turn + 4] / np.linalg.norm(x[turn : turn + 4]))
            for span, vector in zip(where, load(min(max(t, begin + 1e-12), end - 1e-12)), strict=True):
                u[span] = dcm.T @ vector
            return evaluate.motion(moving, t, x, u, k, np.zeros(0))[0]

        rows.append(solve_ivp(rates, (begin, end), rows[-1], method="DOP853", rtol=1e-10, atol=1e-11).y[:, -1])
    return np.array(rows), np.array(
        [evaluate.motion(moving, 0.0, x, np.zeros(system.nu), k, np.zeros(0))[1] for x in rows]
    )


def test_flying_rod_in_a_plane():
    """Simo and Vu-Quoc's rod (1986), EI = 500, ρA = 1, ρI = 10, here without shear and stretch: a force of 8 and a moment of −80 at one end
    for 2.5 s, then free. Against a chain of 20 and 40 rigid links, extrapolated."""
    slope = np.arctan2(8.0, -6.0)
    system = load_text(
        ROD.format(slope=float(slope), segments=4, keys="bending_y = 500.0, section_inertia = [0.0, 100.0]")
    )
    times = [0.0, 2.5, 5.0]
    _, y = flight(
        system, lambda t: (np.array([8.0, 0.0, 0.0]) * (t < 2.5), np.array([0.0, 0.0, -80.0]) * (t < 2.5)), times
    )
    tips = []
    for n in (20, 40):
        links = Links(n, 10.0, 1.0, 10.0, 500.0)
        state = np.concatenate([[6.0, 0.0], np.full(n, slope), np.zeros(n + 2)])
        for on, begin, end in ((1.0, 0.0, 2.5), (0.0, 2.5, 5.0)):
            state = solve_ivp(lambda t, s, on=on, links=links: links.rates(s, [8.0 * on, 0.0], -80.0 * on), (begin, end), state, method="DOP853", rtol=1e-9, atol=1e-9).y[:, -1]  # fmt: skip
        tips.append(links.tip(state))
    wanted = tips[1] + (tips[1] - tips[0]) / 3.0
    error = np.linalg.norm(y[-1][system.signals.where("outputs", "boom.tip.position")][:2] - wanted)
    assert error < 1e-2


def test_flying_rod_in_space():
    """Simo and Vu-Quoc's rod (1988), without shear and stretch: a force f/10 along x and torques −f/2 about y, −f about z at one end,
    f rising to 200 in 2.5 s and falling to zero in the next 2.5 s. Its impulse is 50; after it momenta and energy are kept."""
    system = load_text(
        ROD.format(
            slope=float(np.arctan2(8.0, -6.0)),
            segments=3,
            keys="bending_y = 500.0, bending_z = 500.0, torsion = 500.0, polar_inertia = 200.0",
        )
    )

    def load(t):
        f = 200.0 * max(0.0, 1.0 - abs(t / 2.5 - 1.0))
        return np.array([0.1 * f, 0.0, 0.0]), np.array([0.0, -0.5 * f, -f])

    _, y = flight(system, load, [0.0, 2.5, 5.0, 5.5])
    mean = {name: y[:, system.signals.where("outputs", f"system.{name}")] for name in ("momentum", "angular_momentum")}
    energy = sum(
        y[:, system.signals.where("outputs", f"system.{name}")] for name in ("kinetic_energy", "potential_energy")
    )
    np.testing.assert_allclose(mean["momentum"][2], [50.0, 0.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(mean["momentum"][3], mean["momentum"][2], atol=5e-9)
    np.testing.assert_allclose(
        mean["angular_momentum"][3],
        mean["angular_momentum"][2],
        atol=1e-10 * np.linalg.norm(mean["angular_momentum"][2]),
    )
    assert float(energy[3] / energy[2]) == pytest.approx(1.0, abs=1e-10)
