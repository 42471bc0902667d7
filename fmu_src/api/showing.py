"""What there is to see: views and reports of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dynamics.system import System

from .. import catalogue
from ..archive.members import described_by
from ..results import Result, read_table
from ..results.table import READERS
from .models import is_system, load
from .running import simulate
from .systems import cosimulate

if TYPE_CHECKING:
    from ..view.sight import Sight


def look(
    source: Path | str | Result,
    model: Path | str | None = None,
    compare: Path | str | None = None,
    still: bool = False,
    modes: bool = False,
    stop: float | None = None,
    report: Callable[[str], None] | None = None,
    progress: Callable[[float], object] | None = None,
    units: Sequence[str] = (),
) -> Sight:
    """What there is to see of a result (a table, or its file), a description, an FMU or a system of FMUs; `.page()` is its HTML, `.glb()` its glTF.

    model: what a result is drawn by, if it does not carry its description. compare: a second result. still: the start alone.
    modes: the linear mode shapes instead of a run. stop [s]: of the run that a description, an FMU or a system is given.
    units: which units of a system are drawn; default: all that have bodies, but no inverse problem beside what follows it.
    """
    from ..view.sight import modes_of, sight_of
    from ..view.subject import Subject, subject_of

    drawn_by = None if model is None else load(model)
    if isinstance(source, Result) or Path(source).suffix.lower() in READERS:
        if modes or still:
            raise ValueError(f"{source}: is a result; its description has the start and the modes")
        result = source if isinstance(source, Result) else read_table(source)
        title = "run" if isinstance(source, Result) else Path(source).stem
        subjects = [subject_of(result, title, drawn_by, units)]
    elif not (modes or still):
        result = run(source, stop, report, progress, foreign=drawn_by is not None)
        subjects = [subject_of(result, Path(source).stem, drawn_by, units)]
    else:
        system = load(source)
        if system.picture is None:
            raise ValueError(f"{source}: has no body that could be drawn")
        subjects = [Subject(system.name, system)]
        return modes_of(subjects[0]) if modes else sight_of(subjects)
    if compare is not None:
        subjects.append(subject_of(read_table(compare), Path(compare).stem, drawn_by, units))
    return sight_of(subjects)


def report(
    result: Result | Path | str,
    path: Path | str,
    compare: Result | Path | str | None = None,
    model: Path | str | None = None,
    say: Callable[[str], None] | None = None,
    title: str = "",
    units: Sequence[str] = (),
) -> tuple[str, ...]:
    """Write the report of a run, or of two beside each other, as one HTML page; gives sentences on what could not be shown.

    result, compare: tables or their files. model: what they are drawn by, if they do not carry their description.
    units: which units of a system are drawn (see `look`).
    """
    from ..report.report import Reported, report_page
    from ..results.files import whole_file
    from ..view.sight import sight_of
    from ..view.subject import Subject, subject_of

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
    drawn_by = None if model is None else load(model)
    sight: Sight | None = None
    subjects: list[Subject] = []
    notes: list[str] = []
    for name, run in runs.items():  # what can be drawn is drawn, beside it what is of the same craft
        try:
            subject = subject_of(run, name, drawn_by, units)
            sight = sight_of([*subjects, subject])
        except ValueError as error:
            notes.append(str(error))
            continue
        notes += subject.notes
        subjects.append(subject)
    say("drawing plots")
    system = subjects[0].system if subjects else None
    name = title or (system.name if system is not None else next(iter(runs)))
    page = report_page(Reported(name, runs, sight, system, tuple(dict.fromkeys(notes))))
    with whole_file(path) as unfinished:
        unfinished.write_text(page, encoding="utf-8")
    return tuple(dict.fromkeys(notes))


def run(
    source: Path | str,
    stop: float | None = None,
    report: Callable[[str], None] | None = None,
    progress: Callable[[float], object] | None = None,
    foreign: bool = False,
) -> Result:
    """The default experiment of a description, an FMU or a system of FMUs, with all that a view shows of it. foreign: of FMUs of others, too."""
    if Path(source).suffix == ".fmu":
        if not foreign and not described_by(source):
            raise ValueError(
                f"{source}: carries no description of spacefmu's: there is nothing to draw; give one with --model"
            )
        return simulate(source, stop, progress=progress, report=report)
    path = catalogue.find(source)
    if is_system(path):
        return cosimulate(path, report=report, progress=progress, stop=stop)
    system = load(path)
    if system.picture is None:
        raise ValueError(f"{source}: has no body that could be drawn")
    return simulate(system, stop, record=_seen_names(system), progress=progress, report=report)


def _seen_names(system: System) -> list[str]:
    """All outputs, and the states that a view needs beside them (beads of tethers are no outputs)."""
    lines = system.picture().lines if system.picture is not None else ()
    beads = [line.beads for line in lines if line.beads]
    from ..interface.variables import variables_of

    return [*(v.name for v in variables_of(system) if v.causality == "output"), *beads]
