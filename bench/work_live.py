"""(i) Live pages in headless chromium, without a graphics card: their size, their start, and their speed beside the same C natively.

CPU of the page's worker against CPU of a native program with the same C library, on the same default experiments, in turn.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from spacefmu.fmu_src import api
from tests.browser.chromium import Browser
from tests.live.witness import Experiment

from .results import Results, folder

NAMES = ("FlexibleSatellite", "AttitudeSlew", "FourBar", "TetheredPair")
ROUNDS = 7
WORKER = "DedicatedWorker"  # chromium's name of a worker's thread
READY = "window.live && live.ready"
RUN = "live.ask('restart', {{ values: [], step: {0.step} }}).then(() => live.ask('advance', {{ by: {0.stop}, milliseconds: 1e6, spacing: {0.stop} / 1000 }})).then(({{ steps }}) => steps)"  # fmt: skip


def run(results: Results, names: tuple[str, ...] = NAMES, rounds: int = ROUNDS) -> None:
    lines = []
    with tempfile.TemporaryDirectory(dir=folder()) as place, Browser() as browser:
        for name in names:
            experiment, page = Experiment(name), api.live(name).write(Path(place, f"{name}.html"))
            started = min(_started(browser, page) for _ in range(rounds))
            first, *later = (_in_page(browser, experiment) for _ in range(rounds))
            natively = [experiment.native(Path(place))[1] for _ in range(rounds)]
            times = experiment.stop / min(later), experiment.stop / first, experiment.stop / min(natively)
            size = page.stat().st_size / 1e6
            lines.append([name, f"{size:.2f}", f"{started:.0f}", *(f"{each:,.0f}" for each in times)])
            key = "live_{}".format if name == NAMES[0] else "".format
            results.row("i", f"{name}: its page", size, "MB", key=key("size"))
            results.row(
                "i", f"{name}: from opening the page to its first picture", started / 1e3, "s", key=key("start")
            )
            results.row("i", f"{name}: times real time in chromium", times[0], key=key("speed"))
            results.row("i", f"{name}: the same while the browser still compiles", times[1], key=key("speed"))
            results.row("i", f"{name}: speed in chromium over native", times[0] / times[2], key=key("native"))
    head = ["", "page [MB]", "start [ms]", "times real time", "first run", "native"]
    results.tables["Default experiments in a live page, by CPU of its worker"] = (head, lines)


def _started(browser: Browser, page: Path) -> float:
    """Milliseconds from the page's opening until it draws and runs."""
    browser.open(page)
    browser.wait(READY)
    browser.evaluate("live.play(false)")
    return browser.evaluate("live.started")


def _in_page(browser: Browser, experiment: Experiment) -> float:
    """Seconds of CPU that the worker takes for the default experiment, with what it records for plots and CSV."""
    before = _worker_cpu()
    steps = browser.evaluate(RUN.format(experiment))
    if steps != experiment.steps:
        raise RuntimeError(f"{steps} of {experiment.steps} communication steps were made")
    return _worker_cpu() - before


def _worker_cpu() -> float:
    """Seconds of CPU of the workers of all pages that this process has opened."""
    threads = (thread for pid in _descendants(os.getpid()) for thread in Path(f"/proc/{pid}/task").glob("*"))
    workers = (each for each in threads if (each / "comm").read_text("utf-8").strip() == WORKER)
    return 1e-9 * sum(int((each / "schedstat").read_text("utf-8").split()[0]) for each in workers)


def _descendants(of: int) -> list[int]:
    found = []
    for children in Path(f"/proc/{of}/task").glob("*/children"):
        for pid in map(int, children.read_text("utf-8").split()):
            found += [pid, *_descendants(pid)]
    return found
