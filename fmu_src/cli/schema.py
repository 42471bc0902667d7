"""spacefmu schema"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .console import give

FILE = Path("spacefmu.schema.json")  # the name in the first lines of what `new` writes


def schema(
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")] = FILE,
    kind: Annotated[str, typer.Option("--kind", "-k", help="Kind of description.")] = "spacecraft",
) -> None:
    """Write the JSON schema of descriptions, so that editors complete and check while you type.

    taplo (in VS Code: Even Better TOML) finds it by the line [bold]#:schema ./spacefmu.schema.json[/bold] in a description.

    [bold]Examples:[/bold]

      spacefmu schema

      spacefmu schema --kind attitude_controller -o controller.schema.json
    """
    from .. import api
    from ..results.files import whole_file

    text = json.dumps(api.schema(kind), indent=1) + "\n"
    with whole_file(output) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    give(
        str(output),
        f"for editors: write #:schema ./{output.name} as the first line of a description in the same folder",
    )
