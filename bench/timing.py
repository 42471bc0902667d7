"""CPU time, best of alternating chunks: what else runs on the machine spoils the fewest of them, and all contenders alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

Chunk = Callable[[int], float]  # n calls → nanoseconds of CPU a call

CHUNK = 0.02  # [s] that a chunk takes, roughly
ROUNDS = 15


def alternate(contenders: Mapping[str, Chunk], rounds: int = ROUNDS, chunk: float = CHUNK) -> dict[str, float]:
    """Nanoseconds a call of each contender: the best of `rounds` chunks, all contenders in turn."""
    counts = {name: _count(run, chunk) for name, run in contenders.items()}
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            best[name] = min(best[name], run(counts[name]))
    return best


def _count(run: Chunk, chunk: float) -> int:
    """Calls that take about as long as a chunk."""
    n = 1
    while (taken := run(n) * n * 1e-9) < 0.1 * chunk and n < 10**8:
        n = 4 * n
    return max(1, round(n * chunk / max(taken, 1e-9)))


def timed(call: Callable[[], object]) -> tuple[float, object]:
    """(seconds of CPU, what the call gave)."""
    begin = time.process_time()
    result = call()
    return time.process_time() - begin, result
