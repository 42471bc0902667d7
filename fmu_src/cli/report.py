"""spacefmu report"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import give, note, working
from .options import Units
from .outputs import check_outputs, page_named


def report(
    result: Annotated[Path, typer.Argument(help="A result from any program: .csv, .npz or .mat.")],
    compare: Annotated[
        list[Path] | None, typer.Option("--compare", help="Another result to compare with (repeatable).")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; default: NAME_report.html in the current folder.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", help="Description or FMU used to draw the result, if the file does not name one."
        ),
    ] = None,
    units: Units = None,
) -> None:
    """Make a report of a run: view, plots, balances, events, masses, description in one HTML page that works offline.

    [bold]Examples:[/bold]

      spacefmu report run.csv

      spacefmu report run.npz --compare other.npz -o both.html
    """
    page = page_named(output, f"{result.stem}_report")
    check_outputs((result, model, *(compare or ())), 1 << 23, page=page)
    with working(f"Reporting {result.stem}") as (on_message, _):
        from .. import api  # imports take about a second: only after the first message is shown

        notes = api.report(result, page, compare, model, on_message, units=units or ())
    give(str(page))
    for words in notes:
        note(words)
