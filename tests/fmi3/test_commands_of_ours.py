"""`spacefmu simulate`, `info`, `view` and `report` take FMUs of FMI 3.0: results have the names and bits that FMI 2.0 gives."""

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


def test_views_are_the_same(runs):
    """Bodies and cables, in glTF."""
    old, new = (api.look(run).glb() for run in runs)
    assert new == old
    assert len(new) > 10_000


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


def driven_by(*names) -> Result:
    """Inputs that bend at every row, and jump at 0.5 s."""
    time = np.array([0.0, 0.2, 0.5, 0.5, 1.0])
    values = np.random.default_rng(3).normal(size=(len(time), len(names)))
    return Result(time, names, values)


@pytest.mark.parametrize("way", ["loop", "fmpy"])
def test_tables_drive_elements_of_arrays(way, monkeypatch):
    """An array and scalars, some elements without a column: these keep their start values, as in FMI 2.0."""
    if way == "fmpy":
        monkeypatch.setattr("spacefmu.fmu_src.cosim.single.serves", lambda description: False)
    model = "HingedPanel"
    table = driven_by("hub.torque[2]", "sadm.torque", "hub.force[1]", "hub.force[3]")
    start = {"hub.torque[3]": 0.02, "hub.force[2]": 0.01}
    old, new = (api.simulate(file(model), 1.0, 0.1, start, inputs=table) for file in (fmu_file, fmu3_file))
    assert new.names == old.names
    assert np.array_equal(new.values, old.values)
    still = api.simulate(fmu3_file(model), 1.0, 0.1, start)
    assert np.abs(new["hub.angular_velocity[2]"] - still["hub.angular_velocity[2]"]).max() > 1e-6


def test_discrete_arrays_follow_tables_too():
    """A jump of one element is an event for all that follow the table."""
    time = np.array([0.0, 0.25, 0.6, 1.0])
    table = Result(time, ("quaternion[1]", "angular_velocity[3]"), np.array([[1, 0.9, 0.8, 0.7], [0, 0.1, 0.1, 0.2]]).T)
    old, new = (api.simulate(file("AttitudeController"), 1.0, 0.1, inputs=table) for file in (fmu_file, fmu3_file))
    assert np.array_equal(new.time, old.time)
    assert np.array_equal(new.values, old.values)
    assert np.ptp(new["torque[3]"]) > 0.0


def test_columns_that_name_a_whole_array_are_refused():
    with pytest.raises(
        ValueError, match=r"'chief\.force' names an array: give each element a column, chief\.force\[1\]"
    ):
        api.simulate(fmu3_file("TetheredMasses"), 1.0, 0.5, inputs=driven_by("chief.force"))
    with pytest.raises(ValueError, match=r"chief\.force\[4\]"):
        api.simulate(fmu3_file("TetheredMasses"), 1.0, 0.5, inputs=driven_by("chief.force[4]"))
