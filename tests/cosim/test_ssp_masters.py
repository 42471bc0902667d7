"""AttitudeSlew as an SSP file in masters that we did not write: start values, factors and connections as we meant them."""

import sys

import numpy as np
import pytest

from fmu_src import api, catalogue, cosim
from fmu_src.cosim.ssp import write_ssp
from tests.catalogue_fmus import fmu_file
from tests.cosim.ssp_masters import MASTERS, values_by

STEPS = 300  # 30 s: the slew begins at 10 s
NAMES = [f"plant.hub.{name}[{i}]" for name in ("quaternion", "angular_velocity") for i in (1, 2, 3)]
NAMES += ["plant.panel.mode[1].amplitude", "plant.wheel.x.speed"]

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="libcosimpy and ecospy have no wheels for macOS")


@pytest.mark.parametrize("master", MASTERS)
def test_attitude_slew(master, tmp_path):
    """Both exchange all values after all steps: our Jacobi exchange, so the plant's motion is the same."""
    system = cosim.read_system(catalogue.find("AttitudeSlew"))
    fmus = {unit: fmu_file(table.model) for unit, table in system.units.items()}
    path = write_ssp(tmp_path / "slew.ssp", system, fmus)
    rows = np.array(values_by(master, path, system.step, STEPS, system.name, NAMES))
    jacobi = system.model_copy(update={"algorithm": "jacobi", "stop": STEPS * system.step})
    ours = cosim.cosimulate(jacobi, fmus, record=NAMES)
    for name, theirs in zip(NAMES, rows.T, strict=True):
        scale = np.abs(ours[name]).max()
        assert np.abs(ours[name][1:] - theirs).max() <= 1e-9 * max(scale, 1e-6)  # measured below 1e-12 of it
    assert np.abs(ours["plant.hub.angular_velocity[1]"]).max() > 1e-3  # it does turn
    # within the coupling error of our own default, which is a step fresher
    fresh = api.cosimulate(path, stop=STEPS * system.step, record=NAMES)
    assert np.abs(fresh["plant.hub.quaternion[2]"][1:] - rows[:, 1]).max() < 1e-3
