"""spacefmu info"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import give_json, screen


def info(
    fmu: Annotated[Path, typer.Argument(help="An FMU, ours or any other tool's.")],
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
    facts = _facts(fmu)
    wanted = [word.strip() for word in only.split(",") if word.strip()]
    known = ("input", "output", "parameter", "local", "calculatedParameter", "independent")
    unknown = [word for word in wanted if word not in known]
    if unknown:
        raise ValueError(f"--only is {unknown[0]!r}, expected some of {', '.join(known)}")
    if wanted:
        facts["variables"] = [row for row in facts["variables"] if row["causality"] in wanted]
    if as_json:
        return give_json(facts)
    return _show(facts) if screen.is_terminal else _print(facts)


def _facts(path: Path) -> dict:
    from ..cosim.fmu import platforms_of, read_description, unit_of

    description = read_description(path)
    kinds = {"co-simulation": description.coSimulation, "model exchange": description.modelExchange}
    experiment = description.defaultExperiment
    return {
        "name": description.modelName,
        "description": description.description or "",
        "fmi_version": description.fmiVersion,
        "kinds": [name for name, part in kinds.items() if part is not None],
        "platforms": platforms_of(path),
        "generated_by": description.generationTool or "",
        "guid": description.guid,
        "experiment": {key: _number(getattr(experiment, name, None)) for key, name in _EXPERIMENT.items()},
        "capabilities": {name: _capabilities(part) for name, part in kinds.items() if part is not None},
        "variables": [
            {
                "name": variable.name,
                "type": variable.type,
                "causality": variable.causality,
                "variability": variable.variability,
                "unit": unit_of(variable),
                "start": _number(variable.start),
                "description": variable.description or "",
            }
            for variable in description.modelVariables
        ],
    }


_EXPERIMENT = {"start": "startTime", "stop": "stopTime", "step": "stepSize", "tolerance": "tolerance"}


def _number(text):
    """FMPy gives texts: a number of it, if it is one."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _capabilities(part) -> list[str]:
    """The flags that are true, in FMI's own words, and numbers that are not zero."""
    words = ("can", "provides", "needs", "max", "has")
    values = ((name, getattr(part, name, None)) for name in dir(part) if name.startswith(words))
    return [name if value is True else f"{name} = {value}" for name, value in values if value]


_COLUMNS = ("name", "causality", "variability", "type", "unit", "start", "description")


def _text(value) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _print(facts: dict) -> None:
    """Plain rows with tabs, for other programs."""
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
    table = Table(header_style="bold", title=f"{len(facts['variables'])} variables", title_justify="left")
    for column in _COLUMNS:
        table.add_column(column, no_wrap=column == "name")
    for row in facts["variables"]:
        table.add_row(*(escape(_text(row[column])) for column in _COLUMNS))
    screen.print(table)
