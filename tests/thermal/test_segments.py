"""The thermal port of a beam in segments: free shapes by closed forms, light on bent sections, work, one text on floats and symbols, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import rotation_vector
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.python.stored import dumps, loads
from tests.constraints.craft import balance, column, drift
from tests.flexible.segments import Static, clamped
from tests.thermal.crafts import given

HOT = "thermal = {{ expansion = 1e-3, thickness = 0.02, sections = {sections} }}"
SUN = "[environment.sun]\ndirection = [0.6, 0.8, 0.0]\n"


def heated(beam: str, sections: int, segments: int = 4) -> Static:
    """A cantilever of length 1 with α/h = 0.05 per kelvin and metre."""
    text = clamped(beam, segments, HOT.format(sections=sections))
    return Static(text.replace("[joints.root]", SUN + "[joints.root]"))


def arc(angle: float, start: float = 0.0) -> np.ndarray:
    """The end of an arc of length 1 and of this angle in x–y, which begins along `start` [rad]."""
    return np.array([np.sin(start + angle) - np.sin(start), np.cos(start) - np.cos(start + angle), 0.0]) / angle


@pytest.mark.parametrize(("axis", "warm"), [("y", [0.0, -1.0, 0.0]), ("z", [0.0, 0.0, -1.0])])
def test_half_a_circle_away_from_the_warm_face(axis, warm):
    """αΔT/h = π, and longer by α(T − T₀) = 2 %, curvature and all. Error of the shape by four segments: 7.6e-8."""
    beam = heated("bending_y = 1.0, bending_z = 3.0, axial = 50.0", 1)
    u = given(beam.system, boom__temperature=293.15 + 20.0, **{f"boom__temperature_difference_{axis}": np.pi / 0.05})
    tip = beam.settle(u)
    x, across, _ = arc(np.pi)
    np.testing.assert_allclose(tip["position"], 1.02 * (np.array([x, 0.0, 0.0]) + across * np.array(warm)), atol=2e-7)
    rates = evaluate.motion(beam.system, 0.0, beam.x, u, beam.k, np.zeros(0))[0]
    np.testing.assert_allclose(rates, beam.derivatives(0.0, beam.x, u, beam.k, np.zeros(0)).x_dot, atol=1e-9)


def test_each_section_bends_for_itself_and_sees_the_light():
    """The second of two sections is warm: straight to the middle, then an arc of 1 rad; its own middle is turned by 0.5 rad, and so is the light on it."""
    beam = heated("bending_y = 1.0", 2)
    u = given(beam.system, boom__temperature_difference_y=[0.0, 2.0 / 0.05])
    tip = beam.settle(u)
    half = [0.5, 0.0, 0.0]
    np.testing.assert_allclose(tip["position"], half + 0.5 * arc(-1.0), atol=1e-8)
    y = evaluate.motion(beam.system, 0.0, beam.x, u, beam.k, np.zeros(0))[1]
    place, turned, sun, lit, incidence = (
        y[beam.system.signals.where("outputs", f"boom.section.{name}")]
        for name in ("position", "rotation", "sun_direction", "sunlight", "incidence_y")
    )
    np.testing.assert_allclose(place.reshape(2, 3), [[0.25, 0.0, 0.0], half + 0.25 * arc(-0.5)], atol=1e-8)
    np.testing.assert_allclose(turned.reshape(2, 3), [[0.0, 0.0, 0.0], [0.0, 0.0, -0.5]], atol=1e-12)
    R = rotation_vector(np.array([0.0, 0.0, -0.5]), np.zeros(3))[0]
    np.testing.assert_allclose(sun.reshape(2, 3), [[0.6, 0.8, 0.0], R.T @ [0.6, 0.8, 0.0]], atol=1e-12)
    np.testing.assert_allclose(incidence, sun.reshape(2, 3)[:, 1], atol=1e-12)
    assert np.linalg.norm(lit.reshape(2, 3), axis=1) == pytest.approx(np.linalg.norm(lit[:3]))


def test_temperatures_do_work():
    """A free beam that is heated on one side: what they do on it is what it has, momenta stay zero. Measured: 4e-12 of the kinetic energy, 3e-14 N s."""
    free = clamped("bending_y = 1.0, axial = 20.0, polar_inertia = 0.01", 2, HOT.format(sections=2)).partition(
        "[joints.root]"
    )[0]
    system = load_text(free)
    run = integrate(
        fast(system),
        np.linspace(0.0, 0.5, 3),
        u=lambda t: given(system, boom__temperature=293.15 + 40.0 * t, boom__temperature_difference_y=[20.0 * t, -8.0]),
        rtol=1e-11,
        atol=1e-12,
    )
    kinetic = column(system, run, "system.kinetic_energy")
    assert kinetic.max() > 1e-3
    assert drift(balance(system, run)) < 1e-10 * kinetic.max()
    assert np.abs(column(system, run, "system.momentum")).max() < 1e-11


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("sections = 3", r"bodies\.boom\.thermal\.sections is 3, expected a divisor of segments = 4"),
        ("static_shapes = false", r"bodies\.boom\.thermal\.static_shapes = false is not allowed with segments"),
        ("thickness = { z = 0.02 }", r"bodies\.boom\.thermal\.thickness\.z is 0\.02, expected a beam that bends in bending_z"),
    ],
)  # fmt: skip
def test_what_is_refused(keys, sentence):
    size = "" if "thickness" in keys else "thickness = 0.02, "
    with pytest.raises(DescriptionError, match=sentence):
        load_text(clamped("bending_y = 1.0", 4, f"thermal = {{ expansion = 1e-3, {size}{keys} }}"))


def test_python_fmus_keep_the_port():
    """Stored as data and read again, the System has the same bits; every segment knows its own section."""
    system = load_text(clamped("bending_y = 1.0, bending_z = 3.0", 4, HOT.format(sections=2)))
    function, data = loads(dumps(*system.made_by))
    x, _, k, d = evaluate.start(system)
    u = given(system, boom__temperature_difference_y=[5.0, -2.0], boom__temperature_difference_z=[0.0, 3.0])
    own, again = (evaluate.motion(each, 0.0, x, u, k, d)[0] for each in (system, function(data)))
    assert own.tobytes() == again.tobytes()
    assert np.abs(own).max() > 1.0
