"""A thermal FMU that is not ours: plain pythonfmu, a dozen lines, against our plant by the variables that docs/thermal.md names."""

import re
from pathlib import Path

import numpy as np
import pytest
from pythonfmu import FmuBuilder

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api, cosim
from tests.session import once, session_folder
from tests.thermal.stability import PLANT

PAGE = Path("docs/thermal.md").read_text("utf-8")
SOURCE = re.search(r'```python title="foreign_heat.py"\n(.*?)```', PAGE, re.S)[1]

SYSTEM = """
kind = "system"
name = "Foreign"
step = 0.05
stop = 20.0
[units.heat]
model = "{heat}"
[units.plant]
model = "{plant}"
[units.plant.start]
"boom.mode[1].damping" = 0.5
[connections]
"heat.flux" = "plant.boom.section.solar_flux_z[1,1]"
"plant.boom.temperature_difference_z[1]" = "heat.difference"
"""


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign_heat")
    (folder / "foreign_heat.py").write_text(SOURCE)
    plant = load_text(PLANT)
    return {
        "heat": Path(FmuBuilder.build_FMU(str(folder / "foreign_heat.py"), dest=str(folder))),
        "plant": once(session_folder() / "OneMode.fmu", lambda path: api.build(plant, path)),
    }


def test_a_foreign_thermal_model_bends_our_plant(fmus, tmp_path):
    """It settles where flux, difference and slope agree: ΔT = 0.02 K m²/W · flux, flux that of the deformed boom."""
    (tmp_path / "system.toml").write_text(SYSTEM.format(**fmus))
    result = cosim.cosimulate(cosim.read_system(tmp_path / "system.toml"), fmus)
    flux, difference = result["plant.boom.section.solar_flux_z[1,1]"], result["heat.difference"]
    assert difference[-1] == pytest.approx(0.02 * flux[-1], rel=1e-3)
    flat = 1361.0 * 0.4 / np.hypot(1.0, 0.4)
    assert flux[0] == pytest.approx(flat, rel=1e-9)
    assert 0.5 * flat < flux[-1] < 0.95 * flat  # bent out of the light
