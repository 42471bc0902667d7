"""The norm of a step's error, relative to the size of the motion. NumPy only.

For each vector of states (hub.velocity; the amplitude of one mode)

    size   = |(x − x_start) / nominal|            how far it is from where the run began
    moved  = the largest size so far, FINEST / tolerance ≤ moved ≤ 1
    scale  = tolerance · (moved + size)
    ‖e‖    = max over the vectors of  |e / nominal| / scale

so that motions far below the nominal values have the same relative accuracy as large ones. Alternatives fail: |x| instead of |x − x_start|, because a
quaternion's 1 hides a rotation of 1e-5 rad; single entries, because a component of an orbit's velocity passes through zero; the mean of all states, because
thirty constant states hide one mode's error. Quadratures are left out.

Natural coordinates are tied by rows: within a step all of them have errors of similar size, even one that does not move (the top rod of a parallelogram), and
the projection corrects it. Its error is a share of theirs, or their round-off. With the largest moved + size of those of its unit

    scale += tolerance · max(TIED, TIED_FINEST / tolerance) · largest

The same as the C runtime's (fmu_src/native/runtime/core/error_norm.c). Proved by tests/solver/test_small_motions.py, tests/natural/test_tolerance.py.
"""

from __future__ import annotations

import numpy as np

from ..bounds import FINEST, TIED, TIED_FINEST


def vectors_of(states) -> tuple[list[int], list[bool]]:
    """The vector of each state, and of each vector whether it is a quadrature."""
    quadrature = {state.array: state.quadrature for state in states}
    places = {array: place for place, array in enumerate(quadrature)}
    return [places[state.array] for state in states], list(quadrature.values())


def ties_of(states) -> list[int]:
    """For each vector the number of its unit, the group of vectors that rows tie together; −1: it is not tied."""
    units = {state.array: state.unit if state.tied else None for state in states}
    counted = [unit for unit in dict.fromkeys(units.values()) if unit is not None]
    return [-1 if unit is None else counted.index(unit) for unit in units.values()]


def rates_of(states, duration: float) -> tuple[list[float], list[int]]:
    """The nominal value of each state's derivative, and of each vector the one that is its derivative (−1: none). duration: of the experiment [s]."""
    by_name, vector = {state.name: i for i, state in enumerate(states)}, vectors_of(states)[0]
    nominal, speed = [], dict.fromkeys(vector, -1)
    for i, state in enumerate(states):
        its = by_name.get(state.derivative)
        speed[vector[i]] = -1 if its is None else vector[its]
        known = state.derivative_nominal if its is None else states[its].nominal
        nominal.append(known or (state.nominal or 1.0) / duration)
    return nominal, list(speed.values())


class ErrorNorm:
    """x_start (nx,): where the run began;  moved (vectors,): see above. Both are part of the FMU's state.  nominal (nx,): of the states."""

    def __init__(self, states):
        vector, quadrature = vectors_of(states)
        self._vector, self._judged = np.array(vector, int), ~np.array(quadrature, bool)
        ties = np.array(ties_of(states), int)
        self._ties = [np.flatnonzero(ties == tie) for tie in range(ties.max(initial=-1) + 1)]
        self.nominal = np.array([state.nominal or 1.0 for state in states])
        self.x_start, self.moved, self._size = (np.zeros(n) for n in (len(states), len(quadrature), len(quadrature)))

    def begin_run(self, x) -> None:
        """The run begins at x."""
        self.x_start, self.moved = np.array(x, float), np.zeros(len(self.moved))

    def note_motion(self, x) -> None:
        """Before each step, which begins at x."""
        self._size = self._sizes(x - self.x_start)
        self.moved = np.maximum(self.moved, np.minimum(self._size, 1.0))

    def _sizes(self, v) -> np.ndarray:
        scaled = v / self.nominal
        return np.sqrt(np.bincount(self._vector, scaled * scaled, len(self.moved)))

    def __call__(self, v, x_new, tolerance: float) -> float:
        """The norm of an error v at the end x_new of the step."""
        moved = np.maximum(self.moved, min(FINEST / tolerance, 1.0))
        size = np.maximum(self._size, self._sizes(x_new - self.x_start))
        scale = tolerance * (moved + size)
        for tied in self._ties:
            scale[tied] += tolerance * max(TIED, TIED_FINEST / tolerance) * np.max((moved + size)[tied])
        ratios = self._sizes(v) / scale
        return float(np.max(ratios[self._judged], initial=0.0))
