"""spacefmu simulate"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import complete
from .console import Stopped, give, keeping, note, say, tell_of_code, warn, working
from .options import Picture, ReportPage
from .outputs import check_outputs
from .stopping import Ending

if TYPE_CHECKING:
    from ..results.table import Result


def simulate(
    model: Annotated[
        str,
        typer.Argument(
            help="An FMU (from any tool), a description (.toml), a catalogue name, or (with --run) the folder of a sweep.",
            autocompletion=complete.models,
        ),
    ],
    stop: Annotated[float | None, typer.Option("--stop", help="Stop time \\[s]; default: the experiment's.")] = None,
    step: Annotated[
        float | None, typer.Option("--step", help="Time between results \\[s]; default: the experiment's.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="NAME=VALUE",
            help="Parameter or start value; may be repeated.",
            autocompletion=complete.variables,
        ),
    ] = None,
    inputs: Annotated[
        Path | None,
        typer.Option(
            "--input",
            "-i",
            help="Inputs over time: CSV (or .npz, .mat) with a column [bold]time[/bold] and one column per input.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Results: .csv (with units in .csv.json), .npz or .mat; orbit or attitude of the first free body: .oem, .aem; default: NAME.csv.",
        ),
    ] = None,
    picture: Picture = None,
    page: ReportPage = None,
    variables: Annotated[
        list[str] | None,
        typer.Option(
            "--variable",
            "-v",
            metavar="NAME",
            help="Variable to keep and plot; the name of an array selects all its elements; may be repeated.",
            autocompletion=complete.variables,
        ),
    ] = None,
    run: Annotated[
        int | None, typer.Option("--run", min=0, metavar="N", help="Repeat this run of a sweep, bit for bit.")
    ] = None,
) -> None:
    """Simulate an FMU or a description, and write the results.

    [bold]Examples:[/bold]

      spacefmu simulate HingedPanel --stop 30 --set panel.mode\\[1].amplitude=0.01

      spacefmu simulate plant.fmu --input torques.csv -v hub.quaternion --plot attitude.png

      spacefmu simulate plant.fmu --set hub.mass=510 -o run.mat

      spacefmu simulate results/spread --run 17 --plot run17.png
    """
    from ..results.plot import save
    from ..results.reading import read_table

    title = Path(model).stem if run is None else f"{Path(model).name}-{run}"
    if run is not None and (stop or step or settings or inputs):
        raise ValueError("--run repeats a run of a sweep unchanged; leave out --stop, --step, --set and --input")
    output = output or Path(f"{title}.csv")
    check_outputs((model, inputs), output=output, picture=picture, page=page)
    values = dict(setting(text) for text in settings or [])
    table = read_table(inputs) if inputs is not None else None
    with keeping() as files:
        with working(f"Simulating {title}") as (on_message, on_progress):
            from .. import api  # imports take about a second: only after the first message is shown

            with Ending(on_progress) as ending:
                if run is not None:
                    result, failure = api.repeat(model, run, variables, ending), None
                else:
                    tell_of_code(api.python_of(model))
                    source = model if Path(model).suffix == ".fmu" else api.load(model)
                    warn(api.warnings(source, table))
                    keep = variables
                    if page is not None and not variables and (shown := api.seen_names(source)):
                        keep = [*shown, *(table.names if table is not None else ())]
                    result, failure = until_failure(
                        lambda: api.simulate(source, stop, step, values, table, keep, ending, on_message)
                    )
        drawing = None if picture is None else api.plot(result, variables, title)
        files.append(result.write(output))
        give(str(output), f"{len(result.names)} variables at {len(result.time)} instants")
        if picture is not None and drawing is not None:
            files.append(save(drawing, picture))
            give(str(picture))
        if page is not None:
            write_report(result, page, title, files)
    tell_bounds(result)
    for remark in result.remarks:
        note(f"{Path(model).stem}: {remark}")
    say_ending(result, failure, ending.asked, output)
    if picture is None and not variables:
        say("[dim]--plot FILE draws a picture, -v NAME chooses variables[/dim]")


def tell_bounds(result: Result) -> None:
    """For units whose method bounds its work: the most evaluations that a communication step took, and the bound."""
    from ..results.solver import work_of

    for unit, told in result.origin.get("solver", {}).items():
        if (work := work_of(told)) and work.bound:
            late = f"; {work.late} events late" if work.late else ""
            print(f"{unit or 'evaluations'}: at most {work.most} per communication step, bound {work.bound}{late}")


def until_failure(run: Callable[[], Result]) -> tuple[Result, RuntimeError | None]:
    """The result of a run. Of a failed run: the results up to that time, and the error, which is raised if there are no results."""
    from ..cosim.fmu import SimulationError

    try:
        return run(), None
    except SimulationError as error:
        if error.so_far is None or not len(error.so_far.time):
            raise
        return error.so_far, error


def say_ending(result: Result, failure: RuntimeError | None, stopped: bool, output: Path) -> None:
    """Raises the reason why a run did not reach its end, with the file of its results."""
    kept = f"results up to {result.time[-1]:g} s are in {output}" if len(result.time) else ""
    if failure is not None:
        raise type(failure)(f"{failure}; {kept}") from failure
    if stopped:
        raise Stopped(kept)


def write_report(result: Result, page: Path, title: str, files: list) -> None:
    """Write the report of a run that has just ended, name it among the finished files, and warn of what it can't show."""
    from .. import api

    with working(f"Reporting {title}") as (on_message, _):
        unseen = api.report(result, page, on_message=on_message, title=title)
    files.append(page)
    give(str(page))
    for words in unseen:
        note(words)


def setting(text: str) -> tuple[str, str]:
    """Name and value of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise ValueError(f"--set is {text!r}, expected NAME=VALUE such as hub.mass=510")
    return name.strip(), value.strip()
