"""A report of a hundred thousand points in headless chromium, without a graphics card: what a frame of a pan costs.

python -m bench.redraw [points]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from spacefmu.fmu_src import api
from spacefmu.fmu_src.results import Result
from tests.browser.chromium import Browser

CURVES, FRAMES = 6, 60
# Moves the stretch of time a little with every frame of the screen.
PAN = """
new Promise((done) => {
  const { range } = [...report.plots.values()][0];
  let count = 0;
  const next = () => {
    const start = SPAN * 0.3 * count / FRAMES;
    range.setv({ start, end: start + PART * SPAN });
    if (++count < FRAMES) requestAnimationFrame(next); else requestAnimationFrame(() => setTimeout(done, 0));
  };
  requestAnimationFrame(next);
})
"""


def wave(points: int) -> Result:
    """Six curves in two plots: a hundred swings each, with noise, so that no pixel is like another."""
    time, noise = np.linspace(0.0, 1000.0, points), np.random.default_rng(1)
    columns = [np.sin((0.6 + 0.1 * i) * time) + 0.1 * noise.normal(size=points) for i in range(CURVES)]
    names = [f"{body}.position[{i}]" for body in ("hub", "panel") for i in (1, 2, 3)]
    return Result(time, tuple(names), np.array(columns).T)


def busy(browser: Browser) -> float:
    """Seconds of CPU that the page's thread has taken: scripts, layout and painting."""
    metrics = browser.call("Performance.getMetrics")["metrics"]
    return next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def main(points: int = 100_000) -> None:
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        page, result = Path(folder) / "long.html", wave(points)
        api.report(result, page, title="long")
        browser.call("Performance.enable", timeDomain="threadTicks")
        browser.open(page)
        browser.evaluate("document.querySelector('.plot').scrollIntoView()")
        browser.wait("[...report.plots.values()].length > 1 && [...report.plots.values()].every(({ range }) => range)")
        size = page.stat().st_size / 1e6
        print(
            f"{points} points of {CURVES} curves in two plots, {size:.1f} MB; CPU of the page's thread a frame of a pan"
        )
        for words, part in (("all of the run", 1.0), ("a tenth of it", 0.1), ("a thousandth", 0.001)):
            pan = PAN.replace("FRAMES", str(FRAMES)).replace("PART", str(part)).replace("SPAN", str(result.time[-1]))
            taken = []
            for _ in range(3):
                before = busy(browser)
                browser.evaluate(pan)
                taken.append(1e3 * (busy(browser) - before) / FRAMES)
            print(f"  {words:15} {min(taken):5.1f} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
