"""A motion as a video: frames by Pillow, MP4 by ffmpeg if it is installed, GIF without further programs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.animation import AbstractMovieWriter, FFMpegWriter, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..interface.drawing import drawn
from ..results.files import whole_file
from ..scene.motion import DrawnMotion
from ..scene.scene import DrawnScene

RATE = 20  # frames per second
ENDINGS = (".mp4", ".gif")
SIZE = (640, 480)  # pixels


def check_video(path: Path) -> None:
    """Refuses unwritable videos before the work begins."""
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"{path}: videos are written as {' or '.join(ENDINGS)}")
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise ValueError(f"{path}: an MP4 needs ffmpeg, which is not installed; a .gif needs no other program")


def write_video(
    path: Path,
    scene: DrawnScene,
    motion: DrawnMotion,
    title: str,
    seconds: float = 8.0,
    on_progress: Callable[[float], object] = bool,
) -> Path:
    """Writes a video of the whole motion, atomically. on_progress: called with the fraction done."""
    check_video(path)
    count = min(len(motion.time), max(2, round(seconds * RATE)))
    shown = np.unique(np.linspace(0, len(motion.time) - 1, count).round().astype(int))
    figure = Figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), dpi=100)
    FigureCanvasAgg(figure)
    reach = _reach(scene, motion)
    mp4 = path.suffix.lower() == ".mp4"
    writer: AbstractMovieWriter = FFMpegWriter(fps=RATE) if mp4 else PillowWriter(fps=RATE)
    with whole_file(path) as unfinished, writer.saving(figure, str(unfinished), dpi=100):
        for done, frame in enumerate(shown):
            figure.clear()
            figure.figimage(np.asarray(drawn(scene, motion, frame, SIZE, reach, names=False).finished()))
            figure.text(0.03, 0.95, f"{title}   {motion.time[frame]:.4g} s")
            writer.grab_frame()
            on_progress((done + 1) / len(shown))
    return path


def _reach(scene: DrawnScene, motion: DrawnMotion) -> np.ndarray:
    """Corners (8, 3) of a box around everything in all frames."""
    points = motion.positions.reshape(-1, 3)
    half = 0.35 * scene.size
    return np.array(list(product(*zip(points.min(axis=0) - half, points.max(axis=0) + half, strict=True))))
