"""Options that several commands have alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Units = Annotated[
    list[str] | None,
    typer.Option(
        "--unit", metavar="NAME", help="Of a system: draw only this unit (repeatable); default: all units with bodies."
    ),
]
Picture = Annotated[Path | None, typer.Option("--plot", help="Picture of the results: .png, .svg or .pdf.")]
ReportPage = Annotated[
    Path | None, typer.Option("--report", help="Report of the run, with a 3-D view: .html (see spacefmu report).")
]
