"""Views and reports of runs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from spacefmu.dynamics.system.contract import System

from .. import catalogue
from ..archive.description import read_description
from ..results import Result, read_result, read_table
from ..results.names import array_name
from ..results.reading import READERS
from .models import Source, carried, is_system, load, only_look
from .renamed import renamed
from .running import simulate
from .systems import cosimulate

if TYPE_CHECKING:
    from ..live.page import LivePage
    from ..view.sight import Sight
    from ..view.subject import Subject

Shown = Result | Path | str | np.ndarray  # a run to look at: a table, its file, a structured array
MODELS = (".toml", ".fmu", ".ssp", ".py")


@renamed(progress="on_progress", report="on_message")
def look(
    source: Shown | System,
    model: Source | None = None,
    compare: Shown | Sequence[Shown] | None = None,
    still: bool = False,
    modes: bool = False,
    stop: float | None = None,
    on_message: Callable[[str], None] | None = None,
    on_progress: Callable[[float], object] | None = None,
    units: Sequence[str] = (),
) -> Sight:
    """The view of a result (a table, its file, a structured array as FMPy gives it), a description, an FMU or a system of FMUs; `.page()`
    is its HTML, `.glb()` its glTF.

    model: description or FMU used to draw a result that does not carry one. compare: one or more other results. still: only the start.
    modes: the mode shapes instead of a run. stop [s]: end of the run of a description, an FMU or a system.
    on_message: called with a few words as each part of the work begins. on_progress: with the fraction of the run done.
    units: the units of a system to draw; default: all that have bodies, except an inverse problem whose motion another unit follows.
    """
    from ..view.sight import modes_of, sight_of
    from ..view.subject import Subject, with_bodies

    drawn_by = _system(model)
    of = _model_of(source)
    if of is not None:
        only_look(of)
    if of is None and (modes or still):
        raise ValueError(f"{_words(source)}: is a result; name its description to see the start or the modes")
    if of is None and stop is not None:
        raise ValueError(f"{_words(source)}: is a result; a stop time applies only to models that are simulated first")
    if of is not None and (modes or still):
        system = with_bodies(of if isinstance(of, System) else load(of))
        subject = Subject(system.name, system)
        return modes_of(subject) if modes else sight_of([subject])
    title = "" if of is None else of.name if isinstance(of, System) else Path(of).stem
    first = cast(Shown, source) if of is None else run(of, stop, on_message, on_progress)
    shown, notes = _read([first, *_several(compare)], title)
    subjects, failures = _subjects(shown, drawn_by, units)
    if not subjects or subjects[0].title != next(iter(shown)):
        raise ValueError(failures[0])
    sight = sight_of(subjects)
    return replace(sight, notes=(*notes, *failures, *sight.notes))


@renamed(say="on_message")
def report(
    result: Shown,
    path: Path | str,
    compare: Shown | Sequence[Shown] | None = None,
    model: Source | None = None,
    on_message: Callable[[str], None] | None = None,
    title: str = "",
    units: Sequence[str] = (),
) -> tuple[str, ...]:
    """Write the report of a run, or a comparison of several, as one HTML page; returns sentences on what could not be shown.

    result, compare: tables, their files, or structured arrays as FMPy gives them. model: description or FMU used to draw results that do
    not carry one. on_message: called with a few words as each part of the work begins. units: the units of a system to draw (see `look`).
    """
    from ..report.report import Reported, report_page
    from ..results.files import whole_file
    from ..view.sight import sight_of

    on_message = on_message or (lambda words: None)
    if _model_of(result) is not None:
        raise ValueError(
            f"{_words(result)}: is not a result; spacefmu simulate runs a model, and --report reports on the run"
        )
    runs, notes = _read([result, *_several(compare)], title)
    empty = [name for name, run in runs.items() if not len(run.time)]
    if empty:
        raise ValueError(f"{empty[0]}: the result is empty")
    on_message("placing bodies")
    subjects, failures = _subjects(runs, _system(model), units)
    sight = sight_of(subjects) if subjects else None
    on_message("drawing plots")
    crafts = (subjects[0], *subjects[0].beside) if subjects else ()
    name = title or (crafts[0].system.name if crafts else next(iter(runs)))
    said = dict.fromkeys([*notes, *failures, *(words for subject in subjects for words in subject.notes)])
    page = report_page(Reported(name, runs, sight, crafts, tuple(said)))
    with whole_file(path) as unfinished:
        unfinished.write_text(page, encoding="utf-8")
    return tuple(said)


def live(
    source: Source, inputs: Result | Path | str | None = None, on_message: Callable[[str], None] | None = None
) -> LivePage:
    """A page that simulates a description, an FMU that spacefmu built, a catalogue entry, or a system of such units fused into one.

    A notebook displays it; `.html` is the page, one file that works offline: the model as WebAssembly, a 3-D view, plots, controls.
    inputs: a table over time, or its file, which the inputs follow at first. on_message: called as each part of the work begins.
    An FMU is compiled from the description that it carries, never from its sources.
    """
    from ..live.page import LivePage, live_page

    on_message = on_message or (lambda words: None)
    of = _model_of(source)
    if of is None:
        raise ValueError(f"{_words(source)}: is a result; a live page needs a description, an FMU or a catalogue name")
    only_look(of)
    table = inputs if inputs is None or isinstance(inputs, Result) else read_table(inputs)
    on_message("reading")
    system = of if isinstance(of, System) else load(of)
    on_message("compiling for WebAssembly")
    return LivePage(system.name, live_page(system, table))


def _model_of(source: Shown | System) -> Source | None:
    """The model to run, if the source is not a result; anything else is refused."""
    if isinstance(source, System):
        return source
    if not isinstance(source, str | os.PathLike):
        return None  # a table, or nothing at all: read_result says so
    path = Path(source)
    if path.is_dir():
        what = (
            f"is the folder of a sweep; spacefmu simulate {path} --run N --report run.html shows one of its runs"
            if (path / "sweep.json").is_file()
            else "is a folder; name a result, a description, an FMU or a catalogue entry"
        )
        raise IsADirectoryError(f"{path}: {what}")
    ending = path.suffix.lower()
    if ending not in (*READERS, *MODELS, ""):
        raise ValueError(
            f"{path}: unknown kind of file; name a result ({', '.join(READERS)}), a description or system (.toml, .ssp), an FMU (.fmu), or a catalogue entry"
        )
    return None if ending in READERS else source


def _system(model: Source | None) -> System | None:
    if model is not None:
        only_look(model)
    return model if model is None or isinstance(model, System) else load(model)


def _several(compare: Shown | Sequence[Shown] | None) -> list[Shown]:
    if compare is None:
        return []
    return list(compare) if isinstance(compare, list | tuple) else [cast(Shown, compare)]


def _words(source: object) -> str:
    return str(source) if isinstance(source, str | os.PathLike) else "this"


def _read(sources: Sequence[Shown], title: str = "") -> tuple[dict[str, Result], list[str]]:
    """Results by name, and what is wrong with them. Files of the same name are distinguished by their folders."""
    paths = [Path(source) if isinstance(source, str | os.PathLike) else None for source in sources]
    stems = Counter(path.stem for path in paths if path is not None)
    runs: dict[str, Result] = {}
    notes: list[str] = []
    for source, path in zip(sources, paths, strict=True):
        name = title or "run"
        if path is not None:
            whole = path.absolute()
            name = whole.stem if stems[whole.stem] == 1 else f"{whole.parent.name}/{whole.stem}"
        if name in runs:
            name = next(again for number in count(2) if (again := f"{name} ({number})") not in runs)
        runs[name], wrong = read_result(source)
        notes += wrong
    return runs, notes


def _subjects(
    runs: Mapping[str, Result], drawn_by: System | None, units: Sequence[str]
) -> tuple[list[Subject], list[str]]:
    """The drawable part of runs of one spacecraft, and sentences on the rest. A run without a description is drawn with the first run's."""
    from ..view.sight import same_craft
    from ..view.subject import Loaded, can_draw, subject_of

    subjects: list[Subject] = []
    failures: list[str] = []
    loaded: Loaded = {}
    for name, result in runs.items():
        model = drawn_by
        if model is None and subjects and not result.origin.get("units") and can_draw(subjects[0].system, result):
            model = subjects[0].system
        try:
            subject = subject_of(result, name, model, units, loaded)
            if subjects:
                same_craft(subjects[0], subject)
        except ValueError as error:
            failures.append(str(error))
            continue
        subjects.append(subject)
    return subjects, failures


