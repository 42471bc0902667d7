"""`spacefmu simulate`, `info` and `report` take FMUs of FMI 3.0: results have the names and bits that FMI 2.0 gives."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.results import Result
from tests.catalogue_fmus import fmu_file
from tests.fmi3.units import fmu3_file

VALUES = {"deputy_place.position[1]": 7.0, "chief.mass": 2.0, "solver.tolerance": 1e-9}


@pytest.fixture(scope="module")
def runs():
    return [api.simulate(file("TetheredMasses"), 8.0, 0.5, VALUES) for file in (fmu_file, fmu3_file)]


def test_results_are_the_same(runs):
    """Arrays are shown by element. Their whole columns stood under fewer names, and reports of them crashed."""
    old, new = runs
    assert new.names == old.names
    assert np.array_equal(new.values, old.values)
    assert new.units == old.units
    assert new.origin["solver"] == old.origin["solver"]
    assert new.origin["events"] == old.origin["events"]
    assert len(new.origin["events"][""]["switched"]) >= 2


def test_reports_are_made_of_them(runs, tmp_path):
    assert api.report(runs[1], tmp_path / "run.html") == ()


def test_elements_of_arrays_are_set_and_kept():
    new = fmu3_file("TetheredMasses")
    (force,) = (v for v in api.info(new).variables if v.name == "chief.force")
    assert (force.shape, force.start) == ((3,), "0.0 0.0 0.0")
    kept = ["chief.position", "chief.velocity[2]"]
    for values in ({"chief.force[2]": 3.0}, {"chief.force": 3.0}):
        old, found = (api.simulate(file, 1.0, 0.5, values, record=kept) for file in (fmu_file("TetheredMasses"), new))
        assert found.names == (*(f"chief.position[{i}]" for i in (1, 2, 3)), "chief.velocity[2]")
        assert np.array_equal(found.values, old.values)
        assert found.values[-1, -1] != 0.0
        assert (found.values[-1, 0] != 0.0) == ("chief.force" in values)
    with pytest.raises(ValueError, match=r"chief\.force\[2\]|chief\.force"):
        api.simulate(new, 1.0, 0.5, {"chief.force[4]": 3.0})


def test_a_table_that_an_array_would_follow_is_refused():
    time = np.linspace(0.0, 1.0, 3)
    driven = Result(time, ("chief.force[2]",), time[:, None])
    with pytest.raises(ValueError, match=r"'chief\.force\[2\]' is part of an array of FMI 3\.0.*--fmi 2"):
        api.simulate(fmu3_file("TetheredMasses"), 1.0, 0.5, inputs=driven)
