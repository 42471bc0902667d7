"""spacefmu demo"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from .console import give, give_json, keeping, say, working

SYSTEM = "AttitudeSlew"


def demo(
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for FMUs, results, picture and report.")
    ] = Path("build/demo"),
    as_json: Annotated[bool, typer.Option("--json", help="The numbers as JSON.")] = False,
) -> None:
    """Build a flexible satellite and its controller as FMUs, and co-simulate a 30 degree slew, with and without input shaping.

    [bold]Examples:[/bold]

      spacefmu demo

      spacefmu demo -o demo --json
    """
    from ..results.files import check_writable

    check_writable(folder / "slew.csv", 16 << 20)  # results and FMUs together have 7 MB
    began = time.time()
    with keeping() as files, working("Demo") as (on_message, on_progress):
        from .. import api  # imports take about a second: only after the first message is shown
        from ..results.plot import save
        from ..results.slew import slew_figure, slew_numbers

        try:
            result = api.cosimulate(SYSTEM, folder, on_message, on_progress)
            naive = api.cosimulate(
                SYSTEM, folder, on_message, on_progress, start_values={"controller.shaper.active": False}
            )
        except KeyboardInterrupt:
            files += (path for path in sorted(folder.glob("*.fmu")) if path.stat().st_mtime >= began)
            raise
        on_message("writing results")
        numbers = slew_numbers(result, naive)
        files += sorted(folder.glob("*.fmu"))
        files += (result.write(folder / f"slew{ending}") for ending in (".csv", ".npz"))
        files.append(save(slew_figure(result, naive), folder / "slew.png"))
        api.report(result, folder / "slew_report.html", on_message=on_message, title="AttitudeSlew")
        files.append(folder / "slew_report.html")
    if as_json:
        return give_json({"files": [str(path) for path in files], "numbers": numbers.as_dict()})
    say(
        "[bold]Three native FMUs, co-simulated: FlexibleSatellite turns by its four wheels,\nunder a controller sampled at 10 Hz.[/bold]\n"
    )
    for line in (
        f"slew             {numbers.slew_angle:8.2f} deg  (largest error on the way {numbers.largest_error:.3f} deg)",
        f"settled          {numbers.settled_at:8.1f} s    (error below 0.01 deg from then on)",
        f"final error      {numbers.final_error:8.4f} deg",
        f"largest torque   {numbers.largest_torque:8.3f} N m",
        f"wing tip         {numbers.tip_amplitude:8.3f} mm   (largest elastic displacement)",
        f"ringing          {numbers.ringing:8.5f} mm   (of the wing's tip after the slew; {numbers.naive_ringing:.3f} mm without input shaping)",
        f"momentum error   {numbers.momentum_error:8.1e}      (of what the wheels exchanged)",
        f"energy error     {numbers.energy_error:8.1e}      (of the energy turned over)",
        "",
    ):
        print(line)
    for path in files:
        give(str(path))
    say(
        f"\nOpen [bold]{folder / 'slew_report.html'}[/bold] in a browser: the satellite in motion, and the report of the run."
    )
    return None
