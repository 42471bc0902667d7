"""spacefmu list"""

from __future__ import annotations

from typing import Annotated

import typer

from .console import give_json, say, screen


def list_catalogue(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with the path of each file.")] = False,
) -> None:
    """List the catalogue: spacecraft, controllers and systems that come with spacefmu.

    [bold]Examples:[/bold]

      spacefmu list

      spacefmu build FlexibleSatellite
    """
    from rich.markup import escape
    from rich.table import Table

    from ..catalogue import entries

    found = entries()
    if as_json:
        return give_json(
            [{"name": e.name, "kind": e.kind, "description": e.description, "path": str(e.path)} for e in found]
        )
    if not screen.is_terminal:
        return print("\n".join(f"{e.name}\t{e.kind}\t{e.description}" for e in found))
    table = Table(box=None, show_header=False)
    for kind in dict.fromkeys(e.kind for e in sorted(found, key=lambda e: e.kind != "spacecraft")):
        table.add_row(f"[dim]{kind.replace('_', ' ')}[/dim]")
        for e in found:
            if e.kind == kind:
                table.add_row(f"  [bold]{e.name}[/bold]", escape(e.description))
    screen.print(table)
    return say("\n[dim]\\[stroe] and similar tags name the source paper. spacefmu build NAME builds the FMU.[/dim]")
