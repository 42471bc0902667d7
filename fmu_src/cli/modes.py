"""spacefmu modes"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import give, give_json, screen

if TYPE_CHECKING:
    from ..api.looking import FlexibleModes

AXES = ("x", "y", "z", "about x", "about y", "about z")
DRAWN = 24  # modes in a picture


def modes(
    file: Annotated[Path, typer.Argument(help="A file of a finite-element program, or a description that names one.")],
    units: Annotated[str, typer.Option("--units", "-u", help="Units of the file: SI, mm-t-s, in-lbf-s, …")] = "",
    root: Annotated[str, typer.Option("--root", "-r", help="Node(s) to clamp, separated by commas.")] = "",
    geometry: Annotated[Path | None, typer.Option("--geometry", help="A second file with the nodes.")] = None,
    first: Annotated[int, typer.Option("--first", help="How many modes.", min=0)] = 0,
    up_to: Annotated[float, typer.Option("--up-to", help="Highest frequency [Hz].", min=0.0)] = 0.0,
    effective: Annotated[
        float,
        typer.Option("--effective-mass", help="Keep modes until they have this share of the mass.", min=0.0, max=1.0),
    ] = 0.0,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a picture of the modes to this file.")] = None,
    sid: Annotated[Path | None, typer.Option("--sid", help="Write a SID file, in SI units.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """Show the modes of a flexible body from a finite-element program, with the usual checks of a model.

    [bold]Examples:[/bold]

      spacefmu modes panel.frd --units mm-t-s --plot panel.png

      spacefmu modes panel.op4 --units mm-t-s --root 1001 --up-to 50

      spacefmu modes satellite.toml --json
    """
    from .. import api
    from ..results.files import check_writable, whole_file

    for path in (plot, sid):
        if path is not None:
            check_writable(path)
    found = api.modes(file, units, root.split(",") if root else (), geometry, first, up_to, effective)
    if len(found) > 1 and (plot or sid):
        raise ValueError(
            f"{file} has {len(found)} bodies with files ({', '.join(found)}), expected one for --plot and --sid"
        )
    for each in found.values():
        body = each.body
        if plot is not None:
            from ..results.shapes import picture

            with whole_file(plot) as unfinished:
                shown = min(body.count, DRAWN)
                drawn = picture(body.positions, body.translations[:shown], body.frequencies[:shown], body.source)
                drawn.savefig(unfinished, format=plot.suffix.lstrip(".") or "png")
        if sid is not None:
            from spacefmu.dynamics.modes.sid import sid_text

            with whole_file(sid) as unfinished:
                unfinished.write_text(sid_text(body), encoding="utf-8")
    if as_json:
        return give_json({name: _facts(own) for name, own in found.items()})
    for name, own in found.items():
        _show(name, own)
    for path in (plot, sid):
        if path is not None:
            give(str(path))
    return None


def _facts(own: FlexibleModes) -> dict:
    return {
        "source": own.body.source,
        "checks": [{"name": row.name, "value": row.value, "good": row.good} for row in own.checks],
        "modes": [
            {
                "number": m.number,
                "frequency": m.frequency,
                "damping": m.damping,
                "effective_mass": m.shares,
                "static": m.static,
            }
            for m in own.modes
        ],
    }


def _show(name: str, own: FlexibleModes) -> None:
    from rich.table import Table

    body, rows, verdict = own.body, own.checks, {True: "ok", False: "review", None: ""}
    if not screen.is_terminal:
        print(f"{name}: {body.source}, {len(body.names)} nodes, {body.count} modes")
        for row in rows:
            print("\t".join([row.name, row.value, verdict[row.good]]).rstrip())
        print("\t".join(["mode", "frequency [Hz]", "damping", *AXES]))
        for m in own.modes:
            print(
                "\t".join(
                    [f"{m.number}", f"{m.frequency:.7g}", f"{m.damping:.4g}", *(f"{100 * s:.2f} %" for s in m.shares)]
                )
            )
        return
    screen.print(f"[bold]{name}[/bold]: {body.source}, {len(body.names)} nodes, {body.count} modes")
    table = Table("check", "value", "", box=None)
    for row in rows:
        table.add_row(row.name, row.value, verdict[row.good])
    screen.print(table)
    table = Table("mode", "Hz", "damping", *AXES, box=None, title="share of mass, and of inertia about the root")
    for m in own.modes:
        table.add_row(
            f"{m.number}{' static' * m.static}",
            f"{m.frequency:.5g}",
            f"{m.damping:.3g}",
            *(f"{100 * s:.1f} %" for s in m.shares),
        )
    screen.print(table)
