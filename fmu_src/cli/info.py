"""spacefmu info"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from .console import give_json, screen

_CAUSALITIES = ("input", "output", "parameter", "calculatedParameter", "local", "independent")


def info(
    fmu: Annotated[Path, typer.Argument(help="An FMU from any tool.")],
    only: Annotated[
        str, typer.Option("--only", help="Causalities to show, separated by commas: input, output, parameter, local.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """Show what is in an FMU: variables with units, capabilities, platforms.

    [bold]Examples:[/bold]

      spacefmu info plant.fmu

      spacefmu info plant.fmu --only input,output

      spacefmu info plant.fmu --json | jq '.variables\\[].name'
    """
    from dataclasses import asdict

    from ..archive.facts import facts_of

    facts = asdict(facts_of(fmu))
    wanted = [word.strip() for word in only.split(",") if word.strip()]
    unknown = [word for word in wanted if word not in _CAUSALITIES]
    if unknown:
        raise ValueError(f"--only is {unknown[0]!r}; must be some of {', '.join(_CAUSALITIES)}")
    if wanted:
        facts["variables"] = [row for row in facts["variables"] if row["causality"] in wanted]
    if as_json:
        return give_json(facts)
    return _show(facts) if screen.is_terminal else _print(facts)


_COLUMNS = ("name", "causality", "variability", "type", "unit", "start", "description")


def _text(value) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _print(facts: dict) -> None:
    """Plain tab-separated rows, for other programs."""
    print("\n".join("\t".join(_text(row[column]) for column in _COLUMNS) for row in facts["variables"]))


def _show(facts: dict) -> None:
    from rich.markup import escape
    from rich.table import Table

    experiment = ", ".join(f"{key} {value:g}" for key, value in facts["experiment"].items() if value is not None)
    rows = {
        "name": f"[bold]{escape(facts['name'])}[/bold]",
        "what it is": escape(facts["description"]),
        "FMI": f"{facts['fmi_version']}, {' and '.join(facts['kinds'])}",
        "platforms": ", ".join(facts["platforms"]) or "none (sources only)",
        "experiment": experiment or "none stated",
        "made by": escape(facts["generated_by"]),
        **{f"can ({kind})": ", ".join(flags) or "nothing special" for kind, flags in facts["capabilities"].items()},
    }
    head = Table(box=None, show_header=False)
    for name, text in rows.items():
        head.add_row(f"[dim]{name}[/dim]", text)
    screen.print(head)
    for causality in _CAUSALITIES:
        own = [row for row in facts["variables"] if row["causality"] == causality]
        if own:
            screen.print(_table(f"\n{causality}: {len(own)}", own))


def _table(title: str, rows: list[dict]):
    """Variables of one causality; names are wrapped only if they need more than half the screen."""
    from rich.markup import escape
    from rich.table import Table

    arrays = _arrays(rows)
    table = Table(box=None, header_style="dim", title=title, title_justify="left")
    table.add_column("name", overflow="fold", no_wrap=max(map(len, arrays)) <= screen.width // 2)
    table.add_column("unit", no_wrap=True)
    table.add_column("start", overflow="fold")
    table.add_column("description")
    for name, members in arrays.items():
        texts = name, _unit(members[0]), _start(members), members[0]["description"]
        table.add_row(*(escape(text) for text in texts))
    return table


_ELEMENT = re.compile(r"(.*)\[([0-9,]+)\]")


def _arrays(rows: list[dict]) -> dict[str, list[dict]]:
    """Rows by variable name, the elements of an array together: hub.force[1..3]."""
    found: dict[str, list[dict]] = {}
    for row in rows:
        element = _ELEMENT.fullmatch(row["name"])
        found.setdefault(element[1] if element else row["name"], []).append(row)
    return {_name(name, members): members for name, members in found.items()}


def _name(name: str, rows: list[dict]) -> str:
    first, last = (_ELEMENT.fullmatch(rows[i]["name"]) for i in (0, -1))
    if not first or not last:
        return name
    return rows[0]["name"] if len(rows) == 1 else f"{name}[{first[2]}..{last[2]}]"


def _unit(row: dict) -> str:
    """The unit, or the type if there is no unit."""
    return row["unit"] or ("" if row["type"] == "Real" else row["type"])


def _start(rows: list[dict]) -> str:
    """Start values, once if they are all the same."""
    texts = [_text(row["start"]) for row in rows]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)
