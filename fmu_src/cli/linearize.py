"""spacefmu linearize"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import complete
from .console import give, give_json, keeping, screen, tell_of_code, working


def linearize(
    model: Annotated[
        str,
        typer.Argument(
            help="A description (.toml), a catalogue name, or an FMU with directional derivatives (from any tool).",
            autocompletion=complete.models,
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A, B, C, D with names: .npz, .mat, .json or .csv.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="NAME=VALUE",
            help="Parameter, start value or input; NAME=FROM:TO:COUNT makes a family. May be repeated.",
        ),
    ] = None,
    time: Annotated[float, typer.Option("--time", "-t", help="Time of the point \\[s].")] = 0.0,
    after: Annotated[
        float | None,
        typer.Option("--after", help="Linearize at the end of a run of this length \\[s] instead of at the start."),
    ] = None,
    driven_by: Annotated[
        Path | None,
        typer.Option(
            "--driven-by", help="With --after: inputs over time, a table as for [bold]simulate --input[/bold]."
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input", "-i", metavar="NAME", help="Inputs to keep; * and ? stand for any text. May be repeated."
        ),
    ] = None,
    outputs: Annotated[
        list[str] | None, typer.Option("--out", metavar="NAME", help="Outputs and states to keep; may be repeated.")
    ] = None,
    trim: Annotated[
        list[str] | None,
        typer.Option(
            "--trim", metavar="NAME", help="Vary these states and inputs to find an equilibrium first; may be repeated."
        ),
    ] = None,
    drifting: Annotated[
        list[str] | None, typer.Option("--drifting", metavar="NAME", help="With --trim: states that may keep moving.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Keep all states: quaternions, dependent coordinates.")] = False,
    bode: Annotated[Path | None, typer.Option("--bode", help="Bode plot of the responses.")] = None,
    poles: Annotated[Path | None, typer.Option("--poles", help="Plot of poles and zeros.")] = None,
    shapes: Annotated[Path | None, typer.Option("--shapes", help="Plot of the mode shapes.")] = None,
    shares: Annotated[
        Path | None, typer.Option("--shares", help="Plot each body's share of the kinetic energy, per mode.")
    ] = None,
    frequencies: Annotated[
        Path | None, typer.Option("--frequencies", help="Plot of a family's frequencies over its grid.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The modal table as JSON.")] = False,
) -> None:
    """The linear model about a point: matrices with names and units, modes, Bode and pole–zero plots.

    [bold]Examples:[/bold]

      spacefmu linearize FlexibleSatellite -i "wheel.*.torque" --out "hub.rotation" -o plant.mat

      spacefmu linearize HingedPanel --set sadm.angle=0:6.28:37 -o family.npz --frequencies family.png

      spacefmu linearize HingedPanel --after 30 --driven-by torque.csv -o plant.mat

      spacefmu linearize arm.toml --trim "arm.*" --bode arm.png -i arm.torque --out arm.angle
    """
    from ..results.files import check_writable

    pictures = {"bode": bode, "poles": poles, "shapes": shapes, "shares": shares}
    for path in filter(None, (output, frequencies, *pictures.values())):
        check_writable(path)
    if output is not None:
        from ..linearize.files import writer_of

        writer_of(output)
    values, grid = _settings(settings or [])
    if grid and any(pictures.values()):
        raise ValueError("--bode, --poles, --shapes and --shares draw one model: give one value per --set")
    if frequencies and not grid:
        raise ValueError("--frequencies draws a family: give --set NAME=FROM:TO:COUNT")
    if after is not None and (grid or time):
        raise ValueError("--after runs one model from 0 s: leave out --time and families (--set NAME=FROM:TO:COUNT)")
    if driven_by is not None and after is None:
        raise ValueError("--driven-by holds the inputs of a run: give its end with --after [s]")
    with keeping() as files:
        with working(f"Linearizing {Path(model).stem}"):
            from .. import api
            from ..linearize import Family, plots
            from ..results.plot import save
            from ..results.reading import read_table

            options: dict[str, Any] = {
                "time": time,
                "after": after,
                "driven_by": None if driven_by is None else read_table(driven_by),
                "values": values,
                "inputs": inputs,
                "outputs": outputs,
                "full_form": full,
                "trim": trim,
                "drifting": drifting or (),
            }
            tell_of_code(api.python_of(model))
            found = api.linearize(model, grid or None, **options)
            wanted = {"frequencies": frequencies} if grid else pictures
            drawn = {path: getattr(plots, kind)(found) for kind, path in wanted.items() if path is not None}
        if output is not None:
            files.append(api.linearized.write(found, output))
        for path, figure in drawn.items():
            files.append(save(figure, path))
    if as_json:
        give_json([_facts(each) for each in found.models] if isinstance(found, Family) else _facts(found))
    elif isinstance(found, Family):
        print(f"{len(found.models)} models over {', '.join(grid)}, {len(found.models[0].states)} states")
    else:
        _show(found)
    for written in (output, *drawn):
        if written is not None and not as_json:
            give(str(written))


def _settings(texts: list[str]) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Values, and values over a grid: NAME=0.1, NAME=0:1:11."""
    import numpy as np

    values: dict[str, float] = {}
    grid: dict[str, list[float]] = {}
    for text in texts:
        name, _, value = text.partition("=")
        parts = value.split(":")
        try:
            if len(parts) == 3 and int(parts[2]) > 1:
                grid[name.strip()] = np.linspace(float(parts[0]), float(parts[1]), int(parts[2])).tolist()
            elif len(parts) == 1 and name.strip():
                values[name.strip()] = float(value)
            else:
                raise ValueError
        except ValueError:
            raise ValueError(f"--set is {text!r}, expected NAME=NUMBER or NAME=FROM:TO:COUNT") from None
    return values, grid


