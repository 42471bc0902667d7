"""The commands in one app, and what becomes of errors."""

from __future__ import annotations

import logging
import sys
from typing import Annotated

import typer

from .build import build
from .cache import cache
from .check import check
from .console import NOTHING_KEPT, STOPPED, Stopped, fail
from .demo import demo
from .info import info
from .inverse import inverse
from .library import list_catalogue
from .linearize import linearize
from .modes import modes
from .new import new
from .report import report
from .schema import schema
from .simulate import simulate
from .sweep import sweep
from .system import system
from .view import view

app = typer.Typer(
    name="spacefmu",
    help="Turns the description of a spacecraft into an FMU that needs nothing on the host.",
    epilog="Start with [bold]spacefmu demo[/bold], then [bold]spacefmu new MySatellite[/bold].",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# The order here is the order in the help: what a newcomer needs first comes first.
app.command()(demo)
app.command("list")(list_catalogue)
app.command()(new)
app.command()(build)
app.command()(simulate)
app.command()(view)
app.command()(report)
app.add_typer(system)
app.command()(sweep)
app.command()(linearize)
app.command()(info)
app.command()(inverse)
app.command()(modes)
app.command()(check)
app.command()(schema)
app.command()(cache)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"spacefmu {version('spacefmu')}")
        raise typer.Exit


@app.callback()
def options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")] = False,
) -> None:
    """Turns the description of a spacecraft into an FMU that needs nothing on the host."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Wrong input: one sentence on stderr and exit code 2."""
    arguments = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    debug = "--debug" in arguments
    if not debug:  # matplotlib reports on its font cache; nobody who asked for a picture can do anything about it
        logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        code = app(
            [argument for argument in arguments if argument != "--debug"], prog_name="spacefmu", standalone_mode=False
        )
        if code == STOPPED:  # typer's answer to Ctrl-C
            raise Stopped(NOTHING_KEPT)
    except Exception as error:
        if debug and not isinstance(error, Stopped):
            raise
        code = fail(error)
    sys.exit(code if isinstance(code, int) else 0)
