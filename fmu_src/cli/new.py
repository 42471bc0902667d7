"""spacefmu new"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .console import give

TEMPLATES = Path(__file__).parent / "templates"


class Kind(StrEnum):
    """What to start from: a template each."""

    satellite = "satellite"
    manipulator = "manipulator"
    tether = "tether"
    tree = "tree"


def new(
    name: Annotated[str, typer.Argument(help="Name of the spacecraft: letters, digits and _.")],
    kind: Annotated[Kind, typer.Option("--kind", "-k", help="What to start from.")] = Kind.satellite,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; default NAME.toml.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
) -> None:
    """Write a commented description to start from. It builds as it is.

    [bold]Examples:[/bold]

      spacefmu new MySatellite

      spacefmu new Servicer --kind manipulator
    """
    from dynamics.description.names import NAME

    from ..results.files import whole_file

    if not NAME.fullmatch(name):
        raise ValueError(f"the name is {name!r}, expected letters, digits and _, beginning with a letter")
    path = output or Path(f"{name}.toml")
    if path.exists() and not force:
        raise ValueError(f"{path}: is there already; --force replaces it")
    text = (TEMPLATES / f"{kind.value}.toml").read_text(encoding="utf-8")
    with whole_file(path) as unfinished:
        unfinished.write_text(text.replace("@NAME@", name), encoding="utf-8")
    give(str(path), f"edit it, then: spacefmu build {path}")
