"""Catalogue entries as Systems and as FMUs for the host. Each FMU is built once a test session, by whichever worker needs it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import fmpy
import pytest
from fmpy.fmi2 import FMU2Model, FMU2Slave

from spacefmu.fmu_src import api, catalogue
from tests.session import once, session_folder

ENTRIES = [entry.name for entry in catalogue.entries() if entry.kind != "system"]
# Of each matrix of entries `make test` keeps these: a loop with events, cables that catch, samples. The others are for `make test-ci`,
# and for `make test-all` alone if they take long.
QUICK = ("FourBar", "TetheredPair", "AttitudeController")
LONG = ("DeployableWing",)


def matrix(entries=ENTRIES, quick=QUICK, later: str = "ci") -> list:
    """Parameters of a test that takes every entry: those beside the quick ones are marked."""
    marks = {name: later for name in entries if name not in quick}
    return [pytest.param(name, marks=getattr(pytest.mark, marks[name])) if name in marks else name for name in entries]


# For tests that run every entry.
RUNS = [
    *matrix([name for name in ENTRIES if name not in LONG]),
    *(pytest.param(name, marks=pytest.mark.slow) for name in LONG),
]


@cache
def system_of(name: str):
    return api.load(name)


def fmu_file(name: str, flavour: str = "native") -> Path:
    """The .fmu file of a catalogue entry, native or python. Not to be written to: others use it."""
    return once(
        session_folder() / flavour / f"{name}.fmu", lambda path: api.build(system_of(name), path, flavour=flavour)
    )


def fmu_of(name: str, flavour: str = "native") -> Path:
    """Folder with the same FMU unpacked."""
    file = fmu_file(name, flavour)
    return once(file.with_suffix(""), lambda path: fmpy.extract(str(file), str(path)))


def unpack(build, system) -> Path:
    """Folder with the unpacked host FMU that `build` makes of a System, a new one at each call."""
    folder = Path(tempfile.mkdtemp(dir=session_folder()))
    path = build(system, folder / f"{system.name}.fmu", ["host"])
    return Path(fmpy.extract(str(path), unzipdir=str(folder / "unpacked")))


def open_unpacked(folder: Path, kind: type[FMU2Model] | type[FMU2Slave], **logging):
    """(instance, references by name) of a fresh instance; the caller terminates and frees it. logging: FMPy's callbacks and loggingOn."""
    description = fmpy.read_model_description(str(folder))
    element = description.modelExchange if kind is FMU2Model else description.coSimulation
    fmu = kind(
        guid=description.guid,
        unzipDirectory=str(folder),
        modelIdentifier=element.modelIdentifier,
        instanceName=description.modelName,
    )
    fmu.instantiate(**logging)
    return fmu, {v.name: v.valueReference for v in description.modelVariables}


def open_fmu(name: str, kind: type[FMU2Model] | type[FMU2Slave]):
    """The same for a catalogue entry."""
    return open_unpacked(fmu_of(name), kind)


def close_fmu(fmu) -> None:
    fmu.terminate()
    fmu.freeInstance()
