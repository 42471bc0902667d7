"""Drawn mode shapes: the craft as it stands, in grey, and as it swings, a panel a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynamics.linearize.linear import Linear, Mode

from ..results.plot import STYLE, empty_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 12  # modes in a picture
COLUMNS = 4
SWING = 0.18  # the largest displacement drawn, by the craft's size
# Axonometric: what a place (3,) is on paper. x comes to the lower left, y goes to the right, z up.
PAPER = np.array([[-0.5, 0.87, 0.0], [-0.35, -0.2, 1.0]])


def shapes(model: Linear, title: str = "") -> Figure:
    """Every mode that oscillates, slowest first: displacements at the instant when they are largest."""
    import matplotlib as mpl

    modes = [mode for mode in model.modes if mode.frequency > 0.0][:SHOWN]
    if not model.outline:
        raise ValueError(
            f"{model.name}: its states are not those of a spacecraft's joints, expected the description of one to draw shapes of"
        )
    if not modes:
        raise ValueError(f"{model.name}: no mode oscillates, expected one to draw")
    colors = {body: f"C{i % 10}" for i, body in enumerate(dict.fromkeys(line.body for line in model.outline))}
    columns = min(COLUMNS, len(modes))
    rows = -(-len(modes) // columns)
    with mpl.rc_context(STYLE | {"axes.grid": False, "axes.xmargin": 0.05}):
        figure = empty_figure(2.7 * columns, 0.6 + 2.0 * rows)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        corners = np.concatenate([line.places for line in model.outline]) @ PAPER.T
        margin = SWING * np.max(np.ptp(corners, axis=0))
        for axes in panels:
            axes.set_axis_off()
            axes.set_aspect("equal")
            axes.set_xlim(corners[:, 0].min() - margin, corners[:, 0].max() + margin)
            axes.set_ylim(corners[:, 1].min() - margin, corners[:, 1].max() + margin)
        for axes, mode in zip(panels, modes, strict=False):
            _draw(axes, model, mode, colors)
        handles = [mpl.lines.Line2D([], [], color=color, label=body) for body, color in colors.items()]
        figure.legend(handles=handles, loc="outside lower left", ncols=min(6, len(handles)), fontsize=8)
        figure.suptitle(title or model.name, x=0.01, ha="left")
    return figure


def _draw(axes, model: Linear, mode: Mode, colors: dict[str, str]) -> None:
    swings = displacements(model, mode)
    size = np.max(np.ptp(np.concatenate([line.places for line in model.outline]), axis=0))
    scale = SWING * size / (max(np.max(np.linalg.norm(swing, axis=1)) for swing in swings) or 1.0)
    for line, swing in zip(model.outline, swings, strict=True):
        axes.plot(*(PAPER @ line.places.T), color="0.75", linewidth=1.0, zorder=1)
        axes.plot(*(PAPER @ (line.places + scale * swing).T), color=colors[line.body], linewidth=1.8, zorder=2)
    axes.set_title(f"{mode.frequency:.4g} Hz, ζ {100.0 * mode.damping:.2g} %", fontsize=8.5, fontweight="normal")


def displacements(model: Linear, mode: Mode) -> list[np.ndarray]:
    """What a mode moves each line of the outline by, (P, 3) each, real, at the phase at which Σ|δr|² is largest, the largest entry positive.

    Points have δṙ = (moves) δx = λ δr for a mode e^λt; δr e^(−iα) has the largest real part for e^(2iα) along Σ δr·δr.
    """
    complex_swings = [line.moves @ mode.shape / mode.pole for line in model.outline]
    phase = 0.5 * np.angle(sum(np.sum(swing * swing) for swing in complex_swings))
    swings = [np.real(swing * np.exp(-1j * phase)) for swing in complex_swings]
    entries = np.concatenate([swing.ravel() for swing in swings])
    return [swing * np.sign(entries[np.argmax(np.abs(entries))]) for swing in swings]
