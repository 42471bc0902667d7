"""Every reader of files, fed with spoiled ones: what comes of them is a result or one sentence (ValueError, OSError), never another fault.

Seeded. Finite-element formats that only a program can write have theirs in tests/modes/test_hostile.py.
"""

from __future__ import annotations

import random
import shutil
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.environment.air import read_density
from spacefmu.dynamics.environment.eop import read_eop
from spacefmu.dynamics.environment.ephemeris_file import places
from spacefmu.dynamics.environment.epoch import DATA
from spacefmu.dynamics.environment.gravity_file import read_gfc
from spacefmu.dynamics.environment.magnetic_file import read_cof
from spacefmu.fmu_src import api
from spacefmu.fmu_src.archive.description import read_description
from spacefmu.fmu_src.cosim.fmu import SimulationError
from spacefmu.fmu_src.linearize.files import read as read_linear
from spacefmu.fmu_src.linearize.files import write as write_linear
from spacefmu.fmu_src.results.reading import read_result, read_table
from spacefmu.fmu_src.results.table import Result
from spacefmu.fmu_src.scene.meshes import read_mesh
from spacefmu.fmu_src.studies.plan import read_plan
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT
from tests.environment.test_ephemeris_file import BEGIN, kernel
from tests.environment.test_orbit_files import OMM, TLE
from tests.environment.test_orbit_files import text as orbit_text

SPECIAL = (
    b"nan",
    b"inf",
    b"1e999",
    b"-1",
    b"0",
    b"99999999999999999999",
    b"\x00",
    b"\xff\xfe",
    "ü".encode(),
    b"[",
    b"]",
    b'"',
    b"\n",
    b"<",
    b"&",
    b"=",
    b"../x",
    b"{}",
    b"1e-320",
)
SHORT, LONG = 25, 1000


@dataclass(frozen=True)
class Reader:
    """What reads a file of a folder, the file that is spoiled there, and how a good folder is made."""

    spoiled: str
    make: Callable[[Path], object]
    read: Callable[[Path], object]
    share: float = 1.0  # of the rounds: less of a reader that starts a process per file


def example(name: str, file: str | None = None) -> Reader:
    """A description of examples/ that reads a file beside it; without one the description itself is spoiled."""
    return Reader(
        file or name,
        lambda folder: shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True),
        lambda path: api.load(path.with_name(name)),
    )


def table(ending: str) -> Reader:
    """Results with units, as `simulate` writes them."""

    def make(folder: Path):
        time = np.linspace(0.0, 1.0, 11)
        names = ("hub.rate", "hub.angle[1]")
        result = Result(time, names, np.column_stack([time**2, np.sin(time)]), dict.fromkeys(names, "rad"))
        return result.write(folder / f"run.{ending}")

    def read(path: Path):
        read_result(path)
        return read_table(path)

    return Reader(f"run.{ending}", make, read, 0.1 if ending == "mat" else 1.0)


def fmu_folder(folder: Path) -> Path:
    return shutil.copy(fmu_file("HingedPanel"), folder / "plant.fmu")


def xml_spoiled(path: Path):
    """An FMU whose model description is the spoiled file."""
    target = path.with_name("spoiled.fmu")
    with zipfile.ZipFile(path.with_name("plant.fmu")) as old, zipfile.ZipFile(target, "w") as new:
        for member in ("modelDescription.xml", "model.png"):
            new.writestr(member, path.read_bytes() if member.endswith("xml") else old.read(member))
    return read_description(target)


def fmu_with_xml(folder: Path):
    with zipfile.ZipFile(fmu_folder(folder)) as archive:
        (folder / "modelDescription.xml").write_bytes(archive.read("modelDescription.xml"))


def linear_file(folder: Path):
    write_linear(api.linearize("HingedPanel"), folder / "plant.npz")


def stl(folder: Path):
    corner = np.zeros((4, 12), np.float32)
    corner[:, 3:] = np.random.default_rng(1).normal(size=(4, 9))
    body = b"".join(row.tobytes() + b"\0\0" for row in corner)
    (folder / "part.stl").write_bytes(b"\0" * 80 + (4).to_bytes(4, "little") + body)


def written(name: str, text: str, read: Callable[[Path], object]) -> Reader:
    return Reader(name, lambda folder: (folder / name).write_text(text, "utf-8"), read)


def shipped(name: str, read: Callable[[Path], object]) -> Reader:
    """A file of numbers of the environment."""
    return written(name, (DATA / name).read_text("utf-8"), read)


OEM = """CCSDS_OEM_VERS = 2.0
META_START
OBJECT_NAME = ISS
CENTER_NAME = EARTH
REF_FRAME = EME2000
TIME_SYSTEM = UTC
META_STOP
2019-12-09T20:40:00.000 -6088.9 -936.1 -2866.4 -1.5 -5.5 5.1
2019-12-09T20:44:00.000 -6288.9 -2236.1 -1566.4 -0.2 -5.3 5.7
2019-12-09T20:48:00.000 -6188.9 -3436.1 -166.4 0.9 -4.8 5.9
"""


def orbit(name: str, text: str) -> Reader:
    """A description whose orbit comes from a file."""
    return written(name, text, lambda path: load_text(orbit_text(name), folder=path.parent))


def key_file(
    name: str, read: Callable[[Path], object] = lambda path: api.load(path.with_name("prescribed.toml"))
) -> Reader:
    """A file of examples/keys; without a reader that of the prescribed motion there."""
    return Reader(name, lambda folder: shutil.copytree(ROOT / "examples/keys", folder, dirs_exist_ok=True), read)


def moon(path: Path):
    """Over three hours at least, within both files."""
    return places(path, "earth", "moon", BEGIN + 1.0, BEGIN + 1.125)(BEGIN + 1.1)


