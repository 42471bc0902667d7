"""Plots of mode shapes: the nodes at rest and displaced, one panel per mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .plot import STYLE, empty_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 3000  # nodes; larger sets are thinned out
SIZE = 0.15  # largest displacement drawn, relative to the body's length


def picture(positions, translations, frequencies, title: str = "") -> Figure:
    """positions (P, 3), translations (N, P, 3), frequencies (N,) [Hz]: displaced nodes, coloured by displacement."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE | {"axes.grid": False}):
        count = len(frequencies)
        columns = min(4, max(count, 1))
        rows = -(-count // columns)
        figure = empty_figure(3.0 * columns, 2.6 * rows + 0.3)
        figure.suptitle(title)
        step = max(1, -(-len(positions) // SHOWN))
        rest = positions[::step]
        length = max(np.ptp(positions, axis=0).max(initial=0.0), 1e-12)
        for k in range(count):
            axes = figure.add_subplot(rows, columns, k + 1, projection="3d")
            moved = translations[k, ::step]
            size = np.linalg.norm(moved, axis=1)
            moved = moved * (SIZE * length / max(size.max(initial=0.0), 1e-300))
            axes.scatter(*rest.T, s=1.0, color="0.8")
            axes.scatter(*(rest + moved).T, s=4.0, c=size, cmap="viridis")
            axes.set_title(f"mode {k + 1}: {frequencies[k]:.4g} Hz")
            axes.set_box_aspect(np.maximum(np.ptp(np.vstack([rest, rest + moved]), axis=0), 0.15 * length))
            axes.set_axis_off()
    return figure
