"""Tables of the validation page: what a host's clock and its tolerance do to results. Each is a function that measures and writes its section."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.evaluate import start
from spacefmu.dynamics.signals import Signal
from spacefmu.dynamics.solver import Solver

STEPS, LENGTHS = (0.1, 0.01, 1.0 / 3.0), (10**3, 10**5, 10**7, 10**9)
WATCHED, CHUNK = 200, 10**6


class Sampling(Block):
    """Holds the last sample of its input."""

    inputs = (Signal("seen", "what is sampled", "1"),)
    parameters = (Signal("period", "of sampling", "s", 0.1),)
    sampled = (Signal("held", "last sample", "1"),)
    outputs = (Signal("shown", "last sample", "1", sampled=True),)
    sample_time = "period"

    def sample(self, now):
        return {"held": now.seen}

    def results(self, now):
        return {"shown": now.held}


def counted(h: float, steps: int) -> float:
    """Where a host's clock stands that adds h as often."""
    t = 0.0
    for chunk in range(-(-steps // CHUNK)):
        terms = np.full(min(CHUNK, steps - chunk * CHUNK) + 1, h)
        terms[0] = t
        t = float(np.add.accumulate(terms)[-1])
    return t


def samples_in_time(h: float, steps: int) -> tuple[int, int]:
    """Of a host that counts by t += h, at the end of so many steps: samples that saw the input of their communication point, and all."""
    solver, t = Solver(Sampling().system()), counted(h, steps)
    solver.place(t, *start(solver.system, t, p=np.array([h])))
    solver.advance(t + h)
    in_time = taken = 0
    for i in range(1, WATCHED + 1):
        t += h
        solver.t, solver.u, solver.disturbed = t, np.array([float(i)]), True
        before = solver.d[0]
        solver.advance(t + h)
        taken += solver.d[0] != before
        in_time += solver.d[0] != before and solver.d[1] == i
    return in_time, taken


def samples() -> str:
    cells = {h: ["{}/{}".format(*samples_in_time(h, n)) for n in LENGTHS] for h in STEPS}
    rows = "\n".join(f"| {h:.4g} | {' | '.join(found)} |" for h, found in cells.items())
    return f"""## Samples in hosts that count time by t += h

A block is sampled at every communication step. At the end of a run of so many steps, of {WATCHED} steps: samples that saw the input of
their own communication point / samples taken.

| step [s] | {" | ".join(f"{n:.0e} steps" for n in LENGTHS)} |
|---|{"---|" * len(LENGTHS)}
{rows}
"""


SECTIONS = (samples,)
