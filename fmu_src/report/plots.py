"""Interactive plots by Bokeh, with the script of the installed package: they share their time axis, and are drawn when they scroll into view.

Python only writes the data; plots.js makes the figures. Bokeh's Python figures took 0.05 s each, also for plots that are never opened.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..results.names import array_name
from ..results.table import Result
from ..view.modules import module_texts, script_of

BUDGET = 6_000_000  # numbers that a page holds in full; above that, each plot gets its envelope
BUCKETS = 4000  # of an envelope: the lowest and highest values of each are kept
COLORS = ("#1f77b4", "#d6711b", "#2c9c4b", "#c2334d", "#8556b8", "#7f5a3c", "#d667b5", "#6b7480")
DASHES = ("solid", "dashed", "dotted", "dotdash")  # one per run
HEIGHT = 190
ROW, KEY, LINE = (
    64,
    6,
    20,
)  # letters that the narrowest plot has room for in a row of its legend, what a key of it takes, a row's height
ZIPPED = 5  # compression level of numbers


class PlotCurve(NamedTuple):
    """label: shown with values at the pointer; key: entry of the legend; curves with the same key are hidden together."""

    label: str
    key: str
    color: str
    dash: str
    time: np.ndarray
    values: np.ndarray


class Plots:
    """Collects the plots of a page."""

    def __init__(self, runs: Mapping[str, Result], variables: int):
        if find_spec("bokeh") is None:
            raise ValueError("a report needs Bokeh: pip install 'spacefmu[report]'")
        self.runs = runs
        starts, ends = zip(*((run.time[0], run.time[-1]) for run in runs.values()), strict=True)
        self.span = min(starts), max(max(ends), min(starts) + 1e-9)
        self.whole = sum(len(run.time) for run in runs.values()) * max(variables, 1) <= BUDGET
        self.count = 0
        self._times: dict[int, tuple[int, np.ndarray]] = {}

    def add(self, title: str, columns: list[str]) -> str:
        """A plot of columns, as HTML."""
        curves = []
        for number, (run, result) in enumerate(self.runs.items()):
            present = [column for column in columns if column in result.names]
            for i, column in enumerate(present):
                component = column.removeprefix(array_name(column))
                label = f"{component} {run}".strip() if len(self.runs) > 1 else component
                style = COLORS[i % len(COLORS)], DASHES[number % len(DASHES)]
                curves.append(PlotCurve(label, component or run, *style, *self._reduced(result.time, result[column])))
        unit = next((r.units.get(columns[0], "") for r in self.runs.values() if columns[0] in r.names), "")
        return self.draw(f"{title} [{unit}]" if unit not in ("", "1") else title, curves)

    def draw(self, title: str, curves: list[PlotCurve], log: bool = False) -> str:
        """The same, of curves."""
        keys = dict.fromkeys(curve.key for curve in curves)
        columns = max(1, ROW // (max(map(len, keys), default=0) + KEY))
        height = HEIGHT + LINE * ((len(keys) - 1) // columns)
        self.count += 1
        given = {"title": title, "height": height, "span": self.span, "log": log, "columns": columns}
        drawn = [
            curve._asdict() | {"time": self._time(curve.time), "values": _packed(curve.values)} for curve in curves
        ]
        data = json.dumps({**given, "curves": drawn}, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        return (
            f'<div class="plot" id="plot-{self.count}" style="height: {height}px"></div>'
            f'<script type="application/json">{data}</script>'
        )

    def _time(self, time: np.ndarray) -> int:
        """The number of instants that curves share."""
        number, _ = self._times.setdefault(id(time), (len(self._times), time))
        return number

    def _reduced(self, time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (time, values) if self.whole or len(time) <= 2 * BUCKETS else envelope(time, values)

    def scripts(self) -> tuple[str, str]:
        """The parts of a page's head and end that plots need."""
        if not self.count:
            return "", ""
        from bokeh.resources import Resources

        head = Resources(mode="inline", components=["bokeh", "bokeh-api"]).render_js()
        times = json.dumps([_packed(time) for _, time in self._times.values()])
        shared = f'<script id="times" type="application/json">{times}</script>\n'
        return head, shared + script_of("plots.js", module_texts(__package__))


def _packed(values: np.ndarray) -> str:
    """Numbers as the page has them: 32-bit floats, zipped."""
    return b64encode(gzip.compress(_single(values).tobytes(), ZIPPED, mtime=0)).decode()


def _single(values: np.ndarray) -> np.ndarray:
    """In single precision; numbers out of its range become gaps."""
    return np.where(np.abs(values) < np.finfo(np.float32).max, values, np.nan).astype("<f4")


def envelope(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest values of each of BUCKETS time intervals, in the order of time: the resolution of a plot as wide as a page."""
    edges = np.linspace(0, len(time), BUCKETS + 1).astype(int)
    gaps = np.isnan(values)
    low, high = (np.where(gaps, end, values) if gaps.any() else values for end in (np.inf, -np.inf))
    keep = {0, len(time) - 1}
    for a, b in pairwise(edges):
        if b > a:
            keep |= {a + int(np.argmin(low[a:b])), a + int(np.argmax(high[a:b]))}
    numbers = np.array(sorted(keep))
    return time[numbers], values[numbers]
