"""Native FMUs of a reeled chain of beads and of a switched coupling against SciPy's integration; a chain in both flavours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_python
from spacefmu.fmu_src.interface.variables import Group
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import drift
from tests.constraints.test_beads import TEXT
from tests.constraints.test_elastic import REELED
from tests.constraints.test_fmu import simulate
from tests.constraints.test_switching import grasped
from tests.fmi.units import Unit, unpack
from tests.session import once, session_folder

FOLDER = session_folder() / "couplings"


@pytest.fixture
def unit():
    """unit(system): a fresh co-simulation of its FMU, freed after the test."""
    units: list[Unit] = []

    def create(system, name: str) -> Unit:
        units.append(Unit(unpack(system, FOLDER / name)))
        return units[-1]

    yield create
    for each in units:
        each.free()


def rows_of(fmu: Unit, times, before) -> np.ndarray:
    """States, discrete states and outputs (n, nx + nd + ny) at the times; `before(t)` is called ahead of each step."""

    def row():
        return np.concatenate([fmu.array(group) for group in (Group.STATE, Group.DISCRETE, Group.OUTPUT)])

    rows = [row()]
    for t, t_next in pairwise(times):
        before(t)
        fmu.fmu.doStep(t, t_next - t)
        rows.append(row())
    return np.array(rows)


def test_a_driven_reel_on_beads(unit):
    """Wound in and, faster and faster, let out until segments go slack: a ramp of the reel's acceleration, −0.3 + 2 t m/s²."""
    system, times = load_text(REELED), np.linspace(0.0, 2.0, 9)
    wanted = integrate(fast(system), times, u=lambda t: np.array([-0.3 + 2.0 * t]), rtol=1e-12, atol=1e-13)
    fmu = unit(system, "reeled")
    name = "chain.reel.acceleration"

    def drive(t):
        fmu.set({name: -0.3 + 2.0 * t})
        fmu.fmu.setRealInputDerivatives(fmu.references(name), [1], [2.0])

    fmu.initialize(solver__tolerance=1e-12, chain__reel__acceleration=-0.3)
    found = rows_of(fmu, times, drive)
    np.testing.assert_allclose(found, np.hstack([wanted.x, wanted.d, wanted.y]), atol=1e-9)  # measured 3e-12
    assert len(wanted.events) == 4  # all segments slacken
    length = wanted.x[:, system.signals.where("states", "chain.reel.length")]
    np.testing.assert_allclose(
        length, 10.0 - 0.2 * times - 0.15 * times**2 + times**3 / 3.0, atol=1e-12
    )  # measured 5e-15


def test_a_universal_coupling_closed_by_its_input(unit):
    """Closed at 0.25 s, wherever the bodies are, and opened at 0.75 s: the jump keeps momentum and angular momentum."""
    system, wanted = grasped("universal")
    fmu = unit(system, "grasped").initialize(solver__tolerance=1e-12)
    found = rows_of(fmu, wanted.time, lambda t: fmu.set({"dock.close": 0.25 <= t < 0.75}))
    np.testing.assert_allclose(found, np.hstack([wanted.x, wanted.d, wanted.y]), atol=1e-9)  # measured 9e-16
    outputs = found[:, system.nx + system.nd :]
    for quantity in ("momentum", "angular_momentum"):
        assert drift(outputs[:, system.signals.where("outputs", f"system.{quantity}")]) < 1e-11  # measured 9e-16
    kinetic = outputs[:, system.signals.where("outputs", "system.kinetic_energy")]
    assert kinetic[2] - kinetic[3] > 0.01  # measured 0.30 J, lost by the jump
    assert fmu["dock.closed"] == 0.0


def test_flavours_agree_on_a_chain():
    """Five beads, released stretched: all six segments go slack, an event each, within the second."""
    system = load_text(TEXT.format(damping=0.5).replace("beads = 8", "beads = 5"))
    native = unpack(system, FOLDER / "five_beads").folder
    python = once(FOLDER / "five_beads_python.fmu", lambda path: build_python(system, path))
    first, second = (simulate(source, system, 1.0, 11) for source in (native, python))
    np.testing.assert_allclose(first, second, atol=1e-9)  # measured 8e-13
    slack = system.nx + system.signals.where("outputs", "chain.tension")
    assert first[0, slack] > 0.0 == first[-1, slack]
