"""The start of a closed loop whose parameters or start values change after the description was read: in Python and in the FMU.

What the description gives is kept, as its reader does: so the expected states are those of a description that has the new value.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import Refused, residual, start
from tests.fmi.units import Unit, unpack
from tests.session import session_folder

LOOP = Path("examples/initial_state.toml").read_text("utf-8")
GIVEN = (
    "crank_pin.angle",
    "frame_bar.position",
    "frame_bar.quaternion",
    "crank_pin.rate",
    "frame_bar.angular_velocity",
)


def started(system, **values):
    """State at the start with parameters or start values changed (__ for dots), and its largest residual."""
    p, x = (np.array(system.signals.starts(group)) for group in ("parameters", "states"))
    for name, value in values.items():
        for group, array in (("parameters", p), ("states", x)):
            if (name := name.replace("__", ".")) in [s.name for s in getattr(system.signals, group)]:
                array[system.signals.where(group, name)] = value
    x, u, k, d = start(system, x=x, p=p)
    return x, max(residual(projection, 0.0, x, u, k, d) for projection in system.projections)


# All but the frame's velocity, which nothing determines: it is the one nearest to where it was.
FOUND = (*GIVEN, *(f"{pin}.{quantity}" for pin in ("coupler_pin", "rocker_pin") for quantity in ("angle", "rate")))


def rows(system, x, names=GIVEN):
    return np.concatenate([np.atleast_1d(x[system.signals.where("states", name)]) for name in names])


@pytest.mark.parametrize("length", [0.9, 1.0, 1.25, 1.4])
def test_changed_lengths_leave_given_coordinates(length):
    """The coupler 1.1 m → `length`: crank angle, frame and given rates stay; the rest is where the reader puts it."""
    system = load_text(LOOP)
    x, left = started(system, **{"rocker_pin__place[1]": length})
    assert left < 1e-12  # measured 1e-15
    np.testing.assert_allclose(
        rows(system, x), rows(system, np.array(system.signals.starts("states"))), atol=1e-15
    )  # measured 0
    written = load_text(LOOP.replace("place = [1.1, 0.0, 0.0]", f"place = [{length}, 0.0, 0.0]"))
    expected = rows(written, np.array(written.signals.starts("states")), FOUND)
    np.testing.assert_allclose(rows(system, x, FOUND), expected, atol=1e-8)  # measured 1e-12
    assert np.max(np.abs(x - system.signals.starts("states"))) > 0.05  # the loop did have to move


def test_a_changed_start_value_is_kept_too():
    """The crank set to 50 degrees: a given coordinate with another value."""
    system = load_text(LOOP)
    angle = np.radians(50.0)
    x, left = started(system, crank_pin__angle=angle)
    assert left < 1e-12  # measured 3e-15
    assert x[system.signals.where("states", "crank_pin.angle")] == pytest.approx(angle, abs=1e-15)  # measured 0
    written = load_text(LOOP.replace('"65 deg"', '"50 deg"'))
    expected = rows(written, np.array(written.signals.starts("states")), FOUND)
    np.testing.assert_allclose(rows(system, x, FOUND), expected, atol=1e-8)  # measured 4e-15


def test_where_nothing_else_can_move_the_given_yields():
    """A coupler of 2.3 m can't reach over 65 degrees: the crank turns to where it does."""
    system = load_text(LOOP)
    x, left = started(system, **{"rocker_pin__place[1]": 2.3})
    assert left < 1e-9  # measured 3e-16
    assert abs(x[system.signals.where("states", "crank_pin.angle")] - np.radians(65.0)) > 0.05


def test_a_loop_that_can_not_close_is_refused():
    with pytest.raises(Refused, match="positions of couplings: no state found that satisfies them; residual"):
        started(load_text(LOOP), **{"rocker_pin__place[1]": 5.0})


@pytest.mark.parametrize("length", [1.25, 2.3])
def test_the_fmu_starts_as_python_does(length):
    """Parameter and start value set before initialization: the same states; with 2.3 m by the second try, in which all move."""
    system = load_text(LOOP)
    names = [s.name for s in system.signals.states]
    changes = {"rocker_pin__place[1]": length, "crank_pin__angle": np.radians(50.0)}
    expected, _ = started(system, **changes)
    fmu = Unit(unpack(system, session_folder() / "couplings" / "assembled"), "cs")
    try:
        fmu.initialize(**changes)
        np.testing.assert_allclose([fmu[name] for name in names], expected, atol=1e-10)  # measured 9e-15
    finally:
        fmu.free()
