"""spacefmu build"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from . import complete
from .console import give, note, tell_of_code, warn, working

_VERSIONS: dict[str, Literal[2, 3]] = {"2": 2, "2.0": 2, "3": 3, "3.0": 3}


class Flavour(StrEnum):
    """How the FMU evaluates its equations."""

    native = "native"
    python = "python"


def platform_names(text: str) -> list[str]:
    """Platform names, separated by commas."""
    platforms = [name.strip() for name in text.split(",") if name.strip()]
    if not platforms:
        raise ValueError("no platform is given; name one or more of linux64, win64, darwin64, host")
    return platforms


def version_of(text: str) -> Literal[2, 3]:
    """A version of FMI as a number."""
    if text.strip() not in _VERSIONS:
        raise ValueError(f"--fmi: version {text.strip()!r} is unknown; write 2, 3 or 2,3")
    return _VERSIONS[text.strip()]


def build(
    description: Annotated[
        str,
        typer.Argument(
            help="A description (.toml), a catalogue name, or your own block (.py).",
            autocompletion=complete.models,
        ),
    ],
    platform: Annotated[
        str,
        typer.Option(
            "--platform",
            "-p",
            help="Platforms, separated by commas; [bold]host[/bold] is this machine only, which is faster.",
            autocompletion=complete.platforms,
        ),
    ] = "linux64,win64,darwin64",
    flavour: Annotated[
        Flavour,
        typer.Option(
            "--flavour",
            "-f",
            help="native: compiled, no runtime dependencies. python: readable code, needs Python on the host.",
        ),
    ] = Flavour.native,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; default: NAME.fmu.")] = None,
    fmi: Annotated[
        str,
        typer.Option(
            "--fmi",
            help="Version of FMI, 2 or 3; [bold]2,3[/bold] writes both, as NAME_fmi2.fmu and NAME_fmi3.fmu.",
        ),
    ] = "2",
    scalars: Annotated[
        bool,
        typer.Option(
            "--scalars",
            help="FMI 3.0 without arrays, for importers that do not support them (ecos, CasADi, OMSimulator): one variable per entry, named as in FMI 2.0.",
        ),
    ] = False,
    fold: Annotated[
        bool,
        typer.Option(
            "--fold",
            help="Compile parameters into the FMU as constants, so that it runs faster; those in [bold]\\[parameters] live[/bold] stay settable.",
        ),
    ] = False,
) -> None:
    """Build the FMU of a description: native libraries for every platform, without runtime dependencies.

    [bold]Examples:[/bold]

      spacefmu build MySatellite.toml --platform host

      spacefmu build FlexibleSatellite -o plant.fmu

      spacefmu build AttitudeController --flavour python

      spacefmu build FlexibleSatellite --fmi 3 --platform host
    """
    platforms = platform_names(platform)
    versions = dict.fromkeys(version_of(word) for word in fmi.split(","))
    if scalars and 3 not in versions:
        raise ValueError("--scalars is an option of FMI 3.0 (FMI 2.0 has no arrays); add --fmi 3")
    if output is not None and output.suffix != ".fmu":
        raise ValueError(f"{output}: an FMU's file name ends with .fmu")
    with working(f"Building {Path(description).stem}") as (on_message, _):
        from .. import api  # imports take about a second: only after the first message is shown

        tell_of_code(api.python_of(description))
        source = description if Path(description).suffix in (".py", ".fmu") else api.load(description)
        warn(api.warnings(source))
        whole = output or Path(Path(description).stem if isinstance(source, str) else source.name).with_suffix(".fmu")
        built = []
        for version in versions:
            path = whole if len(versions) == 1 else whole.with_stem(f"{whole.stem}_fmi{version}")
            built.append(
                api.build(source, path, platforms, flavour.value, on_message, fold, version, scalars and version == 3)
            )
    carried = () if isinstance(source, str) else source.about.described_by
    if tables := [name for name, _ in carried[1:]]:
        note(f"packed with {Path(carried[0][0]).name}, readable by everyone who gets the FMU: {', '.join(tables)}")
    for path in built:
        give(str(path), f"{path.stat().st_size / 1024:.0f} kB; spacefmu info {path} shows what is in it")
