"""Python FMUs, built once."""

from __future__ import annotations

import functools
from pathlib import Path

import fmpy
import pytest

from fmu_src.build import build_block
from tests.catalogue_fmus import fmu_file, fmu_of
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
