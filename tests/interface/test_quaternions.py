"""Quaternions at the edge of an FMU: starts of any length, and outputs that turn on without a jump."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy import simulate_fmu

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import Refused, motion, start
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import fmu_of
from tests.fmi.units import DISCARD, Unit, status_of, unpack
from tests.session import session_folder

TEXT = """
name = "TurnedStart"
[bodies.hub]
mass = 10.0
inertia = [1.0, 2.0, 3.0]
[bodies.arm]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[joints.elbow]
parent = "hub"
child = "arm"
kind = "spherical"
"""
TRIED = [(1.0, 1.0, 1.0, 1.0), (2.0, 0.0, 0.0, 0.0), (3.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0), (-0.5, 1e-3, 0.0, 0.0), (1e-9, 0.0, 0.0, 2e-9), (0.0, 1e8, -1e8, 0.0)]  # fmt: skip


@pytest.mark.parametrize("which", ["hub", "elbow"])
@pytest.mark.parametrize("given", TRIED)
def test_starts_are_made_unit_and_keep_their_sign(which, given):
    system = load_text(TEXT)
    x = np.array(system.signals.starts("states"))
    where = system.signals.where("states", f"{which}.quaternion")
    x[where] = given
    found, *_ = start(system, x=x)
    np.testing.assert_allclose(found[where], np.array(given) / np.linalg.norm(given), atol=1e-15)


@pytest.fixture
def native():
    unit = Unit(unpack(load_text(TEXT), session_folder() / "quaternions"))
    yield unit
    unit.free()


def test_both_flavours_take_any_length(native):
    names, given = [f"hub.quaternion[{i}]" for i in (1, 2, 3, 4)], (2.0, 0.0, -2.0, 0.0)
    native.set(dict(zip(names, given, strict=True)))
    native.initialize()
    python = Instance(load_text(TEXT), "")
    references = native.references(*names)
    python.set(references, given, ("real",))
    python.setup_experiment(0.0, None, None)
    python.enter_initialization()
    python.exit_initialization()
    for found in ([native[name] for name in names], python.get(references, ("real",))):
        assert found == pytest.approx([np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0], abs=1e-15)


def test_zero_has_a_sentence_of_its_own():
    system = load_text(TEXT)
    x = np.array(system.signals.starts("states"))
    x[system.signals.where("states", "elbow.quaternion")] = 0.0
    with pytest.raises(Refused, match=r"^elbow.quaternion is zero, which is not an attitude$"):
        start(system, x=x)


def test_a_native_fmu_says_it_too(native):
    unit = native
    unit.set({f"elbow.quaternion[{i}]": 0.0 for i in (1, 2, 3, 4)})
    unit.fmu.setupExperiment()
    unit.fmu.enterInitializationMode()
    assert status_of(unit.fmu.getReal, unit.references("elbow.quaternion[1]")) == DISCARD
    assert "elbow.quaternion is zero, which is not an attitude" in unit.log[-1][2]


def test_quaternions_are_approximate():
    found = {
        v.name: v.initial for v in variables_of(load_text(TEXT)) if "quaternion" in v.name and v.derivative_of is None
    }
    assert {found[f"{name}.quaternion[{i}]"] for name in ("hub", "elbow") for i in (1, 2, 3, 4)} == {"approx"}


def test_output_quaternions_turn_on():
    """FourBar's bar4 turns by more than half a turn about z, at 12.8 s: no two neighbours are more apart than its rate allows."""
    names = [f"bar4.quaternion[{i}]" for i in (1, 2, 3, 4)]
    result = simulate_fmu(str(fmu_of("FourBar")), stop_time=15.0, output_interval=0.05, output=names)
    found = np.array([result[name] for name in names])
    np.testing.assert_allclose(np.linalg.norm(found, axis=0), 1.0, atol=1e-14)
    assert np.min(found[0]) < -0.1
    assert np.max(np.abs(np.diff(found))) < 0.2


def test_a_whole_turn_of_a_joint_is_half_of_the_quaternions():
    system = load_text(TEXT.replace('"spherical"', '"revolute"\naxis = "z"'))
    x = np.array(system.signals.starts("states"))
    angle = system.signals.where("states", "elbow.angle")
    _, u, k, d = start(system)
    for turned in np.linspace(0.0, 4.0 * np.pi, 9):
        x[angle] = turned
        y = motion(system, 0.0, x, u, k, d)[1]
        found = y[system.signals.where("outputs", "arm.quaternion")]
        np.testing.assert_allclose(found, [np.cos(turned / 2), 0.0, 0.0, np.sin(turned / 2)], atol=1e-15)
