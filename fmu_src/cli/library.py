"""spacefmu list"""

from __future__ import annotations

from typing import Annotated

import typer

from .console import give_json, screen


def list_catalogue(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with the path of each file.")] = False,
) -> None:
    """List the catalogue: spacecraft, controllers and systems that come with spacefmu.

    [bold]Examples:[/bold]

      spacefmu list

      spacefmu build FlexibleSatellite
    """
    from rich.table import Table

    from ..catalogue import entries

    found = entries()
    if as_json:
        return give_json(
            [{"name": e.name, "kind": e.kind, "description": e.description, "path": str(e.path)} for e in found]
        )
    if not screen.is_terminal:
        return print("\n".join(f"{e.name}\t{e.kind}\t{e.description}" for e in found))
    table = Table(box=None, header_style="bold")
    for column in ("name", "kind", "what it is [and which paper it comes from]"):
        table.add_column(column.replace("[", r"\["))
    for e in found:
        table.add_row(f"[bold]{e.name}[/bold]", e.kind, e.description.replace("[", r"\["))
    return screen.print(table)
