"""Tables of the validation page: what a host's clock and its tolerance do to results. Each is a function that measures and writes its section."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.evaluate import start
from spacefmu.dynamics.system.signals import Signal
from spacefmu.fmu_src import api
from tests.environment.test_orbit_accuracy import INERTIAL, falling

from .change_point_table import change_points
from .small_motions import small_motions
from .trust import trust

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
    return f"""## Samples in hosts that compute time by t += h

A block is sampled at every communication step. After the given number of steps, {WATCHED} more are watched: samples that read the input of
their own communication point / samples taken.

| step [s] | {" | ".join(f"{n:.0e} steps" for n in LENGTHS)} |
|---|{"---|" * len(LENGTHS)}
{rows}
"""


ORBIT = f'name = "Orbit"\n{INERTIAL}'
ORBIT_STOPS, ORBIT_TOLERANCES = (1e4, 1e5, 1e6), (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)


def orbits() -> str:
    """Errors of a J2 orbit by tolerance and time, against SciPy on a point mass."""
    places = [f"hub.position[{i}]" for i in (1, 2, 3)]
    system = load_text(ORBIT)
    exact = solve_ivp(falling, (0.0, ORBIT_STOPS[-1]), [7.0e6, 0.0, 0.0, 0.0, 5.3e3, 5.3e3], method="DOP853", t_eval=ORBIT_STOPS, rtol=3e-14, atol=1e-8).y[:3]  # fmt: skip
    rows = []
    for tolerance in ORBIT_TOLERANCES:
        result = api.simulate(system, ORBIT_STOPS[-1], 1000.0, {"solver.tolerance": tolerance}, record=places)
        found = np.array([result[place] for place in places])
        rows.append([np.linalg.norm(found[:, round(t / 1000.0)] - exact[:, i]) for i, t in enumerate(ORBIT_STOPS)])
    lines = "\n".join(
        f"| {tolerance:g} | {' | '.join(f'{error:.2g}' for error in row)} |"
        for tolerance, row in zip(ORBIT_TOLERANCES, rows, strict=True)
    )
    return f"""
## Tolerance and orbits

A craft on an orbit of 7000 km under J2, in the inertial frame, native FMU at communication steps of 1000 s: distance [m] from the same orbit by SciPy's DOP853 at 3e-14 (a point mass). Errors of the energy displace the craft along its track by the square of the time.

| tolerance | {" | ".join(f"{t:.0e} s" for t in ORBIT_STOPS)} |
|---|{"---|" * len(ORBIT_STOPS)}
{lines}

"""


SECTIONS = (samples, orbits, small_motions, change_points, trust)
