"""spacefmu in ten lines, for notebooks and scripts.

from fmu_src import api as spacefmu

craft = spacefmu.load("HingedPanel")                     # a catalogue name or a description file
fmu = spacefmu.build(craft, "HingedPanel.fmu")           # native FMU for this machine
run = spacefmu.simulate(fmu, stop=30.0, start_values={"hub.mass": 410.0, "panel.mode[1].amplitude": 0.01})
tip = run["panel.tip.displacement"]                      # array (n, 3) over run.time (n,)
spacefmu.plot(run, ["panel.tip.displacement", "hub.angular_velocity"])
run.write("run.csv")                                     # or .npz, .mat; read_table("run.csv") reads it again, with units

slew = spacefmu.cosimulate("AttitudeSlew")               # plant and controller, coupled

spread = spacefmu.sweep("spread.toml")                   # many runs on all cores; spread.table is the table of them
run17 = spacefmu.repeat(spread.folder, 17)               # one of them again
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fmpy.model_description import Item, ScalarVariable, SimpleType

from dynamics import description
from dynamics.fold import fold as folded
from dynamics.system import System

from . import catalogue, cosim
from .archive.members import described_by
from .interface.description import TYPE_NAMES
from .interface.variables import variables_of
from .results import Result, read_table
from .results.files import check_writable, named
from .results.names import UnknownName, array_name, suggestion
from .results.origin import origin_of, unit_origin
from .results.plot import plot, save
from .results.table import READERS

if TYPE_CHECKING:  # a finished FMU is simulated without any of these; Dask and pyarrow come with an extra
    from dynamics.linearize.linear import Linear

    from . import linearize as linearized
    from .linearize import Family
    from .studies.folder import Sweep
    from .studies.tasks import State
    from .view.sight import Sight

__all__ = [
    "Result",
    "System",
    "build",
    "catalogue",
    "cosimulate",
    "inverse",
    "linearize",
    "linearized",
    "load",
    "look",
    "pack",
    "plot",
    "plot_sweep",
    "read_coupled",
    "read_sweep",
    "read_table",
    "repeat",
    "report",
    "simulate",
    "sweep",
]

Source = System | Path | str


def __getattr__(name: str) -> object:
    if name == "linearized":
        from . import linearize

        return linearize
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Bytes that have to be free before a build begins. DeployableWing for three platforms has 2.1 MB, its compilers write 9.5 MB.
_FMU_SIZE, _COMPILER_SIZE = 4 << 20, 16 << 20


def load(source: Path | str) -> System:
    """The System of a description file, of a catalogue entry by its name, or of an FMU that carries its description.

    A system of units (kind = "system") becomes one System, its connections equations: no master, no coupling error.
    """
    if Path(source).suffix == ".fmu":
        return _load_carried(source)
    path = catalogue.find(source)
    if path.suffix == ".py":
        from .python.own import read_block

        return read_block(path).system
    return _load_monolithic(path) if _is_system(path) else description.load(path)


def _load_monolithic(path: Path) -> System:
    from .cosim.monolithic import monolithic

    if path.suffix == ".ssp":
        raise ValueError(
            f"{path}: holds finished FMUs, which can't become one System; expected a system of descriptions"
        )
    coupled = cosim.read_system(path)
    systems = {}
    for unit, table in coupled.units.items():
        if Path(table.model).suffix == ".fmu":
            raise ValueError(
                f"{coupled.name}: unit {unit} is a finished FMU, {table.model}, which can't become part of one System"
            )
        systems[unit] = _system_of(table.model, path.parent)
    return monolithic(coupled, systems)


def warnings(source: Source, inputs: Result | None = None) -> list[str]:
    """Numbers of a System, and of a table of inputs, that are legal and probably not meant; sentences that say what was."""
    if not isinstance(source, System) and inputs is None:
        return []
    from dynamics.overview import magnitudes

    found = magnitudes.warnings(source) if isinstance(source, System) else []
    if inputs is not None and len(inputs.time):
        found += magnitudes.input_warnings(float(inputs.time[-1]))
    return found


def _load_carried(fmu: Path | str) -> System:
    """The System an FMU of ours was built from: its description is in its resources/."""
    files = described_by(fmu)
    if not files:
        raise ValueError(f"{fmu}: carries no description; expected an FMU that spacefmu built from one")
    return description.load_files(files, str(fmu))


def inverse(
    source: Path | str,
    path: Path | str | None = None,
    node: str = "",
    joint: str = "",
    attitude: bool = False,
    aim: str = "",
) -> System:
    """The System of an inverse problem: a description with a table [inverse], or one whose node or joint follows a path here.

    path: a CSV file of waypoints. Its last instant becomes the experiment's stop. aim: for redundant arms. simulate() runs the System.
    """
    file = catalogue.find(source)
    if path is None:
        if node or joint or attitude or aim:
            raise ValueError("a node, joint or aim needs a path, expected a CSV file of waypoints with it")
        from dynamics.inverse.system import GivenMotion

        system = load(file)
        if not isinstance(system.made_by[1], GivenMotion):
            raise ValueError(f"{source} has no table [inverse], expected one, or a path with a node or a joint")
        return system
    if bool(node) == bool(joint):
        raise ValueError("a path belongs to a node or to a joint, expected one of the two")
    what = f'node = "{node}"' if node else f'joint = "{joint}"'
    follows = '\nfollows = "attitude"' if attitude else ""
    table = Path(path).resolve().as_posix()
    lines = [f'[inverse.paths.given]\n{what}{follows}\ntable = "{table}"']
    lines += [f'[inverse.redundancy]\naim = "{aim}"'] if aim else []
    system = description.load_text("\n".join([file.read_text(encoding="utf-8"), *lines]), str(source), file.parent)
    ends = [task.path.knots[-1] for task in system.made_by[1].problem.tasks]
    return replace(system, experiment={**system.experiment, "stop": ends[0]})


def build(
    source: Source,
    path: Path | str | None = None,
    platforms: Sequence[str] = ("host",),
    flavour: Literal["native", "python"] = "native",
    progress: Callable[[str], None] | None = None,
    fold: bool = False,
) -> Path:
    """Build the FMU of a System, a description or a catalogue entry, and return its path.

    path: default is the name of the System with .fmu, in the current folder.
    platforms: of a native FMU: linux64, win64, darwin64, or host for the one this runs on.
    flavour: native (compiled, needs nothing) or python (code to read; its host needs Python with numpy and pythonfmu).
    A .py file with a class derived from dynamics.blocks.block.Block becomes an FMU too; a native one if its methods are equations.
    progress: called with a few words as each part of the work begins.
    fold: all parameters become constants of the FMU, but for those in [parameters] live of the description: faster, and not to be set.
    """
    if not isinstance(source, System) and Path(source).suffix == ".fmu":
        raise ValueError(f"{source}: is an FMU already; simulate runs it, info shows what is in it")
    from .build import build_block, build_native, build_python

    own_block = not isinstance(source, System) and Path(source).suffix == ".py"
    system = None if own_block else source if isinstance(source, System) else load(source)
    if fold:
        if own_block:
            raise ValueError(f"{source}: parameters of a block of your own are live, expected no fold")
        system = folded(system) if system.unfolded is None else system
    path = Path(path or f"{Path(source).stem if own_block else system.name}.fmu")
    check_writable(path, _FMU_SIZE)
    check_writable(Path(tempfile.gettempdir(), "spacefmu"), _COMPILER_SIZE)
    try:
        if own_block:
            return build_block(source, path, progress, flavour=flavour, platforms=platforms)
        return (
            build_python(system, path, progress)
            if flavour == "python"
            else build_native(system, path, platforms, progress)
        )
    except OSError as error:
        raise named(error, path) from error


def simulate(
    source: Source,
    stop: float | None = None,
    step: float | None = None,
    start_values: Mapping[str, object] | None = None,
    inputs: Result | None = None,
    record: Sequence[str] | None = None,
    progress: Callable[[float], object] | None = None,
    report: Callable[[str], None] | None = None,
) -> Result:
    """Simulate an FMU (any .fmu file), or a System or description, whose FMU is then built for the occasion.

    stop, step [s]: default those of the FMU's experiment. start_values: parameters and start values by name.
    inputs: a table over time whose columns are inputs (see read_table). record: variables to keep, default all outputs.
    progress: called with the fraction done; if it answers False, the run ends there. report: called with a few words
    as each part of the build begins. Names and values that the FMU would not take are refused before it is built.
    """
    run = {"stop": stop, "step": step, "start_values": start_values or {}, "inputs": inputs, "record": record}
    try:
        return _simulate(source, run, progress, report)
    except UnknownName as error:
        key = array_name(error.name).rpartition(".")[2]
        if error.name not in run["start_values"] or key not in description.description_keys():
            raise
        raise UnknownName(
            f"{error.name!r} can't be set: {key!r} belongs to the description and is no parameter of the FMU; "
            "change it in the description and build again"
        ) from error


def _simulate(source: Source, run: dict, progress, report) -> Result:
    if not isinstance(source, System) and Path(source).suffix == ".fmu":
        return _with_origin(cosim.simulate(source, **run, progress=progress), {"": source}, {"": run["start_values"]})
    system = source if isinstance(source, System) else load(source)
    experiment = system.experiment["stop"], system.experiment["step"]
    cosim.plan(f"{system.name}.fmu", _variables_to_be(system), experiment, **run)
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as folder:
        fmu = build(system, Path(folder, f"{system.name}.fmu"), progress=report)
        if report:
            report("running")
        result = cosim.simulate(fmu, **run, progress=progress)
        return _with_origin(result, {"": fmu}, {"": run["start_values"]})


def _with_origin(result: Result, fmus: Mapping[str, Path | str], values: Mapping[str, Mapping]) -> Result:
    """The result with what it was made of: the descriptions that its FMUs carry, and the values that were set."""
    units = {unit: unit_origin(Path(fmu).name, described_by(fmu), values.get(unit, {})) for unit, fmu in fmus.items()}
    return replace(result, origin={**result.origin, **origin_of(units)})


def _variables_to_be(system: System) -> dict[str, ScalarVariable]:
    """The variables of the FMU that a System becomes, as FMPy will read them."""
    found = {}
    for v in variables_of(system):
        variable = ScalarVariable(name=v.name, valueReference=v.reference)
        variable.type, variable.causality, variable.initial = TYPE_NAMES[v.signal.kind], v.causality, v.initial
        variable.variability = v.variability
        items = [Item(name=name, value=str(value)) for value, name in enumerate(v.signal.items, 1)]
        variable.min, variable.max = (None if b is None else str(b) for b in (v.signal.min, v.signal.max))
        variable.declaredType = SimpleType(name=v.name, type=variable.type, items=items) if items else None
        found[v.name] = variable
    return found


def linearize(source: Source, grid: Mapping[str, Sequence[float]] | None = None, **options) -> Linear | Family:
    """The linear model of a System, a description, a catalogue entry or an .fmu file; with a `grid` (name → values) a family of them.

    Options: time, values (parameters, start values and inputs by name), inputs and outputs to keep (wildcards), full_form,
    trim (unknowns that may change until nothing moves), drifting: see fmu_src.linearize.model.linearize.
    `spacefmu.linearized.write(model, "plant.mat")`, `.to_control(model)`; `model.modes` is the modal table.
    """
    from . import linearize as linearized

    if not isinstance(source, System):
        if Path(source).suffix == ".fmu" and grid is None:
            return linearized.linearize(Path(source), **options)
        source = load(source)
    return linearized.linearize(source, **options) if grid is None else linearized.family(source, grid, **options)


def cosimulate(
    source: Path | str,
    folder: Path | str | None = None,
    report: Callable[[str], None] | None = None,
    progress: Callable[[float], object] | None = None,
    stop: float | None = None,
    step: float | None = None,
    start_values: Mapping[str, object] | None = None,
    record: Sequence[str] | None = None,
    clock: Callable[[float], None] | None = None,
    algorithm: str | None = None,
) -> Result:
    """Run a system of FMUs that a TOML file, an .ssp file or a catalogue entry describes; columns are `unit.variable`.

    Units that are no .fmu files are built for this machine, into `folder` if one is given.
    report: called with a few words as each part of the work begins. progress: with the fraction of the run done.
    stop, step [s]: instead of the system's. start_values and record: by `unit.variable`. clock: paces the run
    (cosim.real_time.Clock). algorithm: instead of the system's; "monolithic" runs one FMU of all units, without a master.
    An FMU that fails ends the run with a SimulationError whose `so_far` has the results until then.
    """
    path = catalogue.find(source)
    if (algorithm or (path.suffix != ".ssp" and cosim.read_system(path).algorithm)) == "monolithic":
        if clock is not None:
            raise ValueError(
                "a monolithic run has no master that could be paced to a clock; expected gauss_seidel or jacobi"
            )
        return simulate(load(path), stop, step, start_values, None, record, progress, report)
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as temporary:
        system, fmus = _coupled(path, Path(folder or temporary), report, step)
        instead = {"stop": stop, "step": step, "algorithm": algorithm}
        system = system.model_copy(update={key: value for key, value in instead.items() if value is not None})
        starts: dict[str, dict[str, object]] = {}
        for name, value in (start_values or {}).items():
            unit, _, own = name.partition(".")
            if unit not in fmus:
                raise UnknownName(f"{name!r} is of no unit{suggestion(unit, fmus)}", name)
            starts.setdefault(unit, {})[own] = value
        if report:
            report("running")
        result = cosim.cosimulate(system, fmus, progress, starts, record, clock)
        set_values = {name: {**unit.start, **starts.get(name, {})} for name, unit in system.units.items()}
        return _with_origin(result, fmus, set_values)


def look(
    source: Path | str | Result,
    model: Path | str | None = None,
    compare: Path | str | None = None,
    still: bool = False,
    modes: bool = False,
    stop: float | None = None,
    report: Callable[[str], None] | None = None,
    progress: Callable[[float], object] | None = None,
) -> Sight:
    """What there is to see of a result (a table, or its file), a description, an FMU or a system of FMUs; `.page()` is its HTML, `.glb()` its glTF.

    model: what a result is drawn by, if it does not carry its description. compare: a second result. still: the start alone.
    modes: the linear mode shapes instead of a run. stop [s]: of the run that a description, an FMU or a system is given.
    """
    from .view.sight import modes_of, sight_of
    from .view.subject import Subject, subject_of

    drawn_by = None if model is None else load(model)
    if isinstance(source, Result) or Path(source).suffix.lower() in READERS:
        if modes or still:
            raise ValueError(f"{source}: is a result; its description has the start and the modes")
        result = source if isinstance(source, Result) else read_table(source)
        title = "run" if isinstance(source, Result) else Path(source).stem
        subjects = [subject_of(result, title, drawn_by)]
    elif not (modes or still):
        result = run(source, stop, report, progress)
        subjects = [subject_of(result, Path(source).stem, drawn_by)]
    else:
        system = load(source)
        if system.picture is None:
            raise ValueError(f"{source}: has no body that could be drawn")
        subjects = [Subject(system.name, system)]
        return modes_of(subjects[0]) if modes else sight_of(subjects)
    if compare is not None:
        subjects.append(subject_of(read_table(compare), Path(compare).stem, drawn_by))
    return sight_of(subjects)


def report(
    result: Result | Path | str,
    path: Path | str,
    compare: Result | Path | str | None = None,
    model: Path | str | None = None,
    say: Callable[[str], None] | None = None,
    title: str = "",
) -> tuple[str, ...]:
    """Write the report of a run, or of two beside each other, as one HTML page; gives sentences on what could not be shown.

    result, compare: tables or their files. model: what they are drawn by, if they do not carry their description.
    """
    from .report.report import Reported, report_page
    from .results.files import whole_file
    from .view.sight import sight_of
    from .view.subject import subject_of

    say = say or (lambda words: None)
    sources = [result] if compare is None else [result, compare]
    runs: dict[str, Result] = {}
    for source in sources:
        name = title or "run" if isinstance(source, Result) else Path(source).stem
        runs[name if name not in runs else f"{name} (2)"] = source if isinstance(source, Result) else read_table(source)
    empty = [name for name, run in runs.items() if not len(run.time)]
    if empty:
        raise ValueError(f"{empty[0]}: the result is empty")
    say("placing bodies")
    sight, system, notes = None, None, ()
    try:
        drawn_by = None if model is None else load(model)
        subjects = [subject_of(run, name, drawn_by) for name, run in runs.items()]
        system, notes = subjects[0].system, subjects[0].notes
        sight = sight_of(subjects)
    except ValueError as error:
        notes = (*notes, str(error))
    say("drawing plots")
    name = title or (system.name if system is not None else next(iter(runs)))
    page = report_page(Reported(name, runs, sight, system, notes))
    with whole_file(path) as unfinished:
        unfinished.write_text(page, encoding="utf-8")
    return notes


def run(
    source: Path | str,
    stop: float | None = None,
    report: Callable[[str], None] | None = None,
    progress: Callable[[float], object] | None = None,
) -> Result:
    """The default experiment of a description, an FMU or a system of FMUs, with all that a view shows of it."""
    if Path(source).suffix == ".fmu":
        if not described_by(source):
            raise ValueError(f"{source}: carries no description of spacefmu's: there is nothing to draw")
        return simulate(source, stop, progress=progress, report=report)
    path = catalogue.find(source)
    if _is_system(path):
        return cosimulate(path, report=report, progress=progress, stop=stop)
    system = load(path)
    if system.picture is None:
        raise ValueError(f"{source}: has no body that could be drawn")
    return simulate(system, stop, record=_seen_names(system), progress=progress, report=report)


def _seen_names(system: System) -> list[str]:
    """All outputs, and the states that a view needs beside them (beads of tethers are no outputs)."""
    beads = [line.beads for line in system.picture().lines if line.beads]
    return [*(v.name for v in variables_of(system) if v.causality == "output"), *beads]


def pack(source: Path | str, path: Path | str | None = None, report: Callable[[str], None] | None = None) -> Path:
    """Write a system of FMUs as a standard SSP file (default NAME.ssp), FMUs inside, built for this machine; return its path."""
    from .cosim.ssp import write_ssp

    with tempfile.TemporaryDirectory(prefix="spacefmu-") as temporary:
        system, fmus = _coupled(catalogue.find(source), Path(temporary), report)
        if system.algorithm == "monolithic":
            raise ValueError(
                f"{system.name} is monolithic: `build` makes its one FMU; expected gauss_seidel or jacobi to pack"
            )
        return write_ssp(path or f"{system.name}.ssp", system, fmus)


def read_coupled(source: Path | str) -> tuple[cosim.CoupledSystem, dict[str, str]]:
    """A system of FMUs without its FMUs, and what each of its units runs: nothing is built."""
    path = catalogue.find(source)
    if path.suffix != ".ssp":
        system = cosim.read_system(path)
        return system, {name: unit.model for name, unit in system.units.items()}
    from .cosim.ssp import read_ssp

    with tempfile.TemporaryDirectory(prefix="spacefmu-") as temporary:
        system, fmus = read_ssp(path, Path(temporary), need_step=False)
    return system, {name: fmu.name for name, fmu in fmus.items()}


def _coupled(path: Path, folder: Path, report, step=None) -> tuple[cosim.CoupledSystem, dict[str, Path]]:
    """The system that a file describes, and the .fmu file of each unit, built into `folder` where it is none yet."""
    if path.suffix == ".ssp":
        from .cosim.ssp import read_ssp

        return read_ssp(path, folder, step)
    system = cosim.read_system(path)
    return system, {name: _fmu_of(unit.model, path.parent, folder, report) for name, unit in system.units.items()}


def _system_of(model: str, beside: Path) -> System:
    """The System of a unit that is no FMU: what stands beside the description that names it comes before the catalogue."""
    local = beside / model
    return load(local if local.is_file() else model)


def _fmu_of(model: str, beside: Path, folder: Path, report) -> Path:
    """The .fmu file of a unit: as given (relative to the description that names it), or built from what it names."""
    if Path(model).suffix == ".fmu":
        return beside / model
    if Path(model).suffix == ".py":
        return build(beside / model, folder / f"{Path(model).stem}.fmu", progress=report)
    system = _system_of(model, beside)
    if report:
        report(f"{system.name}: building")
    return build(
        system, folder / f"{system.name}.fmu", progress=report and (lambda words: report(f"{system.name}: {words}"))
    )


def sweep(
    plan: Path | str,
    folder: Path | str | None = None,
    metrics: Path | str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    report: Callable[[str], None] | None = None,
    tell: Callable[[State], None] | None = None,
) -> Sweep:
    """Run many parameter sets of a model, as a plan (.toml) says; results are in `folder`, default the plan's name.

    What the folder has already is not done again. metrics: a Python file with functions of a run's Result, a metric each.
    workers: processes on this machine, default one a core; scheduler: the address of a Dask cluster to use instead.
    report: called with a few words as each part of the work begins. tell: with the State after each task.
    In a script, call it under `if __name__ == "__main__":`, because worker processes import the script.
    """
    studies, plan = _studies(), Path(plan)
    report = report or (lambda words: None)

    def find_model(model: str, algorithm: str | None, temporary: Path):
        local = plan.parent / model
        if local.suffix == ".fmu":
            return {"": local}, None
        path = catalogue.find(local if local.is_file() else model)
        algorithm = (algorithm or cosim.read_system(path).algorithm) if _is_system(path) else "monolithic"
        if algorithm == "monolithic":
            return {"": _fmu_of(str(path.absolute()), plan.parent, temporary, report)}, None
        system, fmus = _coupled(path, temporary, report)
        return fmus, system.model_copy(update={"algorithm": algorithm})

    return studies.sweep(plan, find_model, folder, metrics, workers, scheduler, report, tell or (lambda state: None))


def read_sweep(folder: Path | str) -> Sweep:
    """A sweep from its folder, finished or not: plan, table of runs, worst runs, statistics."""
    return _studies().read_sweep(folder)


def repeat(
    folder: Path | str,
    run: int,
    record: Sequence[str] | None = None,
    progress: Callable[[float], object] | None = None,
) -> Result:
    """One run of a sweep again, to the last bit. record: variables to keep, default all outputs."""
    return _studies().repeat(folder, run, record, progress)


def plot_sweep(sweep: Sweep, path: Path | str) -> Path:
    """A picture of a sweep: histograms of the metrics, scatters over the parameters, worst runs."""
    from .studies.figures import summary_figure

    return save(summary_figure(sweep), path)


def _is_system(path: Path) -> bool:
    """Whether a description is one of a system of FMUs; what can't be read is left to the readers to complain of."""
    if path.suffix == ".ssp":
        return True
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")).get("kind") == "system"
    except (OSError, ValueError):
        return False


def _studies():
    try:
        from .studies import folder
    except ImportError as error:
        raise ValueError(f"sweeps need Dask and pyarrow ({error}): pip install 'spacefmu[sweep]'") from error
    return folder
