"""spacefmu system run | pack | show"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from . import complete
from .build import platform_names, version_of
from .console import give, give_json, keeping, note, tell_of_code, working
from .options import Picture, ReportPage
from .outputs import check_outputs
from .simulate import say_ending, setting, tell_bounds, until_failure, write_report
from .stopping import Ending

system = typer.Typer(
    name="system",
    help="Run, pack and show systems of coupled FMUs.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Algorithm(StrEnum):
    """How values pass between units (fmu_src/cosim/system.py)."""

    gauss_seidel = "gauss_seidel"
    jacobi = "jacobi"
    monolithic = "monolithic"


class SspVersion(StrEnum):
    """SSP 2.0 has arrays and the types of FMI 3.0."""

    first = "1"
    second = "2"


Source = Annotated[
    str,
    typer.Argument(
        metavar="SYSTEM",
        help="A system (.toml), an SSP file (.ssp, from any tool), or a catalogue name.",
        autocompletion=complete.systems,
    ),
]


@system.command()
def run(
    source: Source,
    stop: Annotated[float | None, typer.Option("--stop", help="Stop time \\[s]; default: the system's.")] = None,
    step: Annotated[
        float | None, typer.Option("--step", help="Communication step \\[s]; default: the system's.")
    ] = None,
    algorithm: Annotated[
        Algorithm | None,
        typer.Option(
            "--algorithm",
            "-a",
            help="How units exchange values; monolithic: all units as one FMU, no coupling error.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="UNIT.NAME=VALUE", help="Parameter or start value; may be repeated."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Results: .csv, .npz or .mat; default: NAME.csv.")
    ] = None,
    picture: Picture = None,
    page: ReportPage = None,
    variables: Annotated[
        list[str] | None,
        typer.Option("--variable", "-v", metavar="UNIT.NAME", help="Variable to keep and plot; may be repeated."),
    ] = None,
    real_time: Annotated[
        float | None,
        typer.Option("--real-time", metavar="SPEED", help="Pace to the wall clock; 1 is real time, 2 twice as fast."),
    ] = None,
    timing: Annotated[
        Path | None, typer.Option("--timing", help="With --real-time: picture of slack and jitter.")
    ] = None,
) -> None:
    """Run a system of FMUs, and write the results. A unit that fails ends the run; results up to that time are kept.

    [bold]Examples:[/bold]

      spacefmu system run AttitudeSlew --plot slew.png -v controller.error -v plant.panel.tip.displacement

      spacefmu system run others.ssp --step 0.01 --stop 20 -o run.mat

      spacefmu system run AttitudeSlew --real-time 1 --timing timing.png
    """
    from ..results.plot import save

    name = Path(source).stem
    output = output or Path(f"{name}.csv")
    check_outputs((source,), output=output, picture=picture, timing=timing, page=page)
    if timing and real_time is None:
        raise ValueError("--timing plots the pacing of --real-time: give both")
    values = dict(setting(text) for text in settings or [])
    with keeping() as files:
        with working(f"Running {name}") as (on_message, on_progress):
            from .. import api  # imports take about a second: only after the first message is shown
            from ..cosim.real_time import RealTimeClock, timing_figure

            tell_of_code(api.python_of(source))
            clock = None if real_time is None else RealTimeClock(real_time)
            chosen = algorithm and algorithm.value
            with Ending(on_progress) as ending:
                result, failure = until_failure(
                    lambda: api.cosimulate(
                        source, None, on_message, ending, stop, step, values, variables, clock, chosen
                    )
                )
        files.append(result.write(output))
        give(str(output), f"{len(result.names)} variables at {len(result.time)} instants")
        if picture is not None:
            files.append(save(api.plot(result, variables, name), picture))
            give(str(picture))
        if page is not None:
            write_report(result, page, name, files)
        if clock is not None:
            _tell(clock.numbers(), clock.latencies())
        if clock is not None and timing is not None and len(result.time) > 1:
            files.append(save(timing_figure(clock, result.time[1]), timing))
            give(str(timing))
    tell_bounds(result)
    for remark in result.remarks:
        note(remark)
    say_ending(result, failure, ending.asked, output)


def _tell(numbers: dict[str, float], latencies: dict[str, float]) -> None:
    print(f"steps       {numbers['steps']}")
    print(f"overruns    {numbers['overruns']}  (latest {1e3 * numbers['latest']:.3f} ms after it was due)")
    shown = ", ".join(f"{share} % {1e6 * value:.1f} µs" for share, value in latencies.items())
    print(f"latency     {shown}")
    print(f"mean slack  {1e3 * numbers['mean_slack']:.3f} ms")
    print(
        f"jitter      median {1e6 * numbers['jitter_median']:.1f} µs, 99 % {1e6 * numbers['jitter_99']:.1f} µs, "
        f"largest {1e6 * numbers['jitter_largest']:.1f} µs"
    )


@system.command()
def pack(
    source: Source,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; default: NAME.ssp.")] = None,
    platform: Annotated[
        str,
        typer.Option(
            "--platform",
            "-p",
            help="Platforms of the FMUs, separated by commas, such as linux64,win64,darwin64; [bold]host[/bold] is this machine's.",
            autocompletion=complete.platforms,
        ),
    ] = "host",
    ssp: Annotated[SspVersion, typer.Option("--ssp", help="Version of SSP.")] = SspVersion.first,
    fmi: Annotated[str, typer.Option("--fmi", help="Version of FMI of the FMUs, 2 or 3; 3 needs --ssp 2.")] = "2",
) -> None:
    """Write a system as a standard SSP file: its FMUs, and the start values of each unit as a parameter set (.ssv).

    [bold]Examples:[/bold]

      spacefmu system pack AttitudeSlew -o slew.ssp

      spacefmu system pack AttitudeSlew --ssp 2 --fmi 3 --platform x86_64-linux,x86_64-windows
    """
    platforms, version = platform_names(platform), version_of(fmi)
    if output is not None and output.suffix != ".ssp":
        raise ValueError(f"{output}: the name of an SSP file ends with .ssp")
    with working(f"Packing {Path(source).stem}") as (on_message, _):
        from .. import api

        tell_of_code(api.python_of(source))
        path = api.pack(source, output, on_message, platforms, 2 if ssp == SspVersion.second else 1, version)
    give(str(path), f"{path.stat().st_size / 1024:.0f} kB; spacefmu system run {path} runs it")


@system.command()
def show(
    source: Source,
    picture: Annotated[Path | None, typer.Option("--output", "-o", help="Block diagram: .png, .svg or .pdf.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The system as JSON.")] = False,
) -> None:
    """Show the units of a system and their connections; with -o, draw the block diagram.

    [bold]Examples:[/bold]

      spacefmu system show AttitudeSlew -o slew.svg
    """
    from .. import api
    from ..cosim.diagram import diagram, lines
    from ..results.plot import save

    found, models = api.read_coupled(source)
    if as_json:
        return give_json(found.model_dump(mode="json", by_alias=True))
    print(f"{found.name}: step {found.step:g} s, stop {found.stop:g} s, {found.algorithm}")
    for unit, model in models.items():
        print(f"  {unit}: {model}")
    for (start, end), words in lines(found).items():
        print(f"{start} → {end}")
        for line in words:
            print(f"  {line}")
    if picture is not None:
        give(str(save(diagram(found, models), picture)))
    return None
