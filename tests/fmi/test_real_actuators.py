"""Real actuators in built FMUs, before the gimbal of a gyro, a wheel and a thruster: all parts of the signal path together, against the closed form between samples.

Co-simulation in both flavours and both versions, model exchange, saved states, a changed parameter, linear models."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api
from spacefmu.fmu_src.linearize.fmu import linearized_fmu
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.catalogue_fmus import open_unpacked
from tests.fmi3.units import Unit3
from tests.session import once, session_folder

CRAFT = """
name = "RealGyro"
[bodies.hub]
mass = 100.0
inertia = [20.0, 22.0, 25.0]
[gyros.a]
body = "hub"
gimbal_axis = "z"
spin_axis = "x"
gimbal_inertia = [0.03, 0.02, 0.025]
spin_inertia = 0.1
speed = 50.0
ACTUATOR
[wheels.w]
body = "hub"
axis = "y"
spin_inertia = 0.2
ACTUATOR
[thrusters.t]
body = "hub"
direction = "x"
maximum = 5.0
ACTUATOR
""".replace(
    "ACTUATOR",
    "actuator = { sample_time = 0.1, delay = 0.2, dead_band = 0.03, quantum = 0.02, limit = 0.1, lag = 0.05, failures = true }",
)
INPUT = "gyro.a.gimbal.torque"
PATH = f"{INPUT}_actuator"
H, STOP = 0.05, 2.5
OTHERS = {"wheel.w.torque": "wheel.w.speed", "thruster.t.force": "hub.velocity[1]"}  # with what they move
FAILED = {"off": (1.0, 1.3), "stuck": (1.6, 1.9), "runaway": (2.0, 2.2)}
GIMBAL = 0.025 + 0.05  # about its axis, with the rotor across its spin


def command(t: float) -> float:
    return 0.15 * np.sin(2.0 * t + 0.3)


def failing(name: str, t: float) -> bool:
    return FAILED[name][0] - 1e-9 < t < FAILED[name][1] - 1e-9


def expected(lag: float = 0.05) -> np.ndarray:
    """The torque on the gimbal at each communication point, from the keys' descriptions: commands are held, so the lag is an exponential from point to
    point."""
    found, y = [], 0.0
    for i in range(round(STOP / H)):
        t, sample = i * H, (i // 2 - 2) * 0.1  # samples every second point, two samples late
        taken = command(sample) if sample > -1e-9 else 0.0
        wanted = np.clip(0.02 * np.floor(taken / 0.02 + 0.5), -0.1, 0.1) if abs(taken) > 0.03 else 0.0
        wanted = 0.0 if failing("off", t) else 0.1 if failing("runaway", t) else wanted
        if not failing("stuck", t) or failing("off", t):
            y = wanted + (y - wanted) * np.exp(-H / lag)
        found.append(y)
    return np.array(found)


@cache
def system():
    return load_text(CRAFT)


def file_of(flavour: str) -> Path:
    return once(session_folder() / flavour / "RealGyro.fmu", lambda path: api.build(system(), path, flavour=flavour))


def opened(flavour: str):
    file = file_of(flavour)
    return open_unpacked(once(file.with_suffix(""), lambda path: fmpy.extract(str(file), str(path))), FMU2Slave)


def driven(fmu, reference, first: int = 0, last: int = round(STOP / H)) -> np.ndarray:
    """The output and the gimbal's rate at communication points."""
    found = []
    for i in range(first, last):
        fmu.setReal([reference[INPUT]], [command(i * H)])
        fmu.setBoolean([reference[f"{PATH}.{name}"] for name in FAILED], [failing(name, i * H) for name in FAILED])
        fmu.doStep(i * H, H)
        found.append(fmu.getReal([reference[f"{PATH}.applied"], reference["gyro.a.gimbal.rate"]]))
    return np.array(found)


def begun(fmu, reference, actuated=INPUT, **parameters):
    fmu.setupExperiment(tolerance=1e-11, startTime=0.0)
    for name, value in parameters.items():
        fmu.setReal([reference[f"{PATH}.{name}"]], [value])
    fmu.enterInitializationMode()
    fmu.setReal([reference[actuated]], [command(0.0)])
    fmu.exitInitializationMode()


@pytest.mark.parametrize("flavour", ["native", "python"])
@pytest.mark.parametrize("lag", [0.05, 0.08])
def test_the_path_before_a_gimbal(flavour, lag):
    """To 1e-9 of the limit, also with a changed lag. The hub is heavy: the gimbal's rate is nearly the torque's integral over its inertia."""
    fmu, reference = opened(flavour)
    begun(fmu, reference, lag=lag)
    found = driven(fmu, reference)
    np.testing.assert_allclose(found[:, 0], expected(lag), rtol=0.0, atol=1e-10)
    assert np.ptp(found[:, 1]) > 0.2
    fmu.terminate()
    fmu.freeInstance()


