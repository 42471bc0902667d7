"""spacefmu view"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import complete
from .console import give, keeping, note, working
from .outputs import check_outputs, page_named


def view(
    source: Annotated[
        str,
        typer.Argument(
            help="A result (.csv, .npz, .mat), a description (.toml), an FMU, or a name of the catalogue.",
            autocompletion=complete.models,
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; default NAME.html in the current folder.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="What a result is drawn by, if it does not say: a description or an FMU."),
    ] = None,
    compare: Annotated[
        list[Path] | None,
        typer.Option("--compare", help="Another result of the same spacecraft, to switch to (repeatable)."),
    ] = None,
    units: Annotated[
        list[str] | None,
        typer.Option(
            "--unit", metavar="NAME", help="Of a system: draw this unit (repeatable); default: all that have bodies."
        ),
    ] = None,
    still: Annotated[bool, typer.Option("--still", help="Without a run: as it is at the start.")] = False,
    modes: Annotated[bool, typer.Option("--modes", help="The linear mode shapes instead of a run.")] = False,
    stop: Annotated[float | None, typer.Option("--stop", help="Stop time of the run \\[s].")] = None,
    gltf: Annotated[
        Path | None, typer.Option("--gltf", help="Write this .glb file too, for Blender and other viewers.")
    ] = None,
    video: Annotated[
        Path | None, typer.Option("--video", help="Write this video too: .gif, or .mp4 where ffmpeg is installed.")
    ] = None,
) -> None:
    """Make a 3-D view: one HTML page that works offline.

    A description or an FMU is run over its default experiment first.

    [bold]Examples:[/bold]

      spacefmu view HingedPanel

      spacefmu view run.csv -o run.html --gltf run.glb

      spacefmu view satellite.toml --modes
    """
    from ..results.files import whole_file
    from ..view.video import check_video, write_video

    page = page_named(output, Path(source).resolve().stem)
    check_outputs((source, model, *(compare or ())), 1 << 22, page=page, gltf=gltf, video=video)
    if video is not None:
        check_video(video)
    if modes and (still or compare):
        raise ValueError("--modes shows the description itself: --still and --compare do not go with it")
    with keeping() as files:
        with working(f"Looking at {Path(source).stem}") as (on_message, on_progress):
            from .. import api  # a second or so of imports: under the eyes of the person who waits

            sight = api.look(source, model, compare, still, modes, stop, on_message, on_progress, units or ())
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
    for words in sight.notes:
        note(words)
