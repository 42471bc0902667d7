"""Python FMUs, built once."""

from __future__ import annotations

import functools
from pathlib import Path

import fmpy
import pytest

from spacefmu.fmu_src.build import build_block, build_python
from spacefmu.fmu_src.python import contents
from tests.catalogue_fmus import fmu_file, fmu_of, system_of
from tests.python_fmu.units import Unit


@pytest.fixture(scope="session")
def python_fmu():
    """python_fmu(name): the Python FMU of a catalogue entry."""
    return lambda name: fmu_file(name, "python")


@pytest.fixture(scope="session")
def own_fmu(tmp_path_factory):
    """own_fmu(text): the unpacked FMU of a block's module."""

    @functools.cache
    def build(text: str) -> Path:
        folder = tmp_path_factory.mktemp("own")
        (folder / "block.py").write_text(text, "utf-8")
        return Path(fmpy.extract(str(build_block(folder / "block.py", folder / "Own.fmu")), str(folder / "unpacked")))

    return build


@pytest.fixture(scope="session")
def two_versions(tmp_path_factory):
    """Two FMUs of AttitudeController with copies of `dynamics` that differ in one line: the second is twice as stiff."""
    carried, law = contents._carried_code(), "dynamics/blocks/attitude_controller.py"
    assert carried[law].count("-now.stiffness") == 1
    changed = carried | {law: carried[law].replace("-now.stiffness", "-2.0 * now.stiffness")}
    folder, fmus = tmp_path_factory.mktemp("versions"), []
    for i, code in enumerate((carried, changed)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(contents, "_carried_code", lambda code=code: code)
            fmus.append(build_python(system_of("AttitudeController"), folder / f"{i}.fmu"))
    return fmus


@pytest.fixture
def unit():
    """unit(folder or name): a fresh instance, freed after the test."""
    units: list[Unit] = []

    def create(what: Path | str, **more) -> Unit:
        units.append(Unit(what if isinstance(what, Path) else fmu_of(what, "python"), **more))
        return units[-1]

    yield create
    for each in units:
        each.fmu.freeInstance()
