"""The parts of the catalogue's systems, and limited actuators in motion: both flavours of each are the same FMU."""

from functools import cache

import numpy as np
import pytest
from fmpy.validation import validate_fmu

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api, catalogue
from spacefmu.fmu_src.results import Result
from tests.python_fmu.test_flavours import variables
from tests.session import once, session_folder

PARTS = {path.stem: path for path in (catalogue.find("Capture").parent / "parts").glob("*.toml")}
EACH = [pytest.param(name, marks=[] if name == "PathArm" else pytest.mark.slow) for name in sorted(PARTS)]
ACTUATED = """
name = "Actuated"
[bodies.hub]
mass = 10.0
inertia = [4.0, 5.0, 6.0]
[wheels.z]
body = "hub"
axis = "z"
spin_inertia = 0.02
torque_limit = 0.1
speed_limit = 10.0
motor_lag = 0.2
[thrusters.x]
body = "hub"
place = [0.0, 0.3, 0.0]
direction = "x"
maximum = 2.0
minimum_impulse = 0.2
rise_time = 0.1
fall_time = 0.3
[experiment]
stop = 6.0
step = 0.1
tolerance = 1e-12
"""


@cache
def system_of(name: str):
    return load_text(ACTUATED) if name == "Actuated" else api.load(PARTS[name])


def fmu(name: str, flavour: str):
    path = session_folder() / "parts" / flavour / f"{name}.fmu"
    return once(path, lambda file: api.build(system_of(name), file, flavour=flavour, platforms=["host"]))


def flavours_agree(name: str, inputs: Result | None, stop: float, step: float, bound: float = 1e-9) -> Result:
    """The same variables and results of both flavours, 1e-9 of the largest value of each, at least 1; no complaint of FMPy's validation."""
    files = [fmu(name, flavour) for flavour in ("native", "python")]
    assert [validate_fmu(str(file)) for file in files] == [[], []]
    assert variables(files[0]) == variables(files[1])
    native, python = (api.simulate(file, stop=stop, step=step, inputs=inputs) for file in files)
    assert native.names == python.names
    scale = np.maximum(1.0, np.abs(native.values).max(axis=0))
    worst = (np.abs(native.values - python.values) / scale).max(axis=0)
    assert worst.max() < bound, f"{native.names[int(worst.argmax())]}: {worst.max():.1e}"
    return native


@pytest.mark.parametrize("name", EACH)
def test_both_flavours_of_a_part(name):
    """Over the first 40 steps of its experiment, with inputs that swing about their starts."""
    system = system_of(name)
    step = system.about.experiment["step"]
    time = step * np.arange(41)
    real = [entry for entry in system.signals.inputs if entry.kind == "real"]
    swing = [entry.start + 0.05 * np.sin(0.3 * np.arange(41) + i) for i, entry in enumerate(real)]
    inputs = Result(time, tuple(entry.name for entry in real), np.array(swing).T) if real else None
    flavours_agree(name, inputs, time[-1], step)


def test_actuators_at_their_limits():
    """A wheel into its torque and speed limits through its lag, a thruster with pulses shorter and longer than its shortest, both ways."""
    time = np.arange(0.0, 6.01, 0.1)
    wheel = np.where(time < 3.0, 1.0, -0.05)
    thrust = np.where(np.isin(np.round(time, 1), (0.5, 1.0, 1.1, 1.2, 1.3, 1.4)), 5.0, 0.0)
    inputs = Result(time, ("wheel.z.torque", "thruster.x.force"), np.column_stack([wheel, thrust]))
    run = flavours_agree("Actuated", inputs, 6.0, 0.1)
    assert run["wheel.z.applied_torque"].max() == pytest.approx(0.1, rel=0.05)
    assert run["wheel.z.speed"].max() == pytest.approx(10.0, rel=1e-3)
    assert np.ptp(run["hub.velocity[1]"]) > 0.01
