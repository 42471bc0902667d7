"""Plots of a sweep: the distribution of each metric, its dependence on each parameter, and the worst runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..results.plot import STYLE, empty_figure
from .folder import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORST = 5
_MOST_COLUMNS, _MOST_ROWS = 4, 6  # of parameters and metrics in one picture
_BAD = "C3"


def summary_figure(sweep: Sweep) -> Figure:
    """One row per metric: histogram, scatter over each parameter with the worst runs marked, the worst runs as bars."""
    import matplotlib as mpl

    metrics, parameters = sweep.metrics[:_MOST_ROWS], sweep.parameters[:_MOST_COLUMNS]
    with mpl.rc_context(STYLE | {"axes.xmargin": 0.05}):
        figure = empty_figure(2.9 * (2 + len(parameters)), 0.7 + 2.5 * max(1, len(metrics)))
        panels = figure.subplots(max(1, len(metrics)), 2 + len(parameters), squeeze=False)
        for row, metric in zip(panels, metrics, strict=False):
            worst = sweep.worst(metric, WORST)
            _histogram(row[0], sweep, metric)
            for axes, parameter in zip(row[1:-1], parameters, strict=True):
                _scatter(axes, sweep, parameter, metric, worst)
            _bars(row[-1], sweep, metric, worst)
        runs, failed = len(sweep.table), len(sweep.failed)
        title = f"{sweep.plan.name}: {runs} runs" + (f", {failed} failed" if failed else "")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return figure


def _label(sweep: Sweep, column: str) -> str:
    unit = sweep.unit(column)
    if column in sweep.plan.parameters and sweep.plan.parameters[column].relative:
        return f"{column} [of nominal]"
    return f"{column} [{unit}]" if unit not in ("", "1") else column


def _numbers(table, column: str) -> np.ndarray:
    return table[column].to_numpy(zero_copy_only=False)


def _histogram(axes, sweep: Sweep, metric: str) -> None:
    values = _numbers(sweep.table, metric)
    values = values[np.isfinite(values)]
    if values.size:
        axes.hist(values, bins="auto" if np.ptp(values) > 1e-9 * np.abs(values).max() else 1, color="C0", alpha=0.8)
        limit = np.percentile(values, 95.0)
        axes.axvline(limit, color="black", linewidth=1.0, linestyle="--")
        axes.annotate(f" 95 %: {limit:.3g}", (limit, 0.97), xycoords=("data", "axes fraction"), va="top", fontsize=8)
    axes.set_title(_label(sweep, metric))
    axes.set_ylabel("runs")


def _scatter(axes, sweep: Sweep, parameter: str, metric: str, worst) -> None:
    x, y = _numbers(sweep.table, parameter), _numbers(sweep.table, metric)
    few = len(x) < 5000
    axes.plot(x, y, ".", markersize=3.0 if few else 1.5, alpha=0.6 if few else 0.3, rasterized=not few)
    axes.plot(_numbers(worst, parameter), _numbers(worst, metric), "o", color=_BAD, markersize=5.0, fillstyle="none")
    failed = sweep.failed
    if len(failed):
        axes.plot(_numbers(failed, parameter), np.zeros(len(failed)), "|", color=_BAD,
                  transform=axes.get_xaxis_transform(), markersize=8.0)  # fmt: skip
    axes.set_xlabel(_label(sweep, parameter))


def _bars(axes, sweep: Sweep, metric: str, worst) -> None:
    values = _numbers(worst, metric)
    axes.barh(np.arange(len(values)), values, color=_BAD, alpha=0.7)
    axes.set_yticks(np.arange(len(values)), [f"run {run}" for run in worst["run"].to_pylist()])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.locator_params(axis="x", nbins=4)
    axes.set_title("worst")
