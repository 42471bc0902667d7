"""The block diagram of a system: units as boxes with their models, connections as labelled arrows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..results.plot import STYLE, empty_figure
from .system import CoupledSystem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _LINE, _GAP = 2.6, 0.22, 3.4  # [in] of a box, of a line of text, from box to box
_MOST = 12  # lines of text at an arrow


def lines(system: CoupledSystem) -> dict[tuple[str, str], list[str]]:
    """The connections from one unit to another as text: `output → input`, with the factor if there is one."""
    found: dict[tuple[str, str], list[str]] = {}
    for link in system.links:
        (source, output), (target, name) = (end.split(".", 1) for end in (link.source, link.target))
        factor = "" if link.factor == 1.0 else "−" if link.factor == -1.0 else f"{link.factor:g} · "
        found.setdefault((source, target), []).append(f"{factor}{output} → {name}")
    return found


def diagram(system: CoupledSystem, models: Mapping[str, str]) -> Figure:
    """Units in a row, in their order; arrows above go to the right, those below to the left. models: the model of each unit."""
    import matplotlib as mpl

    units, arrows = list(system.units), lines(system)
    shown = {pair: words[:_MOST] + (["…"] if len(words) > _MOST else []) for pair, words in arrows.items()}
    forward = [pair for pair in shown if units.index(pair[0]) < units.index(pair[1])]
    backward = [pair for pair in shown if pair not in forward]
    heights = [sum(0.5 + _LINE * len(shown[pair]) for pair in side) for side in (forward, backward)]
    width = _WIDTH + _GAP * (len(units) - 1) + 0.6
    with mpl.rc_context(STYLE):
        figure = empty_figure(max(width, 5.0), 1.6 + sum(heights))
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_xlim(-0.3, width - 0.3)
        axes.set_ylim(-0.7 - heights[1], 0.7 + heights[0])
        for place, unit in enumerate(units):
            _box(axes, _GAP * place, unit, models[unit])
        for side, sign in ((forward, 1.0), (backward, -1.0)):
            level = 0.4
            for pair in sorted(side, key=lambda p: abs(units.index(p[0]) - units.index(p[1]))):
                level += 0.5
                _arrow(axes, units, pair, sign * level, shown[pair], sign)
                level += _LINE * len(shown[pair])
        figure.suptitle(
            f"{system.name}: step {system.step:g} s, {system.algorithm.replace('_', '-')}",
            x=0.01,
            ha="left",
            fontsize=12,
        )
    return figure


def _box(axes, left: float, unit: str, model: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (left, -0.4), _WIDTH, 0.8, boxstyle="round,pad=0,rounding_size=0.1", facecolor="#dbe9f6", edgecolor="C0"
        )
    )
    axes.text(left + _WIDTH / 2, 0.1, unit, ha="center", va="center", fontweight="bold", fontsize=11)
    axes.text(left + _WIDTH / 2, -0.17, model, ha="center", va="center", fontsize=8.5)


def _arrow(axes, units: list[str], pair: tuple[str, str], level: float, words: list[str], sign: float) -> None:
    """Out of one box, along at `level`, into the other; several arrows at a box are drawn side by side."""
    shift = 0.15 * sign + 0.05 * level
    start, end = (_GAP * units.index(unit) + _WIDTH / 2 + shift for unit in pair)
    if pair[0] == pair[1]:
        end = start + 0.5
    axes.plot([start, start, end], [0.4 * sign, level, level], color="C7", linewidth=1.2)
    axes.annotate("", (end, 0.4 * sign), (end, level), arrowprops={"arrowstyle": "-|>", "color": "C7", "shrinkA": 0.0})
    axes.text((start + end) / 2, level + 0.06 * sign, "\n".join(words), ha="center", va="bottom" if sign > 0 else "top",
              fontsize=8.5, linespacing=1.3)  # fmt: skip
