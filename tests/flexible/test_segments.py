"""Beams in segments: static shapes against closed forms, laws in free flight, one text on floats, symbols and in C, refusals.

Errors of each witness over the number of segments: docs/large_deflections.md.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model, FMU2Slave
from scipy.optimize import brentq
from scipy.special import jv

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.traces import Traces
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import close_fmu, open_unpacked, unpack
from tests.flexible.rods import frequencies
from tests.flexible.segments import Static, clamped, elastica
from tests.laws.balance import assert_laws

EVERYTHING = """
name = "Free"
[bodies.boom]
nodes = { tip = 1.0, middle = 0.6 }
forces_at = ["tip"]
initial = { angular_velocity = [1.0, 2.0, 0.5], amplitudes = [%s], rates = [%s] }
[bodies.boom.beam]
length = 2.0
mass = 1.0
bending_y = 1.0
bending_z = 2.0
torsion = 0.8
axial = 300.0
polar_inertia = 0.01
tip_mass = 0.3
tip_inertia = [0.01, 0.01, 0.01]
segments = 2
curvature = [0.3, 0.2, -0.4]
mass_center = [0.05, 0.02]
tension_center = [0.03, -0.01]
profile = { x = [0.0, 0.5, 1.0], mass = [1.5, 1.0, 0.8], bending_y = [2.0, 1.0, 0.5], axial = [1.0, 1.0, 0.9] }
"""


def everything() -> str:
    """A free beam that is curved, twisted, tapered, with centres off its axis and a tip body, bent by up to a radian and in motion."""
    rng, size = np.random.default_rng(1), np.tile([1.0] * 6 + [0.1] * 2, 2)
    lists = [", ".join(f"{value:.3f}" for value in values) for values in (0.3 * rng.normal(size=16) * size, rng.normal(size=16) * size)]  # fmt: skip
    return EVERYTHING % tuple(lists)


@cache
def _bending(segments: int) -> Static:
    return Static(clamped("bending_y = 1.0", segments))


def bending(segments: int) -> Static:
    """A cantilever that bends in one plane, straight again."""
    beam = _bending(segments)
    beam.x = np.array(beam.system.signals.starts("states"))
    return beam


def test_half_a_circle():
    """An end moment π EI/L bends a cantilever to half a circle: tip at (0, 2/π), turned by π, the same curvature everywhere.
    Measured 5.2e-6 of the length with 2 segments, 7.6e-8 with 4, 1.2e-9 with 8 (bars: 3e-3 with 8, 4e-4 with 16)."""
    for segments, bar in ((2, 1e-5), (4, 2e-7)):
        beam = bending(segments)
        tip = beam.settle(beam.inputs(torque=[0.0, 0.0, np.pi]))
        assert np.linalg.norm(tip["position"] - [0.0, 2.0 / np.pi, 0.0]) < bar
        np.testing.assert_allclose(tip["rotation"], [0.0, 0.0, np.pi], atol=1e-12)
        angles = beam.x[beam.q].reshape(segments, 2)
        np.testing.assert_allclose(angles, np.tile([np.pi / segments, 0.0], (segments, 1)), atol=1e-12)


def test_elastica_converges_by_the_fourth_power():
    """P L²/EI = 10 across the tip, which moves to (0.445, 0.811) L. Measured 1.7e-3, 8.3e-5, 4.8e-6 and 3.0e-7 with 2, 4, 8, 16 segments."""
    x, y, slope = elastica(10.0)
    assert (x, y, slope) == pytest.approx((0.44500, 0.81061, 1.43029), abs=1e-5)  # Mattiasson, 1981
    errors = []
    for segments in (2, 4):
        tip = bending(segments).settle(dead=[0.0, 10.0, 0.0])
        errors.append(np.linalg.norm(tip["position"] - [x, y, 0.0]))
        assert abs(tip["rotation"][2] - slope) < 2.0 * errors[-1]
    assert errors[0] < 2e-3
    assert errors[1] < errors[0] / 2.0**3.9


def test_euler_and_lateral_buckling():
    """π²EI/4L² along the axis: measured 3.3e-5 too high with 4 segments, 2.1e-6 with 8; 4.0126 √(EI GJ)/L² across a blade, where
    J₋¼(PL²/2√(EI GJ)) = 0 (Timoshenko, Gere): 8.0e-4 with 4, 5.3e-5 with 8."""
    column = bending(4)
    load = brentq(lambda P: column.stiffness([-P, 0.0, 0.0]), 2.0, 3.0, xtol=1e-8)
    assert load == pytest.approx(np.pi**2 / 4.0, rel=5e-5)
    blade = Static(clamped("bending_y = 1.0, torsion = 1.0, polar_inertia = 0.01", 4))
    load = brentq(lambda P: blade.stiffness([0.0, 0.0, P]), 3.5, 4.5, xtol=1e-8)
    assert load == pytest.approx(2.0 * brentq(lambda x: jv(-0.25, x), 1.5, 2.5), rel=1e-3)


def test_free_flight_keeps_the_laws_and_floats_and_symbols_agree():
    """Measured 6e-13 of momenta, 4e-14 of the energy; 3e-14 between floats and symbols."""
    system = load_text(everything())
    symbols = fast(system)
    assert_laws(system, integrate(symbols, np.linspace(0.0, 0.5, 3)))
    x, u = np.array(system.signals.starts("states")), np.random.default_rng(3).normal(size=system.nu)
    k = evaluate.constants(system, system.signals.starts("parameters"))
    for a, b in zip(*(evaluate.motion(s, 0.0, x, u, k, np.zeros(0))[:2] for s in (system, symbols)), strict=True):
        assert np.max(np.abs(a - b)) < 1e-12 * np.max(np.abs(a))


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("bending_y = 1.0, segments = 0", "bodies.boom.beam.segments is 0"),
        ("bending_y = 1.0, segments = 2, modes = { bending_y = 2 }", "bodies.boom.beam.modes = .* is not allowed with segments"),
        ("bending_y = 1.0, segments = 2, stiffening = true", "bodies.boom.beam.stiffening = true is not allowed with segments"),
        ("segments = 2", "bodies.boom.beam.segments is 2, expected at least one positive stiffness"),
        ("torsion = 1.0, segments = 2", "bodies.boom.beam.polar_inertia is 0.0, expected a positive inertia"),
        ("bending_y = 1.0, modes = { bending_y = 2 }, curvature = [0.0, 0.0, 1.0]", "curvature = .* is not allowed: it belongs to a beam with segments"),
        ("bending_y = 1.0, segments = 2, tension_center = [0.1, 0.0]", "tension_center = .* is not allowed on a beam without axial stiffness"),
        ("bending_y = 1.0, segments = 2, profile = { x = [0.0, 0.5], mass = [1.0, 2.0] }", "profile.x is .* rise from 0 to 1"),
        ("bending_y = 1.0, segments = 2, profile = { x = [0.0, 1.0], mass = [1.0] }", "profile.mass is .* 2 values"),
        ("bending_y = 1.0, segments = 2, profile = { x = [0.0, 1.0], torsion = [1.0, 1.0] }", "profile.torsion = .* is not allowed"),
    ],
)  # fmt: skip
def test_refusals(keys, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load_text(f'name = "Wrong"\n[bodies.boom]\nbeam = {{ length = 1.0, mass = 1.0, {keys} }}\n')


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ('shape = { kind = "box", size = [1.0, 1.0, 1.0] }', "bodies.boom.shape is not allowed: a beam with segments is drawn by its section"),
        ("damping = [0.01, 0.02]", "bodies.boom.damping is .* one damping ratio"),
    ],
)  # fmt: skip
def test_tables_beside_the_beam_are_refused(table, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load_text(
            f'name = "Wrong"\n[bodies.boom]\n{table}\nbeam = {{ length = 1.0, mass = 1.0, bending_y = 1.0, segments = 2 }}\n'
        )


def test_parameters_that_change_are_another_description():
    """Mass, stiffness and damping as parameters of one System, and as written in another: equal to round-off."""
    initial = "initial = { amplitudes = [0.3, 0.1, 0.2, -0.1, 0.4, 0.0, 0.1, 0.2], rates = [0.5, 0.2, -0.4, 0.1, 0.3, 0.0, 0.2, 0.1] }"

    def made(mass, stiffness, inertia):
        return load_text(clamped(f"bending_y = {stiffness}, bending_z = 2.0, section_inertia = [{inertia}, {inertia}]", 2, initial).replace("mass = 1.0", f"mass = {mass}"))  # fmt: skip

    one, other = (
        made(1.0, 1.0, 0.01),
        made(3.0, 2.5, 0.03),
    )  # `mass` scales the density, and with it the sections' inertia
    p = np.array(one.signals.starts("parameters"))
    for name, value in (("boom.mass", 3.0), ("boom.bending_y", 2.5)):
        p[one.signals.where("parameters", name)] = value
    x, u = np.array(one.signals.starts("states")), np.zeros(one.nu)
    found = evaluate.motion(one, 0.0, x, u, evaluate.constants(one, p), np.zeros(0))
    wanted = evaluate.motion(
        other, 0.0, x, u, evaluate.constants(other, other.signals.starts("parameters")), np.zeros(0)
    )
    for a, b in zip(found[:2], wanted[:2], strict=True):
        assert np.max(np.abs(a - b)) < 1e-12 * np.max(np.abs(b))


def test_segments_of_a_tapered_curved_beam_share_their_functions():
    """Mass, stiffness and curvature are data of the generated C: as many functions as of a uniform straight beam."""
    profile = "profile = { x = [0.0, 1.0], mass = [1.0, 0.5], bending_y = [1.0, 0.4], curvature = [[0.0, 0.0, 0.2], [0.0, 0.0, 0.9]] }"
    counts = []
    for more in ("curvature = [0.0, 0.0, 0.3]", profile):
        traces = Traces(load_text(clamped(f"bending_y = 1.0, {more}", 4)))
        assert traces.motion is not None
        assert traces.kinds is not None
        counts.append(dict(traces.kinds.count))
    assert counts[0] == counts[1]
    assert counts[0]["body_equations"] == 2  # that of the first segment, which stands still in space, and of all others


def test_natural_coordinates_refuse_it_by_name():
    with pytest.raises(DescriptionError, match="boom is flexible"):
        load_text('name = "Wrong"\nformulation = "natural"\n[bodies.boom]\nbeam = { length = 1.0, mass = 1.0, bending_y = 1.0, polar_inertia = 0.1, segments = 2 }\n')  # fmt: skip


def test_rotating_beam():
    """First flap frequency of a cantilever that turns at its root, in units of √(EI/mL³), by Galerkin's method (rods.py); lag has ω² − Ω² of it.
    Wright, Smith, Thresher and Wang (1982) print 4.1373 and 11.2023."""
    joint = 'kind = "revolute"\naxis = "z"\ndrive = "acceleration"'
    beam = Static(clamped("bending_y = 1.0, bending_z = 1.0", 4, joint=joint))
    names = [state.name for state in beam.system.signals.states]
    for speed, printed, bar in ((2.0, 4.1373, 1e-5), (10.0, 11.2023, 1e-3)):
        flap = frequencies(lambda x: 1.0, lambda x: np.eye(2), speed)[1]
        assert flap == pytest.approx(printed, abs=5e-5)
        beam.x[names.index("root.rate")] = speed
        found = beam.derivatives(0.0, beam.x, np.zeros(beam.system.nu), beam.k, np.zeros(0))
        own = {kind: [i for i, name in enumerate(names) if f".{kind}" in name] for kind in ("bending_y", "bending_z")}
        lag, up = (np.min(np.abs(np.linalg.eigvals(found.A[np.ix_(i, i)]).imag)) for i in own.values())
        assert up == pytest.approx(flap, rel=bar)
        assert np.hypot(lag, speed) == pytest.approx(flap, rel=bar)


def test_spun_up_arm_stretches():
    """The arm of Simo and Vu-Quoc (1986) after its spin-up, Ω = 6 rad/s: longer by ρΩ²L³/3EA = 5.14e-4 m, here as an equilibrium."""
    text = """
