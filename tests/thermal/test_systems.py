"""ThermalSnap and ThermalFlutter, as the catalogue has them."""

import numpy as np
import pytest

from spacefmu.fmu_src import catalogue, cosim
from tests.catalogue_fmus import fmu_file


def run(name, stop, record, start=None):
    system = cosim.read_system(catalogue.SYSTEMS / f"{name}.toml").model_copy(update={"stop": stop})
    fmus = {unit: fmu_file(given.model) for unit, given in system.units.items()}
    return cosim.cosimulate(system, fmus, starts=start, record=record)


@pytest.fixture(scope="module")
def snaps():
    record = [
        "plant.hub.euler_123[1]",
        "plant.wing.tip.displacement[2]",
        "plant.wing.section.sunlit[1]",
        "heat.temperature_difference_z",
    ]
    gains = {"controller": {"stiffness": 0.0, "damping": 0.0}}
    return run("ThermalSnap", 400.0, record), run("ThermalSnap", 400.0, record, gains)


def test_the_wing_snaps_as_the_sun_rises(snaps):
    """Nothing before the penumbra, which takes 2σr/v sin ρ = 8 s here; then the wing bends by κL²/2, κ = αΔT/h, and rings about it."""
    held, free = snaps
    lit = held["plant.wing.section.sunlit[1]"]
    dawn, day = held.time[np.flatnonzero(lit > 0.0)[0]], held.time[np.flatnonzero(lit == 1.0)[0]]
    assert 50.0 < dawn < day < 70.0
    assert day - dawn == pytest.approx(
        2.0 * 0.00465 / 1.1068e-3, abs=0.3
    )  # apparent size of the Sun by the orbital rate
    before = held.time < dawn
    for run in snaps:
        assert np.abs(run["plant.wing.tip.displacement[2]"][before]).max() < 1e-3
        steady = run["heat.temperature_difference_z[1]"][-1] * 2.3e-5 / 0.02 * 6.0**2 / 2.0
        late = run["plant.wing.tip.displacement[2]"][run.time > 300.0]
        assert late.mean() == pytest.approx(-steady, rel=0.02)
    assert np.ptp(free["plant.wing.tip.displacement[2]"][free.time > 300.0]) > 0.02


def test_the_controller_brings_the_bus_back(snaps):
    held, free = (run["plant.hub.euler_123[1]"] for run in snaps)
    assert np.abs(held).max() > 2e-3  # the snap is quicker than the controller
    assert np.abs(held[-500:]).max() < 2e-5
    assert np.abs(free[-500:]).min() > 4e-3  # the bus stays turned against the bent wing


def test_flutter_grows_unless_it_is_damped():
    record = ["plant.boom.tip.displacement[2]"]
    growing = run("ThermalFlutter", 500.0, record)
    damped = run("ThermalFlutter", 500.0, record, {"plant": {"boom.mode[1].damping": 0.005}})

    def swing(result, begin):
        window = (result.time >= begin) & (result.time < begin + 40.0)
        return np.ptp(result["plant.boom.tip.displacement[2]"][window])

    assert swing(growing, 460.0) > 1.15 * swing(growing, 260.0)
    assert swing(damped, 460.0) < 0.85 * swing(damped, 260.0)
