"""Descriptions, catalogue entries, FMUs built by spacefmu → Systems → FMUs."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from spacefmu.dynamics import description
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.fold import fold as folded
from spacefmu.dynamics.texts import parse_toml, read_toml

from .. import catalogue, cosim
from ..archive.members import described_by
from ..results import Result
from ..results.files import check_writable, named
from ..results.origin import PART, parts_of, system_file
from .renamed import renamed

Source = System | Path | str
# Bytes that must be free before a build begins. DeployableWing for three platforms takes 2.1 MB; its compilers write 9.5 MB.
_FMU_SIZE, _COMPILER_SIZE = 4 << 20, 16 << 20


@contextmanager
def gc_paused() -> Iterator[None]:
    """Without garbage collection: what is read and built is kept until the end, and scanning it repeatedly took a twelfth of the time."""
    looked = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looked:
            gc.enable()


@gc_paused()
def load(source: Path | str) -> System:
    """The System of a description file, of a catalogue entry by its name, or of an FMU that carries its description.

    A system of units (kind = "system") becomes one System in which connections are equations: no master, no coupling error.
    A block in Python (.py), also one that a system names, is run with your rights: `python_of` lists such files.
    """
    if Path(source).suffix == ".fmu":
        return _load_carried(source)
    path = catalogue.find(source)
    if path.suffix == ".py":
        from ..python.own import read_block

        return read_block(path).system
    return _load_monolithic(path) if is_system(path) else description.load(path)


def _load_monolithic(path: Path) -> System:
    from ..cosim.monolithic import monolithic

    if path.suffix == ".ssp":
        raise ValueError(
            f"{path}: has finished FMUs as units, which can't become one System; use descriptions as units"
        )
    coupled = cosim.read_system(path)
    systems = _units_of(coupled, path)
    fused = monolithic(coupled, systems)
    files = {PART + f"{unit}/{name}": data for unit, own in systems.items() for name, data in own.about.described_by}
    return _described(fused, ((path.name, path.read_bytes()), *files.items()))


def _described(system: System, files: tuple[tuple[str, bytes], ...]) -> System:
    return replace(system, about=replace(system.about, described_by=files))


def _units_of(coupled: cosim.CoupledSystem, path: Path) -> dict[str, System]:
    """The System of each unit of a system that is fused into one."""
    systems = {}
    for unit, table in coupled.units.items():
        if Path(table.model).suffix == ".fmu":
            raise ValueError(
                f"{coupled.name}: unit {unit} is a finished FMU ({table.model}), which can't become part of one System"
            )
        systems[unit] = system_of(table.model, path.parent)
    return systems


def _load_carried(fmu: Path | str) -> System:
    """The System that an FMU of spacefmu was built from: its resources/ hold the description."""
    files = described_by(fmu)
    if not files:
        raise ValueError(f"{fmu}: contains no description; use an FMU that spacefmu built from one")
    parts = parts_of(files)
    if not parts:
        return description.load_files(files, str(fmu))
    from ..cosim.monolithic import monolithic
    from ..cosim.system import checked

    name = system_file(files)
    coupled = checked(parse_toml(files[name]), f"{fmu}: {name}")
    absent = [unit for unit in coupled.units if unit not in parts]
    if absent:
        raise ValueError(f"{fmu}: contains no description of its unit {absent[0]}, which is a block written in Python")
    systems = {unit: description.load_files(parts[unit], f"{fmu}: {unit}") for unit in coupled.units}
    return _described(monolithic(coupled, systems), tuple(files.items()))


def carried(source: Path | str, unit: str = "") -> System:
    """The System of a source, without running any binary: for an FMU, from the description that it carries. unit: the unit whose FMU it is."""
    if Path(source).suffix == ".fmu" and not any(name.endswith(".toml") for name in described_by(source)):
        of = f"unit {unit}, {Path(source).name}," if unit else f"{source}:"
        run = "spacefmu system run" if unit else f"spacefmu simulate {Path(source).name}"
        raise ValueError(
            f"{of} contains no spacefmu description, and a view runs no foreign binary; "
            f"{run} -o run.csv runs it with your rights, and spacefmu view run.csv --model DESCRIPTION shows that run"
        )
    return load(source)


def warnings(source: Source, inputs: Result | None = None) -> list[str]:
    """Sentences on numbers of a System, and of a table of inputs, that are allowed but probably not intended."""
    if not isinstance(source, System) and inputs is None:
        return []
    from spacefmu.dynamics.overview import magnitudes

    found = magnitudes.warnings(source) if isinstance(source, System) else []
    if inputs is not None and len(inputs.time):
        found += magnitudes.input_warnings(float(inputs.time[-1]))
    return found


def inverse(
    source: Path | str,
    path: Path | str | None = None,
    node: str = "",
    joint: str = "",
    attitude: bool = False,
    aim: str = "",
) -> System:
    """The System of an inverse problem: a description with a table [inverse], or one whose node or joint follows a path given here.

    path: a CSV file of waypoints; its last time becomes the experiment's stop. aim: the objective of redundant arms. simulate() runs the System.
    """
    file = catalogue.find(source)
    if path is None:
        if node or joint or attitude or aim:
            raise ValueError("a node, joint or aim needs a path: give a CSV file of waypoints")
        from spacefmu.dynamics.inverse.system import GivenMotion

        system = load(file)
        if system.made_by is None or not isinstance(system.made_by[1], GivenMotion):
            raise ValueError(f"{source} has no table [inverse]; add one, or give a path with a node or a joint")
        return system
    if bool(node) == bool(joint):
        raise ValueError("a path belongs to a node or to a joint: give one of the two")
    given = {"node": node} if node else {"joint": joint}
    given |= {"follows": "attitude"} if attitude else {}
    system = _with_path(file, str(source), given | {"table": Path(path).resolve().as_posix()}, aim)
    assert system.made_by is not None  # of inverse_system
    ends = [task.path.knots[-1] for task in system.made_by[1].problem.tasks]
    about = replace(system.about, experiment={**system.about.experiment, "stop": ends[0]})
    return replace(system, about=about)


def _with_path(file: Path, source: str, given: dict, aim: str) -> System:
    """The System of a description with one more path in its table [inverse], and an objective if one is given."""
    text = file.read_text(encoding="utf-8")
    data = description.parsed(text, source)
    before = data.get("inverse", {})
    try:
        added = {"paths": {**before.get("paths", {}), "given": given}}
        added |= {"redundancy": {**before.get("redundancy", {}), "aim": aim}} if aim else {}
    except (AttributeError, TypeError):  # one of them is not a table: reading the original file reports it
        return description.load_data(data, text, source, file.parent)
    data = {**data, "inverse": {**before, **added}}
    whole = description.toml_text(data) if before else "\n".join([text, description.section("inverse", added)])
    return description.load_data(data, whole, source, file.parent)


@renamed(progress="on_message")
@gc_paused()
def build(
    source: Source,
    path: Path | str | None = None,
    platforms: Sequence[str] = ("host",),
    flavour: Literal["native", "python"] = "native",
    on_message: Callable[[str], None] | None = None,
    fold: bool = False,
    fmi: Literal[2, 3] = 2,
    scalars: bool = False,
) -> Path:
    """Build the FMU of a System, a description or a catalogue entry, and return its path.

    path: default is the name of the System with .fmu, in the current folder.
    platforms: of a native FMU: linux64, win64, darwin64, or host for this machine's; FMI 3.0 also has aarch64-linux.
    flavour: native (compiled, no runtime dependencies) or python (readable code; its host needs Python with numpy).
    A .py file with a class derived from spacefmu.dynamics.blocks.block.Block also becomes an FMU; a native one if its methods are equations.
    on_message: called with a few words as each part of the work begins.
    fmi: FMI version of a native FMU, 2 or 3, with the same results bit for bit; 3.0 has whole arrays, and event mode in co-simulation.
    scalars: FMI 3.0 without arrays, for importers that do not support them: one variable per entry, named as in FMI 2.0.
    fold: compile all parameters into the FMU as constants, except those in [parameters] live of the description: faster, but not settable.
    """
    suffix = "" if isinstance(source, System) else Path(source).suffix
    if suffix == ".fmu":
        raise ValueError(f"{source} is already an FMU; simulate runs it, info shows its content")
    if suffix == ".py":
        if fold:
            raise ValueError(f"{source}: parameters of a block in Python cannot be folded; leave out fold")
        name, work = Path(str(source)).stem, partial(_built_block, str(source))
    else:
        system = source if isinstance(source, System) else load(source)
        system = folded(system) if fold and system.unfolded is None else system
        name, work = system.name, partial(_built_system, system)
    if fmi != 2 and flavour == "python":
        raise ValueError(
            f"{name}: a Python FMU can only be FMI 2.0 (a limit of pythonfmu); build it with flavour native, or fmi 2"
        )
    if scalars and fmi != 3:
        raise ValueError(f"{name}: scalars is an option of FMI 3.0 (FMI 2.0 has no arrays); use fmi 3")
    path = Path(path or f"{name}.fmu")
    check_writable(path, _FMU_SIZE)
    check_writable(Path(tempfile.gettempdir(), "spacefmu"), _COMPILER_SIZE)
    try:
        return work(path, platforms, flavour, on_message, fmi, scalars)
    except OSError as error:
        raise named(error, path) from error


def _built_block(source: str, path: Path, platforms, flavour, on_message, fmi, scalars) -> Path:
    from ..build import build_block

    return build_block(source, path, on_message, flavour=flavour, platforms=platforms, fmi=fmi, scalars=scalars)


def _built_system(system: System, path: Path, platforms, flavour, on_message, fmi, scalars) -> Path:
    from ..build import build_native, build_python

    if flavour == "python":
        return build_python(system, path, on_message)
    return build_native(system, path, platforms, on_message, fmi=fmi, scalars=scalars)


def python_of(source: Source, within: tuple[Path, ...] = ()) -> dict[str, Path]:
    """The Python files that a source would run: unit name (empty for the source itself) → file. Nothing is run here.

    within: the systems of which it is a unit.
    """
    if isinstance(source, System) or Path(source).suffix in (".fmu", ".ssp"):
        return {}
    path = catalogue.find(source)
    if path.suffix == ".py":
        return {"": path}
    if not is_system(path):
        return {}
    if path.resolve() in within:
        raise ValueError(f"{path}: is a system that contains itself")
    found: dict[str, Path] = {}
    for unit, table in cosim.read_system(path).units.items():
        local = path.parent / table.model
        inside = python_of(
            local if local.is_file() or local.suffix == ".py" else table.model, (*within, path.resolve())
        )
        found |= {f"{unit}.{name}" if name else unit: file for name, file in inside.items()}
    return found


def only_look(source: Source) -> None:
    """Raises ValueError if reviewing a source would run Python, which a review never does."""
    for unit, file in python_of(source).items():
        of = f"unit {unit} is" if unit else "this is"
        raise ValueError(
            f"{source}: {of} {file.name}, Python code, which this command does not run; spacefmu system show lists units, "
            "system run -o run.csv runs it with your rights, and spacefmu view run.csv shows that run"
        )


def is_system(path: Path) -> bool:
    """Whether a description is of a system of FMUs; errors are left to its reader to report."""
    if path.suffix == ".ssp":
        return True
    try:
        return read_toml(path).get("kind") == "system"
    except (OSError, ValueError):
        return False


def system_of(model: str, beside: Path) -> System:
    """The System of a unit that is not an FMU: a file next to the description that names it takes precedence over the catalogue."""
    return load(local_or_known(model, beside))


def local_or_known(model: str, beside: Path) -> Path:
    """The file of a unit's description: next to the one that names it, else in the catalogue."""
    local = beside / model
    return local if local.is_file() else catalogue.find(model)
