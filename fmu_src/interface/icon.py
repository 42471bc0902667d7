"""model.png: the picture an FMI tool shows of the FMU (FMI 2.0, section 2.3)."""

from __future__ import annotations

from io import BytesIO

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

_SKY, _HUB, _EDGE, _CELL, _GRID = "#10253b", "#d9dfe5", "#8c99a6", "#2f6da8", "#9cc3e6"


def generic_icon() -> bytes:
    """A satellite with two solar panels, as a PNG of 256 x 256 pixels; no text in it, so no font matters."""
    figure = Figure(figsize=(2.56, 2.56), dpi=100)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-1, 1), ylim=(-1, 1), aspect="equal")
    axes.axis("off")
    axes.add_patch(
        FancyBboxPatch((-0.84, -0.84), 1.68, 1.68, boxstyle="round,pad=0.1", facecolor=_SKY, edgecolor="none")
    )
    for side in (-1, 1):
        axes.plot([0.2 * side, 0.3 * side], [0, 0], color=_EDGE, linewidth=4, solid_capstyle="butt")
        for column in range(2):
            left = 0.3 + 0.27 * column if side > 0 else -0.57 - 0.27 * column
            axes.add_patch(Rectangle((left, -0.24), 0.27, 0.48, facecolor=_CELL, edgecolor=_GRID, linewidth=1.2))
        axes.plot([0.3 * side, 0.84 * side], [0, 0], color=_GRID, linewidth=1.2)
    axes.add_patch(Rectangle((-0.2, -0.3), 0.4, 0.6, facecolor=_HUB, edgecolor=_EDGE, linewidth=1.5))
    axes.plot([0, 0], [0.3, 0.46], color=_EDGE, linewidth=3)
    axes.add_patch(Circle((0, 0.54), 0.1, facecolor=_HUB, edgecolor=_EDGE, linewidth=1.5))
    return png_bytes(figure)


def png_bytes(figure: Figure) -> bytes:
    """A figure as a transparent PNG without metadata: the same figure gives the same bytes."""
    stream = BytesIO()
    FigureCanvasAgg(figure).print_png(stream, metadata={"Software": None})
    return stream.getvalue()
