"""The smoke test that every FMU carries (FMI-LS-REF): from SciPy, not from the FMU; kept by all flavours and versions."""

from __future__ import annotations

import csv
import io
import shutil
import tomllib
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from lxml import etree

from spacefmu.fmu_src import api
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.check.check import check
from spacefmu.fmu_src.interface.references import EXPERIMENT, FOLDER, MANIFEST, RESULT, smoke_test
from spacefmu.fmu_src.native.trace.fast import fast
from tests.catalogue_fmus import fmu_file, matrix, system_of
from tests.fmi3.units import fmu3_file

SCHEMA = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3LayeredStandardManifest.xsd"


def carried(fmu) -> dict[str, bytes]:
    with zipfile.ZipFile(fmu) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name.startswith(FOLDER)}


def result_of(files) -> tuple[list[str], np.ndarray]:
    head, *rows = csv.reader(io.StringIO(files[FOLDER + RESULT].decode()))
    return head, np.array(rows, float)


@pytest.mark.parametrize("name", matrix())
def test_both_versions_carry_it_and_keep_it(name):
    files = carried(fmu_file(name))
    assert set(files) == {MANIFEST, FOLDER + EXPERIMENT, FOLDER + RESULT}
    assert carried(fmu3_file(name)) == files
    with zipfile.ZipFile(fmu_file(name)) as archive:
        assert sum(archive.getinfo(each).compress_size for each in files) < 12_000
    head, reference = result_of(files)
    test = tomllib.loads(files[FOLDER + EXPERIMENT].decode())
    assert np.allclose(reference[:, 0], np.linspace(0.0, test["stop"], len(reference)))
    for file in (fmu_file, fmu3_file):
        found = api.simulate(file(name), test["stop"], test["step"], test["start"], record=head[1:])
        errors = np.abs(found.values - reference[:, 1:]) / np.maximum(1.0, np.abs(reference[:, 1:]).max(axis=0))
        assert errors.max() <= test["bound"]
        assert test["bound"] <= 1e-5


def test_it_moves_what_it_can():
    head, reference = result_of(carried(fmu_file("HingedPanel")))
    assert np.count_nonzero(np.ptp(reference[:, 1:], axis=0)) > 0.9 * (len(head) - 1)


def test_the_python_flavour_carries_the_same():
    assert carried(fmu_file("HingedPanel", "python")) == carried(fmu_file("HingedPanel"))


def test_the_manifest_is_one_of_the_layered_standard():
    root = etree.fromstring(carried(fmu_file("FourBar"))[MANIFEST])
    stated = {etree.QName(key).localname for key in root.attrib}
    schema = etree.parse(SCHEMA)
    known = {each.get("name") for each in schema.iterfind("{http://www.w3.org/2001/XMLSchema}attribute")}
    assert stated == {"fmi-ls-name", "fmi-ls-version", "fmi-ls-description"} == known
    roles = {each.get("source"): each.get("role") for each in root}
    assert roles == {EXPERIMENT: "experiment/smoke-test", RESULT: "result"}


@pytest.mark.parametrize("file", [fmu_file, fmu3_file])
def test_check_runs_it(file, tmp_path):
    """A reference that is off by a thousandth is found; one that is not there, and one of another tool, are told."""

    def changed(member, content):
        path = shutil.copy(file("TetheredMasses"), tmp_path / "Other.fmu")
        files = {}
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        files[member] = content(files[member])
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                if data is not None:
                    archive.writestr(name, data)
        return check(path, ["smoke-test", "references-manifest"])

    head, reference = result_of(carried(file("TetheredMasses")))
    reference[-1, head.index("chief.position[1]")] += 1e-3
    lines = [",".join(f'"{name}"' for name in head), *(",".join(map(repr, row.tolist())) for row in reference)]
    (finding,) = changed(FOLDER + RESULT, lambda data: "\n".join(lines).encode()).findings
    assert finding.rule.id == "smoke-test"
    assert finding.text.startswith("chief.position[1] is ")
    (finding,) = changed(FOLDER + RESULT, lambda data: None).findings
    assert (finding.rule.id, finding.text) == ("references-manifest", "'smoke_test.csv' is not in the FMU")
    report = changed(FOLDER + EXPERIMENT, lambda data: None)
    assert "'smoke_test.toml' (experiment/smoke-test, application/toml)" in report.skipped["smoke-test"]
    assert check(file("TetheredMasses"), ["smoke-test", "references-manifest"]).findings == []


def test_functions_give_what_equations_give():
    """fast() of a closed loop with events: rates, outputs, indicators, projections and jumps, to round-off."""
    from spacefmu.dynamics.system.reference import integrate

    for name in ("DeployableFourBar", "TetheredMasses"):
        system = system_of(name)
        times = np.linspace(0.0, 0.4, 3)
        one, other = (integrate(each, times, rtol=1e-9, atol=1e-9) for each in (system, fast(system)))
        assert np.allclose(one.x, other.x, rtol=1e-11, atol=1e-11)
        assert np.allclose(one.y, other.y, rtol=1e-10, atol=1e-10)
        assert np.allclose(one.events, other.events, rtol=0.0, atol=1e-10)


def test_a_model_that_can_not_start_carries_none(tmp_path):
    from dataclasses import replace

    system = system_of("FourBar")
    quick = fast(system)

    def rates(*arguments):
        raise RuntimeError("no start")

    broken = replace(quick, motion=replace(quick.motion, finish=rates, parts=(rates, rates, rates)))
    assert smoke_test(system, broken) == {}
    assert build_native(system, tmp_path / "a.fmu", ["host"]).read_bytes() == fmu_file("FourBar").read_bytes()
