"""Catalogue entries as Systems and as native FMUs of the host, built once a test process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Model, FMU2Slave

from dynamics.description import load
from fmu_src.build import build_native

CATALOGUE = Path(__file__).parent.parent / "fmu_src" / "catalogue"


@cache
def system_of(name: str):
    return load(CATALOGUE / f"{name}.toml")


def unpack(build, system) -> Path:
    """Folder with the unpacked host FMU that `build` makes of a System; goes with the process' temporary files."""
    folder = Path(tempfile.mkdtemp(prefix="spacefmu-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = build(system, folder / f"{system.name}.fmu", ["host"])
    return Path(fmpy.extract(str(path), unzipdir=str(folder / "unpacked")))


@cache
def fmu_of(name: str) -> Path:
    """Folder with the unpacked native FMU of a catalogue entry."""
    return unpack(build_native, system_of(name))


def open_unpacked(folder: Path, kind: type[FMU2Model] | type[FMU2Slave]):
    """(instance, references by name) of a fresh instance; the caller terminates and frees it."""
    description = fmpy.read_model_description(str(folder))
    element = description.modelExchange if kind is FMU2Model else description.coSimulation
    fmu = kind(
        guid=description.guid,
        unzipDirectory=str(folder),
        modelIdentifier=element.modelIdentifier,
        instanceName=description.modelName,
    )
    fmu.instantiate()
    return fmu, {v.name: v.valueReference for v in description.modelVariables}


def open_fmu(name: str, kind: type[FMU2Model] | type[FMU2Slave]):
    """The same for a catalogue entry."""
    return open_unpacked(fmu_of(name), kind)


def close_fmu(fmu) -> None:
    fmu.terminate()
    fmu.freeInstance()