name = "Arm"
[bodies.boom]
beam = { length = 10.0, mass = 12.0, segments = 2, bending_y = 1.4e4, axial = 2.8e7, section_inertia = [0.0, 6e-3] }
nodes = { tip = 1.0 }
forces_at = ["tip"]
[joints.root]
kind = "revolute"
axis = "z"
drive = "acceleration"
initial = { rate = 6.0 }
parent = "space"
child = "boom"
"""
    arm = Static(text)
    own = np.array([i for i, state in enumerate(arm.system.signals.states) if state.name.startswith("boom.segment")])
    positions, rates = np.split(own, 2)
    for _ in range(5):
        found = arm.derivatives(0.0, arm.x, np.zeros(arm.system.nu), arm.k, np.zeros(0))
        arm.x[positions] -= np.linalg.solve(found.A[np.ix_(rates, positions)], found.x_dot[rates])
    y = evaluate.motion(arm.system, 0.0, arm.x, np.zeros(arm.system.nu), arm.k, np.zeros(0))[1]
    assert np.linalg.norm(y[arm.system.signals.where("outputs", "boom.tip.position")]) - 10.0 == pytest.approx(1.2 * 36.0 * 1000.0 / (3.0 * 2.8e7), rel=1e-4)  # fmt: skip


SWINGING = clamped("bending_y = 0.2, axial = 50.0, tip_mass = 0.1", 2, 'damping = 0.02\ninitial = { amplitudes = [0.8, 0.1, 0.0, 0.0, 0.5, -0.2, 0.0, 0.0] }')  # fmt: skip


def native_run(system, u, stop: float, names):
    """Co-simulation; the same FMU in model exchange gives the derivatives of the equations."""
    folder = unpack(build_native, system)
    model, references = open_unpacked(folder, FMU2Model)
    model.setupExperiment(startTime=0.0)
    model.enterInitializationMode()
    model.setReal([references[entry.name] for entry in system.signals.inputs], list(u))
    model.exitInitializationMode()
    model.newDiscreteStates()
    model.enterContinuousTimeMode()
    rates, states = (
        np.array(model.getReal([references[name] for name in group])) for group in derivatives_and_states(system)
    )
    k, d = evaluate.constants(system, system.signals.starts("parameters")), np.array(system.signals.starts("discretes"))
    np.testing.assert_allclose(rates, evaluate.motion(system, 0.0, states, u, k, d)[0], rtol=1e-11, atol=1e-12)
    close_fmu(model)
    fmu, references = open_unpacked(folder, FMU2Slave)
    fmu.setupExperiment(tolerance=1e-11, startTime=0.0)
    fmu.enterInitializationMode()
    fmu.setReal([references[entry.name] for entry in system.signals.inputs], list(u))
    fmu.exitInitializationMode()
    fmu.doStep(0.0, stop)
    values = fmu.getReal([references[name] for name in names])
    close_fmu(fmu)
    return np.array(values)


def derivatives_and_states(system):
    return [state.derivative for state in system.signals.states], [state.name for state in system.signals.states]


def python_run(system, u, stop: float, names):
    instance = Instance(system, "test")
    references = {variable.name: variable.reference for variable in instance.variables}
    instance.setup_experiment(0.0, None, 1e-11)
    instance.enter_initialization()
    instance.set([references[entry.name] for entry in system.signals.inputs], list(u), ("real",))
    instance.exit_initialization()
    instance.step(0.0, stop)
    return np.array(instance.get([references[name] for name in names], ("real",)))


def test_both_flavours_move_as_scipy_does():
    system = load_text(SWINGING)
    u = 0.1 * np.random.default_rng(5).normal(size=system.nu)
    run = integrate(fast(system), [0.0, 0.2], u)
    names = [entry.name for entry in system.signals.outputs if entry.name.startswith("boom.tip")]
    wanted = [run.y[-1][system.signals.where("outputs", name)] for name in names]
    for flavour in (native_run, python_run):
        np.testing.assert_allclose(flavour(system, u, 0.2, names), wanted, rtol=1e-9, atol=1e-9)
