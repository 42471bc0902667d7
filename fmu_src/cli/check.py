"""spacefmu check"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import complete
from .console import give_json, screen, working

_FOUND = 1  # exit code


def check(
    fmu: Annotated[
        str | None,
        typer.Argument(
            help="An FMU from any tool (FMI 2.0 or 3.0), or a description (.toml or a catalogue name).",
            autocompletion=complete.models,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file, for CI.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on every finding, not only on violations of the standard.")
    ] = False,
    static: Annotated[bool, typer.Option("--static", help="Do not run the FMU.")] = False,
    limit: Annotated[float, typer.Option("--limit", help="Time limit per call of the FMU \\[s].")] = 10.0,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules and stop.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="With --rules: as a Markdown page.")] = False,
) -> None:
    """Check an FMU (archive, model description, libraries, behaviour), or review a description before it is built.

    No code of a description is run: a system with a unit in Python is refused, with the unit's name.
    For a description, it shows masses, tree, degrees of freedom, natural frequencies and signals, and warns of suspicious numbers.
    An FMU is checked in a separate process. The exit code is 1 if it violates the standard (with --strict: if there is any finding),
    or if it can't be checked: its version has no rules, or it does not open or run here.
    An FMU is a program that runs with your rights: use --static for one you do not trust.

    [bold]Examples:[/bold]

      spacefmu check plant.fmu

      spacefmu check MySatellite.toml

      spacefmu check plant.fmu --strict --junit report.xml

      spacefmu check --rules
    """
    if rules:
        return _list(as_json, markdown)
    if fmu is None:
        raise ValueError("no FMU or description is given; name a file such as plant.fmu or MySatellite.toml")
    if Path(fmu).suffix == ".toml" or not (Path(fmu).suffix or Path(fmu).exists()):
        return _look(fmu, as_json, strict)
    from .. import api
    from ..check import report as form

    with working(f"Checking {Path(fmu).name}") as (_, on_progress):
        found = api.check(fmu, None, static, limit, on_progress)
    if junit is not None:
        junit.write_text(form.junit(found, strict), "utf-8")
    if as_json:
        give_json(form.data(found, strict))
    elif screen.is_terminal:
        screen.print(form.text(found), markup=False, soft_wrap=True)
    else:
        print("\n".join([*form.lines(found), form.summary(found)]))
    for defect in found.defects:
        raise RuntimeError(f"the check of {defect}")
    raise typer.Exit(_FOUND if found.failed(strict) else 0)


def _look(description: str, as_json: bool, strict: bool) -> None:
    """A description's overview."""
    with working(f"Looking at {Path(description).stem}"):
        from .. import api
        from ..interface import overview as form

        found = api.overview(description)
    if as_json:
        give_json(form.data(found))
    else:
        screen.print(form.text(found), markup=False, soft_wrap=True)
    raise typer.Exit(_FOUND if strict and found.warnings else 0)


def _list(as_json: bool, markdown: bool) -> None:
    from ..check.report import page
    from ..check.rules import all_rules

    if markdown:
        print(page(), end="")
    elif as_json:
        fields = ("id", "severity", "reason", "section", "quote")
        give_json([{name: getattr(rule, name) for name in fields} for rule in all_rules().values()])
    else:
        for rule in all_rules().values():
            print(f"{rule.severity}\t{rule.id}\t{rule.reason}")
