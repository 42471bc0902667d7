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
    """Write the JSON schema of descriptions: editors complete and check with it while you type.

    taplo (in VS Code: Even Better TOML) finds it by the line [bold]#:schema ./spacefmu.schema.json[/bold] in a description.

    [bold]Examples:[/bold]

      spacefmu schema

      spacefmu schema --kind attitude_controller -o controller.schema.json
    """
    from spacefmu.dynamics.description import json_schema
    from spacefmu.dynamics.description.blocks import KINDS

    from ..results.files import whole_file

    if kind not in KINDS:
        raise ValueError(f"--kind is {kind!r}, expected one of {', '.join(KINDS)}")
    with whole_file(output) as unfinished:
        unfinished.write_text(json.dumps(json_schema(kind), indent=1) + "\n", encoding="utf-8")
    give(str(output), f"for editors: #:schema ./{output.name} as first line of a description beside it")
