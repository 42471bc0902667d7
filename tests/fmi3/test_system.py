"""Systems of FMUs: units of FMI 3.0 exchange elements of arrays as units of FMI 2.0 do, bit for bit, also mixed."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.fmu_src.cosim.master import Master
from spacefmu.fmu_src.cosim.system import checked
from tests.catalogue_fmus import fmu_file
from tests.fmi3.units import fmu3_file

UNITS = {"plant": "HingedPanel", "controller": "AttitudeController"}


def slew(algorithm: str):
    """Whole arrays, and elements one by one: of hub.torque the third follows nothing and keeps its start."""
    return checked(
        {
            "kind": "system",
            "name": "Slew",
            "step": 0.1,
            "stop": 2.0,
            "algorithm": algorithm,
            "units": {
                "plant": {"model": "plant.fmu", "start": {"hub.torque[3]": 0.01, "hub.angular_velocity[1]": 0.02}},
                "controller": {"model": "controller.fmu"},
            },
            "connections": {
                "controller.quaternion": "plant.hub.quaternion",
                "controller.angular_velocity": "plant.hub.angular_velocity",
                "plant.hub.torque[1]": "controller.torque[1]",
                "plant.hub.torque[2]": {"from": "controller.torque[2]", "factor": 0.5},
            },
        },
        "slew.toml",
    )


@pytest.mark.parametrize("algorithm", ["gauss_seidel", "jacobi"])
def test_equal_bit_for_bit(algorithm):
    def run(**files):
        with Master(slew(algorithm), {unit: files[unit](name) for unit, name in UNITS.items()}) as master:
            first = master.run()
            again = master.run()  # after a reset
        np.testing.assert_array_equal(again.values, first.values)
        return first

    old = run(plant=fmu_file, controller=fmu_file)
    assert np.ptp(old["controller.torque[1]"]) > 1e-6
    for new in (run(plant=fmu3_file, controller=fmu3_file), run(plant=fmu3_file, controller=fmu_file)):
        assert set(new.names) == set(old.names)
        for name in old.names:
            np.testing.assert_array_equal(new[name], old[name], err_msg=name)
        assert new.units == old.units