@renamed(progress="on_progress", report="on_message")
def run(
    source: Source,
    stop: float | None = None,
    on_message: Callable[[str], None] | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> Result:
    """The default experiment of a description, an FMU built by spacefmu or a system of them, with everything that a view shows.

    No finished FMU is run: each is rebuilt from the description that it carries, and one without a description is refused.
    """
    if not isinstance(source, System) and Path(source).suffix != ".fmu":
        source = catalogue.find(source)
        if is_system(source):
            return cosimulate(source, on_message=on_message, on_progress=on_progress, stop=stop, rebuild=True)
    from ..view.subject import with_bodies

    system = with_bodies(source) if isinstance(source, System) else with_bodies(carried(source), source)
    return simulate(system, stop, record=seen_names(system), on_progress=on_progress, on_message=on_message)


def seen_names(source: System | Path | str) -> list[str] | None:
    """The variables to record for a view or a report: all outputs, and the other states that a view needs (beads of tethers are not outputs).

    None for an FMU without a readable description, which keeps its default variables.
    """
    from ..interface.variables import variables_of

    if isinstance(source, System):
        return _seen(source, variables_of(source))
    try:
        return _seen(load(source), read_description(source).modelVariables)
    except ValueError:
        return None


def _seen(system: System, variables: Iterable) -> list[str]:
    lines = system.about.picture().lines if system.about.picture is not None else ()
    beads = {line.beads for line in lines if line.beads}  # FMI 3.0 has them as arrays, FMI 2.0 their elements
    return [v.name for v in variables if v.causality == "output" or array_name(v.name) in beads]
