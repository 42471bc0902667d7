"""Interactive plots by Bokeh, its script taken out of the installed package: they share their time axis, and are drawn as they come into sight."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..results.names import array_name
from ..results.table import Result
from ..view.modules import module_scripts

BUDGET = 6_000_000  # numbers that a page holds whole; of more, each plot gets its envelope
BUCKETS = 4000  # of an envelope: the lowest and the highest value of each are kept
COLORS = ("#1f77b4", "#d6711b", "#2c9c4b", "#c2334d", "#8556b8", "#7f5a3c", "#d667b5", "#6b7480")
DASHES = ("solid", "dashed", "dotted", "dotdash")  # a run each
HEIGHT = 190
ROW, KEY, LINE = (
    64,
    6,
    20,
)  # letters that the narrowest plot has room for in a row of its legend, what a key of it takes, a row's height
# what a plot tells at the pointer, of the points that it draws
VALUES = '<div style="white-space: nowrap"><b>$name</b>&ensp;@y{%.6g}&ensp;at @x{%.6g} s</div>'


class Curve(NamedTuple):
    """label: of its values at the pointer; key: in the legend, where curves of one key are hidden together."""

    label: str
    key: str
    color: str
    dash: str
    time: np.ndarray
    values: np.ndarray


class Plots:
    """Collects the plots of a page."""

    def __init__(self, runs: Mapping[str, Result], variables: int):
        try:
            import bokeh.plotting  # noqa: F401
        except ImportError:
            raise ValueError("a report needs Bokeh: pip install 'spacefmu[report]'") from None
        self.runs = runs
        starts, ends = zip(*((run.time[0], run.time[-1]) for run in runs.values()), strict=True)
        self.span = min(starts), max(max(ends), min(starts) + 1e-9)
        self.whole = sum(len(run.time) for run in runs.values()) * max(variables, 1) <= BUDGET
        self.count = 0

    def add(self, title: str, columns: list[str]) -> str:
        """A plot of columns, as HTML."""
        curves = []
        for number, (run, result) in enumerate(self.runs.items()):
            present = [column for column in columns if column in result.names]
            for i, column in enumerate(present):
                component = column.removeprefix(array_name(column))
                label = f"{component} {run}".strip() if len(self.runs) > 1 else component
                style = COLORS[i % len(COLORS)], DASHES[number % len(DASHES)]
                curves.append(Curve(label, component or run, *style, *self._reduced(result.time, result[column])))
        unit = next((r.units.get(columns[0], "") for r in self.runs.values() if columns[0] in r.names), "")
        return self.draw(f"{title} [{unit}]" if unit not in ("", "1") else title, curves)

    def draw(self, title: str, curves: list[Curve], log: bool = False) -> str:
        """The same of curves."""
        from bokeh.embed import json_item
        from bokeh.models import HoverTool, Range1d
        from bokeh.models.annotations.geometry import Span
        from bokeh.plotting import figure

        keys = dict.fromkeys(curve.key for curve in curves)
        columns = max(1, ROW // (max(map(len, keys), default=0) + KEY))
        height = HEIGHT + LINE * ((len(keys) - 1) // columns)
        plot = figure(
            title=title, height=height, sizing_mode="stretch_width", x_range=Range1d(*self.span),
            y_axis_type="log" if log else "auto", tools="xpan,xwheel_zoom,box_zoom,reset,save", active_drag="box_zoom",
            active_scroll=None, toolbar_location="above",
        )  # fmt: skip
        plot.toolbar.logo = None
        plot.add_tools(
            HoverTool(
                tooltips=VALUES,
                formatters={"@x": "printf", "@y": "printf"},
                mode="vline",
                attachment="horizontal",
                visible=False,
            )
        )
        plot.add_layout(Span(name="now", dimension="height", line_color="#1c2733", line_alpha=0.6, visible=False))
        for label, key, color, dash, time, values in curves:
            plot.line(_single(time), _single(values), color=color, line_dash=dash, legend_label=key, name=label or " ")
        if len(keys) < 2 and plot.legend:
            plot.legend.visible = False
        elif plot.legend:
            (legend,) = plot.legend
            legend.update(
                click_policy="hide", label_text_font_size="9pt", padding=1, margin=1, spacing=4, border_line_color=None
            )
            legend.update(orientation="horizontal", ncols=columns)
            plot.add_layout(legend, "above")
        self.count += 1
        data = json.dumps(json_item(plot), separators=(",", ":")).replace("<", "\\u003c")
        return (
            f'<div class="plot" id="plot-{self.count}" style="height: {height}px"></div>'
            f'<script type="application/json">{data}</script>'
        )

    def _reduced(self, time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (time, values) if self.whole or len(time) <= 2 * BUCKETS else envelope(time, values)

    def scripts(self) -> tuple[str, str]:
        """What a page needs in its head, and at its end."""
        from bokeh.resources import Resources

        if not self.count:
            return "", ""
        head = Resources(mode="inline", components=["bokeh"]).render_js()
        return head, module_scripts(__package__, ["plots.js"])


def _single(values: np.ndarray) -> np.ndarray:
    """In single precision; what that can't hold is a gap."""
    return np.where(np.abs(values) < np.finfo(np.float32).max, values, np.nan).astype(np.float32)


def envelope(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest value of each of BUCKETS stretches, in the order of time: what a plot of a page's width shows."""
    edges = np.linspace(0, len(time), BUCKETS + 1).astype(int)
    gaps = np.isnan(values)
    low, high = (np.where(gaps, end, values) if gaps.any() else values for end in (np.inf, -np.inf))
    keep = {0, len(time) - 1}
    for a, b in pairwise(edges):
        if b > a:
            keep |= {a + int(np.argmin(low[a:b])), a + int(np.argmax(high[a:b]))}
    numbers = np.array(sorted(keep))
    return time[numbers], values[numbers]
