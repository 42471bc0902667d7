"""The commands in one app, and how errors are reported."""

from __future__ import annotations

import atexit
import gc
import logging
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer

from .console import NOTHING_KEPT, STOPPED, Stopped, fail
from .stopping import heard, listening

# Command: its module here and its function there. In the order of the help: what a newcomer needs first comes first.
COMMANDS = {
    "demo": ("demo", "demo"),
    "list": ("library", "list_catalogue"),
    "new": ("new", "new"),
    "build": ("build", "build"),
    "simulate": ("simulate", "simulate"),
    "view": ("view", "view"),
    "report": ("report", "report"),
    "system": ("system", "system"),
    "sweep": ("sweep", "sweep"),
    "linearize": ("linearize", "linearize"),
    "info": ("info", "info"),
    "inverse": ("inverse", "inverse"),
    "modes": ("modes", "modes"),
    "check": ("check", "check"),
    "validate": ("validate", "validate"),
    "schema": ("schema", "schema"),
    "cache": ("cache", "cache"),
}


def app_of(names: Iterable[str]) -> typer.Typer:
    """The app with some of the commands."""
    app = typer.Typer(
        name="spacefmu",
        help="Builds an FMU of a spacecraft from one text file; the FMU has no runtime dependencies.",
        epilog="Start with [bold]spacefmu demo[/bold], then [bold]spacefmu new MySatellite[/bold].",
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    for name in names:
        module, function = COMMANDS[name]
        command = getattr(import_module(f".{module}", __package__), function)
        if isinstance(command, typer.Typer):
            app.add_typer(command)
        else:
            app.command(name)(command)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from .versions import versions

        print(versions())
        raise typer.Exit


def options(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show the versions of spacefmu, Python and packages, for a bug report, and stop.",
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; allowed anywhere on the line.")
    ] = False,
) -> None:
    """Builds an FMU of a spacecraft from one text file; the FMU has no runtime dependencies."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Wrong input: one sentence on stderr and exit code 2."""
    # No garbage collection while the process ends: it took a tenth of the time of short commands.
    atexit.register(gc.freeze)
    arguments = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    debug = "--debug" in arguments
    # Only the requested command is imported: importing all of them takes longer than many of them run.
    asked = next((argument for argument in arguments if not argument.startswith("-")), "")
    app = app_of([asked] if asked in COMMANDS else COMMANDS)
    if not debug:  # matplotlib reports on its font cache, which is of no use to a reader of the picture
        logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with listening():
        try:
            words = [argument for argument in arguments if argument != "--debug"]
            code = app(words, prog_name="spacefmu", standalone_mode=False)
            if code == STOPPED:  # typer's answer to KeyboardInterrupt
                raise Stopped(NOTHING_KEPT)
            if heard.number:  # swallowed by code in between
                raise Stopped("everything was written")
        except Exception as error:
            if debug and not isinstance(error, Stopped):
                raise
            code = fail(Stopped(NOTHING_KEPT) if heard.number and not isinstance(error, Stopped) else error)
    if heard.number:
        heard.forget_unhandled()
    sys.exit(code if isinstance(code, int) else 0)
