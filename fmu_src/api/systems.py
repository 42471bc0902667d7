"""Systems of FMUs: run, pack, read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from spacefmu.dynamics.description import DescriptionError
from spacefmu.dynamics.system.contract import System

from .. import catalogue, cosim
from ..archive.description import read_description, scalars_of
from ..results import Result
from ..results.names import UnknownName, no_unit, resolve
from .models import build, carried, is_system, load, local_or_known, system_of
from .renamed import renamed
from .running import origin, simulate, variables_to_be


@renamed(progress="on_progress", report="on_message")
def cosimulate(
    source: Path | str,
    folder: Path | str | None = None,
    on_message: Callable[[str], None] | None = None,
    on_progress: Callable[[float], object] | None = None,
    stop: float | None = None,
    step: float | None = None,
    start_values: Mapping[str, object] | None = None,
    record: Sequence[str] | None = None,
    clock: Callable[[float], None] | None = None,
    algorithm: str | None = None,
    rebuild: bool = False,
) -> Result:
    """Run a system of FMUs given by a TOML file, an .ssp file or a catalogue entry; columns are named `unit.variable`.

    Units that are not .fmu files are built for this machine, into `folder` if one is given.
    on_message: called with a few words as each part of the work begins. on_progress: with the fraction of the run done.
    stop, step [s]: instead of the system's. start_values and record: by `unit.variable`. clock: paces the run
    (cosim.real_time.RealTimeClock). algorithm: instead of the system's; "monolithic" runs all units as one FMU, without a master.
    rebuild: do not run finished FMUs, but rebuild them from the descriptions that they carry; one without a description is refused.
    If an FMU fails, SimulationError is raised; its `so_far` has the results up to that time.
    """
    path = catalogue.find(source)
    if (algorithm or (path.suffix != ".ssp" and cosim.read_system(path).algorithm)) == "monolithic":
        if clock is not None:
            raise ValueError("a monolithic run cannot be paced to a clock; use gauss_seidel or jacobi")
        return simulate(load(path), stop, step, start_values, None, record, on_progress, on_message)
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as temporary:
        asked = [*(start_values or {}), *(record or ())]
        systems = None if path.suffix == ".ssp" else known_names(path, cosim.read_system(path), asked)
        system, fmus = coupled(path, Path(folder or temporary), on_message, step, systems)
        if rebuild:
            fmus = _rebuilt(path, system, fmus, Path(temporary, "rebuilt"), on_message)
        instead = {"stop": stop, "step": step, "algorithm": algorithm}
        system = system.model_copy(update={key: value for key, value in instead.items() if value is not None})
        starts: dict[str, dict[str, object]] = {}
        for name, value in (start_values or {}).items():
            unit, _, own = name.partition(".")
            if unit not in fmus:
                raise UnknownName(no_unit(name, fmus), name)
            starts.setdefault(unit, {})[own] = value
        if on_message:
            on_message("running")
        set_values = {name: {**unit.start, **starts.get(name, {})} for name, unit in system.units.items()}
        with origin(fmus, set_values) as known:
            return known(cosim.cosimulate(system, fmus, on_progress, starts, record, clock))


@renamed(report="on_message")
def pack(
    source: Path | str,
    path: Path | str | None = None,
    on_message: Callable[[str], None] | None = None,
    platforms: Sequence[str] = ("host",),
    ssp: Literal[1, 2] = 1,
    fmi: Literal[2, 3] = 2,
) -> Path:
    """Write a system of FMUs as a standard SSP file (default NAME.ssp) that contains the FMUs; return its path.

    platforms, fmi: of the FMUs that are built, as for `build`; .fmu files are packed unchanged. ssp: version of SSP, 1 for 1.0 or 2 for
    2.0, which FMI 3.0 needs. Start values are written as parameter sets, one .ssv file per unit.
    """
    from ..cosim.ssp import write_ssp

    if fmi == 3 and ssp == 1:
        raise ValueError("SSP 1.0 does not support FMI 3.0; pack as SSP 2.0, or with FMI 2.0")
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as temporary:
        of = {"platforms": tuple(platforms), "fmi": fmi}
        system, fmus = coupled(catalogue.find(source), Path(temporary), on_message, built=of)
        if system.algorithm == "monolithic":
            raise ValueError(
                f"{system.name} is monolithic: use `build` for its one FMU; to pack it, set algorithm to gauss_seidel or jacobi"
            )
        return write_ssp(path or f"{system.name}.ssp", system, fmus, f"{ssp}.0")


def read_coupled(source: Path | str) -> tuple[cosim.CoupledSystem, dict[str, str]]:
    """A system of FMUs, and the model of each unit; nothing is built."""
    path = catalogue.find(source)
    if path.suffix != ".ssp":
        system = cosim.read_system(path)
        known_names(path, system)
        return system, {name: unit.model for name, unit in system.units.items()}
    from ..cosim.ssp import read_ssp

    with tempfile.TemporaryDirectory(prefix="spacefmu-") as temporary:
        system, fmus = read_ssp(path, Path(temporary), need_step=False)
    return system, {name: fmu.name for name, fmu in fmus.items()}


def known_names(path: Path, system: cosim.CoupledSystem, asked: Iterable[str] = ()) -> dict[str, System]:
    """Checks names before anything is built: ends of connections (DescriptionError lists all), and the names `asked`, as unit.variable.

    Returns the Systems of units that are descriptions, by model, since they had to be read. The variables of a unit in Python are not known before it runs.
    """
    systems: dict[str, System] = {}
    known: dict[str, Collection[str]] = {}
    for name, unit in system.units.items():
        ending = Path(unit.model).suffix
        if ending == ".fmu":
            known[name] = scalars_of(read_description(path.parent / unit.model))
        elif ending != ".py" and not is_system(
            local_or_known(unit.model, path.parent)
        ):  # a system may have units in Python
            if unit.model not in systems:
                systems[unit.model] = system_of(unit.model, path.parent)
            known[name] = variables_to_be(systems[unit.model])
    ends = dict.fromkeys(end for link in system.links for end in (link.source, link.target))
    problems = []
    for end in ends:
        try:
            _resolve(end, known)
        except UnknownName as error:
            problems.append(str(error))
    if problems:
        raise DescriptionError(system.name, problems)
    for name in asked:
        owner = name.partition(".")[0]
        if owner not in system.units:
            raise UnknownName(no_unit(name, system.units), name)
        _resolve(name, known)
    return systems


def _resolve(end: str, known: Mapping[str, Collection[str]]) -> None:
    unit, _, name = end.partition(".")
    if unit in known:
        resolve(name, known[unit], f"variable of {unit}")


def coupled(
    path: Path,
    folder: Path,
    on_message,
    step=None,
    systems: Mapping[str, System] | None = None,
    built: Mapping[str, Any] | None = None,
) -> tuple[cosim.CoupledSystem, dict[str, Path]]:
    """The system that a file describes, and the .fmu file of each unit; other units are built into `folder`.

    systems: by model, those that have been read already. built: arguments of `build` for the units.
    """
    if path.suffix == ".ssp":
        from ..cosim.ssp import read_ssp

        return read_ssp(path, folder, step)
    from ..cosim.coupling import with_own_seeds

    system = cosim.read_system(path)
    systems = {} if systems is None else systems
    made: dict[str, Path] = {}  # model → FMU: built once for all units that have it
    for name, unit in system.units.items():
        if unit.model not in made:
            made[unit.model] = fmu_of(
                unit.model, path.parent, folder, on_message, name, {*made.values()}, systems, built
            )
    fmus = {name: made[unit.model] for name, unit in system.units.items()}
    return with_own_seeds(system, lambda name: read_description(fmus[name])), fmus


def _rebuilt(path: Path, system: cosim.CoupledSystem, fmus: Mapping[str, Path], folder: Path, on_message):
    """FMUs by unit, the finished ones rebuilt from their descriptions for the same version of FMI."""
    finished = {unit: fmu for unit, fmu in fmus.items() if path.suffix == ".ssp" or _is_fmu(system.units[unit].model)}
    systems = {fmu: carried(fmu, unit) for unit, fmu in finished.items()}  # all of them, before the first is built
    made = {
        fmu: build(
            of,
            folder / str(place) / fmu.name,
            on_message=on_message,
            fmi=3 if read_description(fmu).fmiVersion == "3.0" else 2,
        )
        for place, (fmu, of) in enumerate(systems.items())
    }
    return {unit: made.get(fmu, fmu) for unit, fmu in fmus.items()}


def _is_fmu(model: str) -> bool:
    return Path(model).suffix == ".fmu"


def fmu_of(
    model: str,
    beside: Path,
    folder: Path,
    on_message,
    unit: str = "",
    taken: Collection[Path] = (),
    systems: Mapping[str, System] | None = None,
    built: Mapping[str, Any] | None = None,
) -> Path:
    """The .fmu file of a unit: as given (relative to the description that names it), or built from what it names.

    taken: FMUs of other models, whose names are not reused. built: arguments of `build`.
    """
    if Path(model).suffix == ".fmu":
        return beside / model

    def place(name: str) -> Path:
        path = folder / f"{name}.fmu"
        return path if path not in taken else folder / unit / path.name

    if Path(model).suffix == ".py":
        return build(beside / model, place(Path(model).stem), on_message=on_message, **(built or {}))
    system = (systems or {}).get(model) or system_of(model, beside)
    if on_message:
        on_message(f"{system.name}: building")
    return build(
        system,
        place(system.name),
        on_message=on_message and (lambda words: on_message(f"{system.name}: {words}")),
        **(built or {}),
    )