FIELDS = [line.split(" = ") for line in OMM.splitlines()[1:]]
ELEMENTS = "".join(f"<{name}>{value}</{name}>" for name, value in FIELDS)
OMM_XML = (
    f"<omm><segment><metadata/><data><meanElements>{ELEMENTS}</meanElements><tleParameters/></data></segment></omm>"
)
READERS = {
    "TLE": orbit("iss.tle", TLE),
    "OMM": orbit("iss.omm", OMM),
    "OMM in XML": orbit("iss.xml", OMM_XML),
    "OEM": orbit("iss.oem", OEM),
    "OEM of a motion": key_file("flown.oem"),
    "AEM of a motion": key_file("flown.aem"),
    "OEM of the Moon": key_file("moon.oem", moon),
    "SPK kernel": Reader("x.bsp", lambda folder: (folder / "x.bsp").write_bytes(kernel()), moon),
    "turning of the Earth": key_file("finals2000A.txt", lambda path: read_eop(path, 60080.5, 86400.0)),
    "gravity field": shipped("EGM2008.gfc", read_gfc),
    "magnetic field": shipped("IGRF14.cof", lambda path: read_cof(path).at(0.0)),
    "densities of the air": written("air.csv", "height, density\n1e5, 5e-7\n2e5, 3e-10\n4e5, 3e-12\n", read_density),
    "TOML": example("sensors.toml"),
    "TOML of couplings": example("couplings_gear.toml"),
    "TOML of an environment": example("environment_perturbations.toml"),
    "Nastran": example("finite_element_nastran.toml", "boom.bdf"),
    "Nastran's matrices": example("finite_element_nastran.toml", "boom.op4"),
    "CalculiX": example("finite_element_calculix.toml", "panel_ccx.frd"),
    "modal integrals": example("modal_integrals.toml", "dish.json"),
    "nodal table": example("nodal_table.toml", "panel.csv"),
    "laws": example("laws.toml", "laws_push.csv"),
    "OBJ": Reader("lamp.obj", lambda folder: shutil.copy(ROOT / "examples/lamp.obj", folder), lambda path: read_mesh(path.name, path.read_bytes(), 1.0)),
    "STL": Reader("part.stl", stl, lambda path: read_mesh(path.name, path.read_bytes(), 1.0)),
    "CSV": table("csv"),
    "NPZ": table("npz"),
    "MAT": table("mat"),
    "FMU": Reader("plant.fmu", fmu_folder, read_description),
    "model description": Reader("modelDescription.xml", fmu_with_xml, xml_spoiled),
    "SSP": Reader("slew.ssp", lambda folder: shutil.copy(ssp_file(), folder / "slew.ssp"), api.read_coupled),
    "system": Reader("AttitudeSlew.toml", lambda folder: shutil.copytree(ROOT / "fmu_src/catalogue/systems", folder, dirs_exist_ok=True), api.read_coupled),
    "plan": Reader("plan.toml", lambda folder: shutil.copy(next((ROOT / "examples/sweeps").glob("*.toml")), folder / "plan.toml"), read_plan),
    "linear model": Reader("plant.npz", linear_file, read_linear),
}  # fmt: skip


def ssp_file() -> Path:
    from tests.session import once, session_folder

    return once(session_folder() / "slew.ssp", lambda path: api.pack("AttitudeSlew", path))


def spoiled(raw: bytes, dice: random.Random) -> bytes:
    """Cut off, a piece lost, said twice or moved, bytes changed, a special word put in, numbers made another: one to three of these."""
    for _ in range(dice.randrange(1, 4)):
        a, b = sorted((dice.randrange(len(raw) + 1), dice.randrange(len(raw) + 1)))
        way = dice.randrange(7)
        if way == 0:
            raw = raw[: max(a, len(raw) // 50)]
        elif way == 1:
            raw = raw[:a] + raw[min(b, a + 200) :]
        elif way == 2:
            raw = raw[:b] + raw[max(a, b - 200) :]
        elif way == 3:
            word = dice.choice(SPECIAL)
            raw = raw[:a] + word + raw[a:]
        elif way == 4:
            digits = [i for i in range(a, min(len(raw), a + 400)) if 48 <= raw[i] <= 57]
            if digits:
                raw = raw[: digits[0]] + dice.choice(SPECIAL[:6]) + raw[digits[0] + 1 :]
        else:
            for _ in range(dice.randrange(1, 6)):
                if raw:
                    at = dice.randrange(len(raw))
                    raw = raw[:at] + bytes([dice.randrange(256)]) + raw[at + 1 :]
    return raw


def feed(reader: Reader, folder: Path, rounds: int, seed: str) -> int:
    """How many spoiled files were refused."""
    reader.make(folder)
    path = folder / reader.spoiled
    raw, dice, refused = path.read_bytes(), random.Random(seed), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader.read(path)
        for i in range(rounds):
            path.write_bytes(spoiled(raw, dice))
            try:
                reader.read(path)
            except (ValueError, OSError, SimulationError):
                refused += 1
            except Exception as fault:
                raise AssertionError(f"{seed}, round {i}: {type(fault).__name__}: {fault}") from fault
    return refused


@pytest.mark.parametrize("name", READERS)
def test_a_spoiled_file_is_read_or_refused(name, tmp_path):
    assert feed(READERS[name], tmp_path, max(5, int(SHORT * READERS[name].share)), name) > 0


@pytest.mark.ci
@pytest.mark.parametrize("name", READERS)
def test_many_spoiled_files(name, tmp_path):
    assert feed(READERS[name], tmp_path, int(LONG * READERS[name].share), f"{name} at length") > 0
