"""Plots of results, drawn without a screen."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .files import whole_file
from .names import array_name
from .table import Result, changes

if TYPE_CHECKING:  # matplotlib is imported only when something is drawn: the import is slow
    from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {
    "figure.dpi": 110,
    "savefig.dpi": 150,
    "font.size": 9.5,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.xmargin": 0.0,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
}


def empty_figure(width: float, height: float) -> Figure:
    """A matplotlib figure, sizes in inches, that notebooks also display (they do so only for pyplot's figures)."""
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        def _repr_png_(self) -> bytes:
            buffer = BytesIO()
            self.savefig(buffer, format="png", dpi=self.dpi)
            return buffer.getvalue()

    return NotebookFigure(figsize=(width, height), layout="constrained")


def plot(result: Result, names: Sequence[str] | None = None, title: str = "") -> Figure:
    """A matplotlib figure with one panel per name (an array's elements share a panel).

    Without names: the first six columns or arrays that change.
    """
    import matplotlib as mpl

    names = list(names or _moving(result)[:6])
    columns = [result.chosen([name]) for name in names]
    with mpl.rc_context(STYLE):
        figure = empty_figure(8.0, 0.9 + 1.7 * len(names))
        panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for axes, name, part in zip(panels, names, columns, strict=True):
            for column, values in zip(part.names, part.values.T, strict=True):
                axes.plot(part.time, values, label=column.removeprefix(name))
            unit = result.units.get(part.names[0], "")
            axes.set_title(f"{name} [{unit}]" if unit not in ("", "1") else name)
            sound = part.values[np.isfinite(part.values)]
            if sound.size and not changes(part.values):  # a straight line instead of magnified noise
                size = max(1.0, np.abs(sound).max())
                axes.set_ylim(sound.min() - size, sound.max() + size)
            if len(part.names) > 1:
                axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        panels[-1].set_xlabel("time [s]")
        figure.suptitle(title, x=0.01, ha="left")
    return figure


def _moving(result: Result) -> list[str]:
    """Names of scalars and whole arrays that change, in the order of the columns; all if none does."""
    moving = [name for name in _groups(result) if changes(result.chosen([name]).values)]
    return moving or _groups(result)


def _groups(result: Result) -> list[str]:
    """Names of scalars and of whole arrays, in the order of the columns."""
    return list(dict.fromkeys(map(array_name, result.names)))


def save(figure: Figure, path: Path | str) -> Path:
    """Write a figure atomically, in the format of the file extension (.png, .svg, .pdf)."""
    import matplotlib as mpl

    path = Path(path)
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lower().lstrip(".") not in known:
        raise ValueError(f"{path}: pictures are written as .png, .svg or .pdf, but the name ends with {path.suffix!r}")
    with whole_file(path) as unfinished, mpl.rc_context(STYLE):
        figure.savefig(unfinished)
    return path
