"""What the shell offers at <TAB>: catalogue names, and variables of the FMU on the line. The shell itself completes file names."""

from __future__ import annotations

import re
from pathlib import Path

import typer


def models(incomplete: str) -> list[tuple[str, str]]:
    """Spacecraft and controllers of the catalogue, each with its description."""
    from ..catalogue import entries

    return [(e.name, e.description) for e in entries() if e.kind != "system" and e.name.startswith(incomplete)]


def systems(incomplete: str) -> list[tuple[str, str]]:
    """Systems of FMUs in the catalogue, each with its description."""
    from ..catalogue import entries

    return [(e.name, e.description) for e in entries() if e.kind == "system" and e.name.startswith(incomplete)]


def platforms(incomplete: str) -> list[str]:
    """Platforms that may follow those given before the last comma."""
    from ..native.platforms.table import FOLDERS

    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in ("host", *FOLDERS) if name.startswith(last)]


def variables(context: typer.Context, incomplete: str) -> list[str]:
    """Variables and whole arrays of the FMU on the line; nothing for a description, which would have to be built first."""
    # A line that ends with an option without its value is not parsed: the model is then among the arguments left over.
    words = (context.params.get("model") or "", *context.args)
    model = next((word for word in words if Path(word).suffix == ".fmu"), None)
    return [name for name in _names(model) if name.startswith(incomplete)] if model else []


def _names(model: str) -> list[str]:
    from ..archive.members import variable_names

    names = variable_names(model)
    return [*dict.fromkeys(re.sub(r"\[[0-9,]+\]$", "", name) for name in names), *(n for n in names if n.endswith("]"))]
