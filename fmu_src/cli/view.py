"""spacefmu view"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import complete
from .console import give, keeping, note, working
from .options import Units
from .outputs import check_outputs, page_named


def view(
    source: Annotated[
        str,
        typer.Argument(
            help="A result (.csv, .npz, .mat), a description (.toml), an FMU, or a catalogue name.",
            autocompletion=complete.models,
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; default: NAME.html in the current folder.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="Description or FMU used to draw a result, if the file does not name one."),
    ] = None,
    compare: Annotated[
        list[Path] | None,
        typer.Option("--compare", help="Another result of the same spacecraft, to switch to (repeatable)."),
    ] = None,
    units: Units = None,
    still: Annotated[bool, typer.Option("--still", help="Show the initial state only, without a run.")] = False,
    modes: Annotated[bool, typer.Option("--modes", help="Show the mode shapes instead of a run.")] = False,
    stop: Annotated[float | None, typer.Option("--stop", help="Stop time of the run \\[s].")] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live", help="Make a page that runs the simulation itself, with sliders for inputs and parameters."
        ),
    ] = False,
    inputs: Annotated[
        Path | None, typer.Option("--inputs", "-i", help="With --live: table of inputs over time.")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    gltf: Annotated[
        Path | None, typer.Option("--gltf", help="Also write this .glb file, for Blender and other viewers.")
    ] = None,
    video: Annotated[
        Path | None, typer.Option("--video", help="Also write this video: .gif, or .mp4 if ffmpeg is installed.")
    ] = None,
) -> None:
    """Make a 3-D view: one HTML page that works offline.

    A description is first simulated over its default experiment. For an FMU, the description that it carries is simulated, never its binary:
    FMUs of other tools are refused; simulate them first, then view the result with --model.

    [bold]Examples:[/bold]

      spacefmu view HingedPanel

      spacefmu view run.csv -o run.html --gltf run.glb

      spacefmu view satellite.toml --modes

      spacefmu view AttitudeSlew --live --open
    """
    import webbrowser

    from ..results.files import whole_file
    from ..view.video import check_video, write_video

    page = page_named(output, Path(source).resolve().stem)
    check_outputs((source, model, inputs, *(compare or ())), 1 << 22, page=page, gltf=gltf, video=video)
    if video is not None:
        check_video(video)
    if modes and (still or compare):
        raise ValueError("--modes shows the description itself; leave out --still and --compare")
    if live:
        given = {"--model": model, "--compare": compare, "--unit": units, "--still": still, "--modes": modes, "--stop": stop, "--gltf": gltf, "--video": video}  # fmt: skip
        beside = [option for option, value in given.items() if value]
        if beside:
            raise ValueError(f"--live makes a page that simulates; leave out {beside[0]}")
    elif inputs is not None:
        raise ValueError("--inputs needs --live: it gives the inputs of a live page")
    with keeping() as files:
        with working(f"Looking at {Path(source).stem}") as (on_message, on_progress):
            from .. import api  # imports take about a second: only after the first message is shown

            notes: tuple[str, ...] = ()
            if live:
                files.append(api.live(source, inputs, on_message).write(page))
            else:
                sight = api.look(source, model, compare, still, modes, stop, on_message, on_progress, units or ())
                notes = sight.notes
                on_message("writing")
                with whole_file(page) as unfinished:
                    unfinished.write_text(sight.page(), encoding="utf-8")
                files.append(page)
            if gltf is not None:
                with whole_file(gltf) as unfinished:
                    unfinished.write_bytes(sight.glb())
                files.append(gltf)
            if video is not None:
                on_message("drawing frames")
                name, clip = next(iter(sight.clips.items()))
                files.append(write_video(video, sight.scene, clip.motion, name, on_progress=on_progress))
        for path in files:
            give(str(path))
    for words in notes:
        note(words)
    if show:
        webbrowser.open(page.absolute().as_uri())
