"""Sweeps of FMI 3.0 FMUs name elements of arrays, with the start values that FMI 2.0 has."""

from __future__ import annotations

from spacefmu.fmu_src import api
from spacefmu.fmu_src.studies.model import Model
from tests.catalogue_fmus import fmu_file
from tests.fmi3.units import fmu3_file


def test_a_plan_may_name_what_it_may_of_fmi_2():
    old, new = (Model({"": file("TetheredPair")}).variables() for file in (fmu_file, fmu3_file))
    shown = [name for name in old if not name.startswith("der(")]
    assert "first.velocity[2]" in shown
    for name in shown:
        assert (new[name].start, new[name].unit) == (old[name].start, old[name].unit), name
        assert new[name].cannot_be_set("x") == old[name].cannot_be_set("x"), name


PLAN = """
kind = "sweep"
name = "Spread"
model = "{model}"
method = "grid"
stop = 0.4
step = 0.2

[parameters]
"hub.angular_velocity[2]" = [0.0, 0.01]

[metrics]
turned = {{ of = "hub.quaternion[3]", kind = "max" }}
"""


def test_results_are_those_of_fmi_2(tmp_path):
    tables = []
    for file in (fmu_file, fmu3_file):
        plan = tmp_path / f"{file.__name__}.toml"
        plan.write_text(PLAN.format(model=file("HingedPanel")))
        tables.append(api.sweep(plan, tmp_path / file.__name__, workers=1).table.to_pylist())
    old, new = tables
    assert new == old
    assert old[1]["turned"] > old[0]["turned"]
