"""spacefmu inverse"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import complete
from .console import Stopped, give, keeping, working
from .outputs import check_outputs
from .stopping import Ending


def inverse(
    model: Annotated[
        str, typer.Argument(help="A description (.toml) or a catalogue name.", autocompletion=complete.models)
    ],
    path: Annotated[
        Path | None,
        typer.Option("--path", help="CSV of waypoints: [bold]time[/bold] and one column per component."),
    ] = None,
    node: Annotated[str, typer.Option("--node", help="Node that follows the path, such as hand.gripper.")] = "",
    joint: Annotated[str, typer.Option("--joint", help="Or a joint, such as elbow or wrist[2].")] = "",
    attitude: Annotated[
        bool, typer.Option("--attitude", help="The path is a rotation vector of the node's axes.")
    ] = False,
    aim: Annotated[
        str,
        typer.Option(
            "--aim", help="Objective if there are more drives than motions: least_rates, least_energy or posture."
        ),
    ] = "",
    stop: Annotated[float | None, typer.Option("--stop", help="Stop time \\[s]; default: the path's end.")] = None,
    step: Annotated[float | None, typer.Option("--step", help="Time between results \\[s].")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Results: .csv, .npz or .mat; default: NAME_inverse.csv.")
    ] = None,
    picture: Annotated[Path | None, typer.Option("--plot", help="Picture of the results: .png, .svg or .pdf.")] = None,
) -> None:
    """Given a path, find the motion of joints and base, and the drive forces and torques.

    A description with a table [bold]\\[inverse][/bold] needs no options.

    [bold]Examples:[/bold]

      spacefmu inverse SpaceManipulatorSpatial --path path.csv --node forearm.gripper --plot torques.png

      spacefmu inverse SpaceManipulator --path path.csv --node hand.gripper --aim least_energy
    """
    from ..results.plot import save

    output = output or Path(f"{Path(model).stem}_inverse.csv")
    check_outputs((model, path), output=output, picture=picture)
    with keeping() as files:
        with working(f"Inverse problem of {Path(model).stem}") as (on_message, on_progress):
            from .. import api

            system = api.inverse(model, path, node, joint, attitude, aim)
            with Ending(on_progress) as ending:
                result = api.simulate(system, stop, step, on_progress=ending, on_message=on_message)
        files.append(result.write(output))
        give(str(output), f"{len(result.names)} variables at {len(result.time)} instants")
        if picture is not None:
            assert system.made_by is not None
            _, problem = system.made_by
            drives = [name for name, _, _ in problem.forces]
            files.append(save(api.plot(result, drives, Path(model).stem), picture))
            give(str(picture))
    if ending.asked:
        raise Stopped(f"results up to {result.time[-1]:g} s are in {output}")
