"""spacefmu demo"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import give, give_json, say, working

SYSTEM = "AttitudeSlew"


def demo(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder for FMUs, results and picture.")] = Path(
        "build/demo"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="The numbers as JSON.")] = False,
) -> None:
    """Build a flexible satellite and its controller as FMUs, and co-simulate a 30 degree slew.

    [bold]Examples:[/bold]

      spacefmu demo

      spacefmu demo -o demo --json
    """
    from .. import api
    from ..results.plot import save
    from ..results.slew import slew_figure, slew_numbers

    with working("Demo") as (report, progress):
        result = api.cosimulate(SYSTEM, folder, report, progress)
        report("writing results")
        numbers = slew_numbers(result)
        files = [*sorted(folder.glob("*.fmu")), result.write(folder / "slew.csv"), result.write(folder / "slew.npz")]
        files.append(save(slew_figure(result), folder / "slew.png"))
    if as_json:
        return give_json({"files": [str(path) for path in files], "numbers": numbers.as_dict()})
    say(
        "[bold]FlexibleSatellite turned by its wheels, under a controller sampled at 10 Hz: two native FMUs, co-simulated.[/bold]\n"
    )
    for line in (
        f"slew              {numbers.slew_angle:8.2f} deg, pointing error at most {numbers.largest_error:.3f} deg on the way",
        f"settled           {numbers.settled_at:8.1f} s   (error below 0.01 deg from then on; {numbers.final_error:.5f} deg at the end)",
        f"torque            {numbers.largest_torque:8.3f} N m at most",
        f"wing tip          {numbers.tip_amplitude:8.3f} mm of elastic displacement at most",
        f"angular momentum  {numbers.momentum_error:8.1e} of what the wheels exchanged: it must stay, the satellite floats free",
        f"energy balance    {numbers.energy_error:8.1e} of the energy turned over: kinetic + elastic + lost - work",
        "",
    ):
        print(line)
    for path in files:
        give(str(path))
    return None
