"""Drawn mode shapes: the undeformed spacecraft, pale, and the displaced one, one panel per mode."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from spacefmu.dynamics.linearize.linear import Linear, Mode

from ..interface.drawing import drawn
from ..results.plot import empty_figure
from ..scene.motion import moved
from .swings import Stage, swings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 12  # modes in a picture
COLUMNS = 4
SIZE = (960, 720)  # pixels per mode: enough for print


def shapes(model: Linear, title: str = "") -> Figure:
    """Every oscillating mode, lowest frequency first, at the instant of its largest displacements."""
    stage = Stage.of(model)
    found = list(islice(swings(model, stage), SHOWN))
    if not found:
        raise ValueError(f"{model.name}: no mode oscillates, so there is nothing to draw")
    columns = min(COLUMNS, len(found))
    figure = empty_figure(3.2 * columns, 0.5 + 2.4 * -(-len(found) // columns))
    panels = figure.subplots(-(-len(found) // columns), columns, squeeze=False).ravel()
    for axes in panels:
        axes.set_axis_off()
    for axes, (mode, shape) in zip(panels, found, strict=False):
        motion = moved(stage.scene.picture, np.arange(2.0), [stage.placed(), stage.placed(np.real(shape))], None)
        axes.imshow(drawn(stage.scene, motion, 1, SIZE, names=False, pale=0).finished())
        axes.set_title(_words(mode), fontsize=9)
    figure.suptitle(title or model.name, x=0.01, ha="left")
    return figure


def _words(mode: Mode) -> str:
    main = max(mode.shares, key=mode.shares.__getitem__, default="")
    share = f", {main} {100.0 * mode.shares[main]:.0f} %" if main else ""
    return f"{mode.frequency:.4g} Hz, ζ {100.0 * mode.damping:.2g} %{share}"
