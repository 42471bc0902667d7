"""FMUs that another tool made: `simulate` and `info` take them like ours. Here of PythonFMU, with a class of its own."""

import json
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from pythonfmu import FmuBuilder

from spacefmu.fmu_src.archive.binaries import check_platform
from spacefmu.fmu_src.archive.description import convert
from spacefmu.fmu_src.results import read_table
from tests.cli.command import spacefmu

CLASS = """
from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Real

class Foreign(Fmi2Slave):
    def __init__(self, **keys):
        super().__init__(**keys)
        self.u, self.gain, self.y, self.high = 0.0, 2.0, 0.0, False
        self.register_variable(Real("u", causality=Fmi2Causality.input))
        self.register_variable(Real("gain", causality=Fmi2Causality.parameter, variability="tunable"))
        self.register_variable(Real("y", causality=Fmi2Causality.output))
        self.register_variable(Boolean("high", causality=Fmi2Causality.output))

    def do_step(self, time, step):
        self.y += step * self.gain * self.u
        self.high = self.y > 1.0
        return True
"""


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign")
    (folder / "foreign.py").write_text(CLASS)
    return FmuBuilder.build_FMU(str(folder / "foreign.py"), dest=str(folder))


def test_a_foreign_fmu_runs(foreign, tmp_path):
    """y' = gain u with u = 1: y is 3 t, by Euler steps as well."""
    (tmp_path / "input.csv").write_text("time,u\n0,1\n1,1\n")
    run = "--stop", "1", "--step", "0.1", "--input", "input.csv", "--set", "gain=3", "-o", "run.csv"
    done = spacefmu("simulate", str(foreign), *run, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "run.csv\n"), done.stderr
    table = read_table(tmp_path / "run.csv")
    assert table.names == ("y", "high", "u")  # with the inputs that were given
    assert np.abs(table["y"] - 3.0 * table.time).max() < 1e-14  # measured 4e-16
    assert np.array_equal(table["high"], table["y"] > 1.0)


def test_a_foreign_fmu_is_described(foreign, tmp_path):
    done = spacefmu("info", str(foreign), "--json", folder=tmp_path)
    facts = json.loads(done.stdout)
    assert facts["name"] == "Foreign"
    assert facts["kinds"] == ["co-simulation"]
    assert {row["name"]: row["causality"] for row in facts["variables"]}["gain"] == "parameter"


@pytest.mark.parametrize(
    "kind, text, value",
    [("Int32", "7", 7), ("UInt8", "7", 7), ("Float64", "0.5", 0.5), ("Boolean", "true", True), ("Integer", "7", 7)],
)
def test_types_of_both_versions_of_fmi(kind, text, value):
    converted = convert(SimpleNamespace(name="x", type=kind, declaredType=None), text)
    assert (converted, type(converted)) == (value, type(value))


def test_half_an_integer_is_refused():
    with pytest.raises(ValueError, match=r"x is '0.5', expected a whole number"):
        convert(SimpleNamespace(name="x", type="UInt16", declaredType=None), "0.5")


@pytest.mark.parametrize("folder", ["linux64", "x86_64-linux"])  # of FMI 2.0, of FMI 3.0
def test_platforms_of_both_versions_of_fmi(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("fmpy.platform", "linux64")
    monkeypatch.setattr("fmpy.platform_tuple", "x86_64-linux")
    with zipfile.ZipFile(tmp_path / "a.fmu", "w") as archive:
        archive.writestr(f"binaries/{folder}/a.so", "")
    check_platform(tmp_path / "a.fmu")
    monkeypatch.setattr("fmpy.platform", "win64")
    monkeypatch.setattr("fmpy.platform_tuple", "x86_64-windows")
    with pytest.raises(ValueError, match=f"no library for this platform, win64; it has {folder}"):
        check_platform(tmp_path / "a.fmu")
