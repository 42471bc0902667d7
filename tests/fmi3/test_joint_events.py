"""FMI 3.0 of what joints do: friction that sticks, a screw, a law by a formula, a linkage at its change points fused with an inverse problem."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src.build import build_native
from tests.constraints import test_linkages_beside_inverse as fused
from tests.fmi3.units import fmu3_file
from tests.session import once, session_folder

TEXT = """
name = "Joints"
[bodies.bus]
mass = 120.0
inertia = [12.0, 14.0, 10.0]
[bodies.lid]
mass = 1.5
inertia = [0.05, 0.02, 0.06]
[joints.hinge]
parent = "bus"
child = "lid"
kind = "revolute"
axis = "x"
stiffness = 2.0
friction = 0.2
static_friction = 0.3
initial = { position = 0.9 }
[bodies.nut]
mass = 2.0
inertia = [0.01, 0.01, 0.02]
[joints.spindle]
parent = "bus"
child = "nut"
kind = "screw"
axis = "z"
pitch = 0.004
law = "pull*cos(angle) - 0.02*rate"
constants = { pull = 0.1 }
[experiment]
stop = 5.0
step = 0.05
tolerance = 1e-9
"""
SHOWN = ["hinge.angle", "hinge.rate", "hinge.stuck", "spindle.angle", "bus.angular_velocity"]


@pytest.fixture(scope="module")
def files():
    craft = load_text(TEXT)
    old = once(session_folder() / "native" / "Joints.fmu", lambda path: build_native(craft, path, ["host"]))
    return old, fmu3_file(craft)


def run(file, kind: str, names=SHOWN, stop: float = 5.0, **mode):
    return fmpy.simulate_fmu(
        str(file), fmi_type=kind, stop_time=stop, output_interval=0.05, relative_tolerance=1e-9, output=list(names),
        logger=lambda *_: None, **mode,
    )  # fmt: skip


def scalars(names) -> list[str]:
    return [name for name in names if name != "bus.angular_velocity"] + [
        f"bus.angular_velocity[{i}]" for i in (1, 2, 3)
    ]


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_equal_bit_for_bit(files, kind):
    old, new = run(files[0], kind, scalars(SHOWN)), run(files[1], kind)
    for name in SHOWN[:-1]:
        np.testing.assert_array_equal(new[name], old[name], err_msg=name)
    for i in range(3):
        np.testing.assert_array_equal(new[SHOWN[-1]][:, i], old[f"{SHOWN[-1]}[{i + 1}]"])


def test_event_mode_ends_steps_where_the_hinge_sticks(files):
    """At rest within the friction's cone, |2 φ| < 0.3; where it stops, model exchange stops, too."""
    stepped = run(files[1], "CoSimulation", use_event_mode=True, early_return_allowed=True)
    plain = run(files[1], "CoSimulation")
    exchanged = run(files[1], "ModelExchange")
    grid = np.round(np.arange(101) * 0.05, 9)
    off = [t for t in stepped["time"] if np.abs(grid - t).min() > 1e-6]
    assert len(off) >= 1  # steps that ended between communication points
    assert stepped["hinge.stuck"][-1]
    assert abs(2.0 * stepped["hinge.angle"][-1]) < 0.3
    assert np.ptp(stepped["spindle.angle"]) > 0.1
    for name in ("hinge.angle", "spindle.angle"):
        assert stepped[name][-1] == pytest.approx(plain[name][-1], abs=1e-7)
        assert stepped[name][-1] == pytest.approx(exchanged[name][-1], abs=1e-5)


@pytest.mark.ci
@pytest.mark.parametrize("mode", [{}, {"use_event_mode": True, "early_return_allowed": True}], ids=["", "early"])
def test_a_linkage_fused_with_an_inverse_problem_passes_its_change_points(mode):
    """As in its closed form, with the bits of FMI 2.0: gaps are not events of co-simulation."""
    settings = {"kind": "CoSimulation", "names": fused.NAMES, "stop": fused.STOP}
    old, new = run(fused.fmu(), **settings), run(fmu3_file(fused.both()), **settings, **mode)
    for name in fused.NAMES:
        assert new[name][-1] == old[name][-1]
    fused.judge({name: new[name][-1] for name in fused.NAMES}, 1e-9)