def _facts(model) -> dict:
    import numpy as np

    return {
        "name": model.name,
        "states": [state.name for state in model.states],
        "equilibrium": _equilibrium(model),
        "time_varying": model.time_varying,
        "largest_rate": float(np.max(np.abs(model.x_dot), initial=0.0)),
        "modes": [
            {
                "pole": [mode.pole.real, mode.pole.imag],
                "frequency": mode.frequency,
                "damping": mode.damping,
                "participation": mode.shares,
            }
            for mode in model.modes
        ],
    }


def _equilibrium(model) -> bool:
    import numpy as np

    return bool(np.max(np.abs(model.x_dot), initial=0.0) < 1e-9)


def _show(model) -> None:
    """The modal table, with notes for its reader."""
    from rich.table import Table

    remarks = (
        []
        if _equilibrium(model)
        else ["not an equilibrium: relative to the motion through the point (x_dot has its rates)"]
    )
    remarks += ["time-varying: at this time"] if model.time_varying else []
    head = f"{model.name}: {len(model.states)} states, {len(model.inputs)} inputs, {len(model.outputs)} outputs"
    rows = [
        (f"{m.frequency:.6g}" if m.frequency else "", f"{m.damping:.4g}", f"{m.pole.real:.6g}", f"{m.pole.imag:.6g}", ", ".join(f"{o} {100 * s:.0f} %" for o, s in list(m.shares.items())[:4] if s > 0.005))
        for m in model.modes
    ]  # fmt: skip
    columns = ("frequency [Hz]", "damping", "real [1/s]", "imaginary [rad/s]", "participation")
    if not screen.is_terminal:
        print("; ".join([head, *remarks]))
        print("\t".join(columns))
        for row in rows:
            print("\t".join(row))
        return
    screen.print("; ".join([f"[bold]{head}[/bold]", *remarks]))
    table = Table(*(column.replace("[", "\\[") for column in columns), box=None)
    for row in rows:
        table.add_row(*row)
    screen.print(table)
