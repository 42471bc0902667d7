"""Our own FMUs under our own rules: native with no finding, Python with the limits of pythonfmu's wrapper and nothing else."""

from pathlib import Path

import pytest

from spacefmu.dynamics.description import load, load_text
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.check.check import check
from spacefmu.fmu_src.check.rules import static_rules
from spacefmu.fmu_src.python.limits import LIMITS
from tests.catalogue_fmus import ENTRIES, fmu_file, matrix
from tests.fmi3.units import fmu3_file

EXAMPLES = Path(__file__).parents[2] / "examples"
WRAPPER = {rule for limit in LIMITS for rule in limit.rules}


@pytest.mark.parametrize("name", matrix())
def test_native(name):
    report = check(fmu_file(name))
    assert [(finding.rule.id, finding.text) for finding in report.findings] == []
    assert report.defects == []


@pytest.mark.parametrize("name", matrix())
def test_native_fmi3(name):
    report = check(fmu3_file(name))
    assert [(finding.rule.id, finding.text) for finding in report.findings] == []
    assert report.defects == []
    assert report.version == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_python(name):
    report = check(fmu_file(name, "python"))
    others = [(f.rule.id, f.text) for f in report.findings if f.rule.id not in WRAPPER]
    assert others == []
    assert report.defects == []


def test_python_without_running():
    """Archive, description, structure and libraries of one entry with events, discrete states and arrays of joints."""
    report = check(fmu_file("SpaceStation", "python"), static_rules())
    assert {f.rule.id for f in report.findings} <= WRAPPER
    assert report.defects == []


def test_a_prescribed_motion_whose_derivatives_are_round_off(tmp_path):
    """An acceleration that a table gives depends on no state: 1e-16 along single states and along all of them are not two derivatives."""
    path = build_native(load(EXAMPLES / "laws.toml"), tmp_path / "Laws.fmu", ["host"])
    assert check(path, ["directional-seeds"]).findings == []


ROD_AND_GIMBAL = """
name = "RodAndGimbal"
[bodies.hub]
mass = 20.0
inertia = [2.0, 2.5, 3.0]
[gyros.turner]
body = "hub"
gimbal_axis = "y"
spin_axis = "x"
gimbal_inertia = [0.003, 0.003, 0.002]
spin_inertia = 0.008
speed = 100.0
drive = "rate"
servo_frequency = 4.0
[bodies.buoy]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
initial = { position = [0.0, 3.0, 0.0] }
[couplings.rod]
kind = "distance"
a = "hub"
b = "buoy"
length = 3.0
"""


def test_rates_are_those_of_the_states_that_were_set_beside_a_light_gimbal(tmp_path):
    """A gimbal's row is of another size than the rod's, which is not a change point: rates were those of a projected state there."""
    path = build_native(load_text(ROD_AND_GIMBAL), tmp_path / "Rod.fmu", ["host"])
    report = check(path, ["states-agree", "reset"])
    assert [(finding.rule.id, finding.text) for finding in report.findings] == []
