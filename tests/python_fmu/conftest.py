"""Python FMUs, built once."""

from __future__ import annotations

import functools
from pathlib import Path

import fmpy
import pytest

from fmu_src.build import build_block, build_python
from tests.catalogue_fmus import system_of
from tests.python_fmu.units import Unit


@pytest.fixture(scope="session")
def python_fmu(tmp_path_factory):
    """python_fmu(name): the Python FMU of a catalogue entry."""
    folder = tmp_path_factory.mktemp("python")
    return functools.cache(lambda name: build_python(system_of(name), folder / f"{name}.fmu"))


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
def unit(python_fmu, tmp_path_factory):
    """unit(folder or name): a fresh instance, freed after the test."""
    units: list[Unit] = []
    unpacked = functools.cache(
        lambda name: Path(fmpy.extract(str(python_fmu(name)), str(tmp_path_factory.mktemp(name))))
    )

    def create(what: Path | str, **more) -> Unit:
        units.append(Unit(what if isinstance(what, Path) else unpacked(what), **more))
        return units[-1]

    yield create
    for each in units:
        each.fmu.freeInstance()
