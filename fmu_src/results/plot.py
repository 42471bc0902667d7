"""Pictures of results, drawn without a screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .files import whole_file
from .table import Result

STYLE = {
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
    "lines.linewidth": 1.4,
    "legend.frameon": False,
}


def plot(result: Result, names: Sequence[str] | None = None, title: str = ""):
    """A matplotlib figure with one panel for each name (an array's elements share a panel).

    Without names the first six columns or arrays are drawn.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = list(names or _groups(result)[:6])
    columns = [result.chosen([name]) for name in names]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 1.0 + 1.7 * len(names)), layout="constrained")
        panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for axes, name, part in zip(panels, names, columns, strict=True):
            for column, values in zip(part.names, part.values.T, strict=True):
                axes.plot(part.time, values, label=column)
            unit = result.units.get(part.names[0], "")
            axes.set_title(f"{name} [{unit}]" if unit else name)
            if len(part.names) > 1:
                axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        panels[-1].set_xlabel("time [s]")
        figure.suptitle(title)
    return figure


def _groups(result: Result) -> list[str]:
    """Names of scalars and of whole arrays, in the order of the columns."""
    return list(dict.fromkeys(name.rsplit("[", 1)[0] if name.endswith("]") else name for name in result.names))


def save(figure, path: Path | str) -> Path:
    """Write a figure as the ending says (.png, .svg, .pdf): complete or not at all."""
    import matplotlib as mpl

    path = Path(path)
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lower().lstrip(".") not in known:
        raise ValueError(f"{path}: pictures are written as .png, .svg or .pdf, but the name ends with {path.suffix!r}")
    with whole_file(path) as unfinished, mpl.rc_context(STYLE):
        figure.savefig(unfinished)
    return path
