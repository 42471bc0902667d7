"""Our own FMUs under our own rules: native with no finding, Python with the limits of pythonfmu's wrapper and nothing else."""

import pytest

from spacefmu.fmu_src.check.check import check
from spacefmu.fmu_src.check.rules import static_rules
from spacefmu.fmu_src.python.limits import LIMITS
from tests.catalogue_fmus import ENTRIES, fmu_file

QUICK = ("AttitudeController", "FourBar")  # other tests have built them, too
WRAPPER = {rule for limit in LIMITS for rule in limit.rules}


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in ENTRIES])
def test_native(name):
    report = check(fmu_file(name))
    assert [(finding.rule.id, finding.text) for finding in report.findings] == []
    assert report.defects == []


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