@pytest.mark.parametrize("flavour", ["native", "python"])
@pytest.mark.parametrize("name", OTHERS)
def test_the_path_before_a_wheel_and_a_thruster(flavour, name):
    """As before a gimbal. A thruster passes the command's negative part to its own limits, which let nothing pull."""
    fmu, reference = opened(flavour)
    begun(fmu, reference, name)
    found = []
    for i in range(round(STOP / H)):
        fmu.setReal([reference[name]], [command(i * H)])
        fmu.setBoolean(
            [reference[f"{name}_actuator.{each}"] for each in FAILED], [failing(each, i * H) for each in FAILED]
        )
        fmu.doStep(i * H, H)
        found.append(fmu.getReal([reference[f"{name}_actuator.applied"], reference[OTHERS[name]]]))
    applied, moved = np.array(found).T
    np.testing.assert_allclose(applied, expected(), rtol=0.0, atol=1e-10)
    assert np.ptp(moved) > 1e-4
    fmu.terminate()
    fmu.freeInstance()


def test_a_saved_state_has_the_delay_line_and_the_failures():
    """Saved between two samples with commands on their way: the same bytes after it."""
    fmu, reference = opened("native")
    begun(fmu, reference)
    driven(fmu, reference, 0, 33)  # stuck
    saved = fmu.getFMUstate()
    first = driven(fmu, reference, 33)
    fmu.setFMUstate(saved)
    np.testing.assert_array_equal(driven(fmu, reference, 33), first)
    fmu.freeFMUstate(saved)
    np.testing.assert_allclose(first[:, 0], expected()[33:], rtol=0.0, atol=1e-10)
    fmu.terminate()
    fmu.freeInstance()


def test_fmi_3_gives_the_bits_of_fmi_2():
    fmu, reference = opened("native")
    begun(fmu, reference)
    old = driven(fmu, reference)
    fmu.terminate()
    fmu.freeInstance()
    unit = Unit3(system(), FMU3Slave)
    unit.fmu.enterInitializationMode(tolerance=1e-11, startTime=0.0)
    unit.set(INPUT, [command(0.0)])
    unit.fmu.exitInitializationMode()
    for i, row in enumerate(old):
        unit.set(INPUT, [command(i * H)])
        for name in FAILED:
            unit.fmu.setBoolean([unit.reference(f"{PATH}.{name}")], [failing(name, i * H)])
        unit.fmu.doStep(i * H, H)
        np.testing.assert_array_equal(unit.get(f"{PATH}.applied", "gyro.a.gimbal.rate"), row)
    unit.fmu.terminate()
    unit.fmu.freeInstance()


def test_model_exchange():
    """FMPy's CVode with a constant command of 0.075 N m: four steps of 0.02 from 0.2 s on, through the lag."""
    result = fmpy.simulate_fmu(
        str(file_of("native")), fmi_type="ModelExchange", stop_time=0.6, output_interval=0.05, relative_tolerance=1e-9,
        start_values={INPUT: 0.075}, output=[f"{PATH}.applied"], logger=lambda *_: None,
    )  # fmt: skip
    t = result["time"]
    step = np.where(t > 0.2, 0.08 * (1.0 - np.exp(-(t - 0.2) / 0.05)), 0.0)
    np.testing.assert_allclose(result[f"{PATH}.applied"], step, rtol=0.0, atol=1e-7)


def test_linear_models():
    """The lag is a pole at −1/τ that drives the gimbal by 1/J; a command that is sampled has no slope. The FMU's matrices are the equations'."""
    model, _ = linearized_fmu(file_of("native"), 0.0, {})
    own = ExactDerivatives(system()), [each.name if hasattr(each, "name") else each for each in model.states]
    lagged, rate = own[1].index(f"{PATH}.lagged"), own[1].index("gyro.a.gimbal.rate")
    assert model.A[lagged, lagged] == pytest.approx(-20.0, rel=1e-12)
    assert model.A[rate, lagged] == pytest.approx(1.0 / GIMBAL + 1.0 / (25.0 - GIMBAL), rel=0.01)
    inputs = [each.name if hasattr(each, "name") else each for each in model.inputs]
    assert not np.any(model.B[:, inputs.index(INPUT)])
    linear = api.linearize(system(), derivatives=own[0])
    assert linear.A.size
