"""The catalogue's GyroSatellite as an FMU: a changed parameter, and loose tolerances, against the equations integrated tightly."""

import numpy as np
import pytest

from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast
from tests.catalogue_fmus import fmu_file, system_of

STOP = 5.0
COMMANDS = {f"gyro.{name}.gimbal.rate_command": rate for name, rate in zip(("one", "two", "three", "four"), (0.3, -0.2, 0.25, 0.1), strict=True)}  # fmt: skip
CHANGED = {"gyro.one.rotor.spin_inertia": 0.07, "gyro.two.gimbal.servo_frequency": 3.0}
SHOWN = [f"hub.angular_velocity[{i}]" for i in (1, 2, 3)]


@pytest.fixture(scope="module")
def expected():
    """Angular velocity after 5 s with the changed parameters."""
    system = system_of("GyroSatellite")
    u, p = (np.array(system.signals.starts(group)) for group in ("inputs", "parameters"))
    for group, values, given in (("inputs", u, COMMANDS), ("parameters", p, CHANGED)):
        for name, value in given.items():
            values[system.signals.where(group, name)] = value
    run = integrate(fast(system), [0.0, STOP], u=u, p=p, rtol=1e-11, atol=1e-11)
    return run.x[-1, system.signals.where("states", "hub.angular_velocity")]


@pytest.mark.parametrize(("tolerance", "bound"), [(1e-9, 1e-8), (1e-4, 1e-3)])
def test_changed_parameters_at_tight_and_loose_tolerance(expected, tolerance, bound):
    """Within ten tolerances of the angular velocity's size of about 1 rad/s."""
    values = COMMANDS | CHANGED | {"solver.tolerance": tolerance}
    run = api.simulate(fmu_file("GyroSatellite"), STOP, start_values=values, record=SHOWN)
    found = run.values[-1, [run.places[name] for name in SHOWN]]
    plain = api.simulate(fmu_file("GyroSatellite"), STOP, start_values=COMMANDS, record=SHOWN)
    assert np.abs(found - expected).max() < bound
    assert np.abs(plain.values[-1, [plain.places[name] for name in SHOWN]] - expected).max() > 3.0 * bound
