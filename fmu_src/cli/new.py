"""spacefmu new"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .console import give

TEMPLATES = Path(__file__).parent / "templates"


class TemplateKind(StrEnum):
    """The templates."""

    satellite = "satellite"
    manipulator = "manipulator"
    tether = "tether"
    tree = "tree"
    system = "system"
    block = "block"
    sweep = "sweep"


NEXT = {
    TemplateKind.system: "system run",
    TemplateKind.sweep: "sweep",
}  # the command for a file of that kind; else build


def new(
    name: Annotated[str, typer.Argument(help="Name of the model: letters, digits and _.")],
    kind: Annotated[TemplateKind, typer.Option("--kind", "-k", help="Template.")] = TemplateKind.satellite,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default: NAME.toml, for a block NAME.py.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented description as a starting point. It builds without changes.

    [bold]Examples:[/bold]

      spacefmu new MySatellite

      spacefmu new Servicer --kind manipulator

      spacefmu new Loop --kind system
    """
    from spacefmu.dynamics.description.names import NAME

    from ..results.files import whole_file

    if not NAME.fullmatch(name):
        raise ValueError(f"the name is {name!r}; use letters, digits and _, beginning with a letter")
    template = next(TEMPLATES.glob(f"{kind.value}.*"))
    path = output or Path(f"{name}{'.py' if kind is TemplateKind.block else '.toml'}")
    if path.exists() and not force:
        raise ValueError(f"{path}: already exists; use --force to overwrite")
    text = template.read_text(encoding="utf-8")
    with whole_file(path) as unfinished:
        unfinished.write_text(text.replace("@NAME@", name), encoding="utf-8")
    give(str(path), f"edit it, then: spacefmu {NEXT.get(kind, 'build')} {path}")
