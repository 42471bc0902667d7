"""Paces a system to the wall clock and measures how well that works, for tests with hardware in the loop.

Communication point n is due at begin + n·h / speed. The master arrives there with all results of the step before;
    slack   due − arrival: the unused time of the step [s]; negative is an overrun: the results were late
    jitter  start − due: how much later than due the next step began [s], because of the operating system or an overrun
    latency arrival − start: duration of a step of all units and the master [s]
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARES = (50.0, 90.0, 99.0, 99.9, 100.0)  # [%] of the steps
_SPIN = 1e-3  # [s] before the due time, waited for without sleeping: sleep is not that accurate


class RealTimeClock:
    """Holds a run back to `speed` times real time: call it with the simulated time [s] at every communication point."""

    def __init__(self, speed: float = 1.0):
        if not (np.isfinite(speed) and speed > 0.0):
            raise ValueError(f"speed is {speed:g}; must be positive and finite (1 is real time)")
        self.speed = speed
        self._begin: float | None = None
        self._slack: list[float] = []
        self._jitter: list[float] = []
        self._latency: list[float] = []
        self._started = 0.0

    def __call__(self, simulated: float) -> None:
        now = time.perf_counter()
        if self._begin is None:
            self._begin = self._started = now
            return
        due = self._begin + simulated / self.speed
        self._slack.append(due - now)
        self._latency.append(now - self._started)
        if due - now > _SPIN:
            time.sleep(due - now - _SPIN)
        while time.perf_counter() < due:
            pass
        self._started = time.perf_counter()
        self._jitter.append(self._started - due)

    @property
    def slack(self) -> np.ndarray:
        return np.array(self._slack)

    @property
    def jitter(self) -> np.ndarray:
        return np.array(self._jitter)

    @property
    def latency(self) -> np.ndarray:
        return np.array(self._latency)

    def latencies(self) -> dict[str, float]:
        """Latency [s] that so many per cent of the steps stay below; "100" is the largest."""
        return {f"{share:g}": float(np.percentile(self.latency, share)) for share in SHARES if self._latency}

    def numbers(self) -> dict[str, float]:
        """Steps, overruns, and times [s]: the worst lateness, jitter at 50, 99 and 100 %, and the mean slack."""
        slack, jitter = (values if values.size else np.zeros(1) for values in (self.slack, self.jitter))
        p50, p99 = np.percentile(jitter, (50, 99)).tolist()
        return {
            "steps": len(self._slack),
            "overruns": int(np.sum(slack < 0.0)),
            "latest": float(max(0.0, -slack.min())),
            "mean_slack": float(slack.mean()),
            "jitter_median": p50,
            "jitter_99": p99,
            "jitter_largest": float(jitter.max()),
        }


def timing_figure(clock: RealTimeClock, step: float) -> Figure:
    """Histograms of slack and jitter; negative slack means that results were late."""
    import matplotlib as mpl

    from ..results.plot import STYLE, empty_figure

    numbers = clock.numbers()
    with mpl.rc_context(STYLE | {"axes.xmargin": 0.05}):
        figure = empty_figure(8.0, 3.0)
        left, right = figure.subplots(1, 2)
        left.hist(1e3 * clock.slack, bins=60)
        left.axvline(0.0, color="C3", linewidth=1.0)
        left.set_title(f"slack [ms] of steps of {1e3 * step / clock.speed:g} ms: {numbers['overruns']} overruns")
        right.hist(1e6 * clock.jitter, bins=60, log=True)
        right.set_title(f"jitter [µs]: 99 % below {1e6 * numbers['jitter_99']:.0f}")
        left.set_ylabel("steps")
        figure.suptitle(f"{numbers['steps']} steps at {clock.speed:g} × real time", x=0.01, ha="left")
    return figure
