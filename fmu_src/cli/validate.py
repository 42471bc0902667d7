"""spacefmu validate"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import give, give_json, note, screen, working

_OUTSIDE = 1  # exit code


def validate(
    cases: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CASE]...", help="Cases or families; * and ? stand for any text. Default: all."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only the quick cases, which take a few seconds.")] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=1, help="Worker processes; default: one per core.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the record as a Markdown page, with its picture beside it.")
    ] = None,
    fmu: Annotated[
        bool,
        typer.Option(
            "--fmu/--equations",
            help="Build each case as a native FMU and run that (default), or run the model's equations without a build.",
        ),
    ] = True,
    show: Annotated[bool, typer.Option("--list", help="List the cases and stop.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """Rerun the record of validation: compare results with published and external references.

    Each case is built as a native FMU and run in co-simulation; cases with inputs given as formulas of time evaluate the model's equations.
    The exit code is 1 if a case is outside the bound that follows from its reference's own error.

    [bold]Examples:[/bold]

      spacefmu validate

      spacefmu validate --quick --equations

      spacefmu validate adams/revolute_2 --json

      spacefmu validate --page record.md
    """
    import os

    from ..record.case import chosen

    wanted = [case for case in chosen(cases or ()) if case.quick or not quick]
    for case in wanted:
        if case.missing:
            note(f"{case.name} is skipped: it needs the package {case.missing}")
    wanted = [case for case in wanted if not case.missing]
    if show:
        for case in wanted:
            print(f"{case.name}\t{case.title}\t{case.source.program}")
        return
    if page is not None:
        from ..results.files import check_writable

        check_writable(page)
    from ..record.running import validate_all

    found = {}
    with working(f"Validating {len(wanted)} cases") as (on_message, on_progress):
        for outcome in validate_all(wanted, workers or os.cpu_count() or 1, fmu):
            found[outcome.name] = outcome
            on_message(outcome.name)
            on_progress(len(found) / len(wanted))
    outcomes = [found[case.name] for case in wanted]
    if as_json:
        give_json([_facts(outcome) for outcome in outcomes])
    else:
        _show(outcomes)
    if page is not None:
        _write(page, wanted, outcomes)
    raise typer.Exit(0 if all(outcome.passed for outcome in outcomes) else _OUTSIDE)


def _write(page: Path, cases, outcomes) -> None:
    from ..record import page as form
    from ..results.plot import save

    whole = len(cases) > form.WORST
    if whole:
        image = page.parent / form.PICTURE
        image.parent.mkdir(parents=True, exist_ok=True)
        save(form.picture(cases, outcomes), image)
    page.write_text(form.page(cases, outcomes, whole), "utf-8")
    give(str(page))


def _facts(outcome) -> dict:
    fields = ("what", "unit", "worst", "error", "allowed", "count", "why")
    return {
        "name": outcome.name,
        "passed": outcome.passed,
        "fmu": outcome.fmu,
        "failure": outcome.failure,
        "found": [{field: getattr(each, field) for field in fields} for each in outcome.found],
    }


def _show(outcomes) -> None:
    """One line per case; on a terminal only those outside, and the count."""
    for outcome in outcomes:
        said = (
            outcome.failure
            or f"{outcome.worst.error:.2e} of {outcome.worst.allowed:.2e} {outcome.worst.unit}".rstrip()
            + f"\t{outcome.worst.what}"
        )
        if not screen.is_terminal or not outcome.passed:
            print(f"{'inside' if outcome.passed else 'OUTSIDE'}\t{outcome.name}\t{said}")
    inside = sum(outcome.passed for outcome in outcomes)
    print(f"{inside} of {len(outcomes)} cases inside their bounds")
