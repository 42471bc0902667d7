"""Location of events in a step, for difficult indicators (dynamics/solver/location.py)."""

import numpy as np
import pytest

from spacefmu.dynamics.solver.location import Watched


def test_round_off_right_behind_an_event_is_no_event():
    """A margin that has just come off zero: round-off first, then it rises and falls. The interpolant, which errs by the tolerance, has it fall at once.

    Found by 100 beads at a tolerance of 1e-4, which advanced only by the resolution of time, switching between two signs.
    """

    def margin(length):
        return length * (0.4 - length) if length > 1e-12 else -1e-16

    def on_the_interpolant(share):
        return np.array([1e-6 * share - 1e-3 * share * share if share < 0.3 else margin(share)])

    watched = Watched(
        before=np.array([2.5e-17]), length=1.0, between=on_the_interpolant,
        after=lambda length: (np.array([length]), np.array([margin(length)])), end=2.0, tolerance=1e-4,
    )  # fmt: skip
    length, x = watched.first_event(slow=False)
    assert length == x[0] == pytest.approx(0.4, abs=1e-12)
    assert margin(length) <= 0.0
