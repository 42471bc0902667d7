"""Splines through points over time (over_time.py): made once, when a description is read; the equations need only the polynomials."""

from __future__ import annotations

from math import factorial

import numpy as np
import scipy  # its parts come when they are used: most descriptions need none

from .over_time import MOST_PIECES, OverTime

SPLINE = 7  # degree: continuous to the sixth derivative


def spline_through(times, values, derivatives: int) -> OverTime:
    """The spline of the seventh degree (of fewer points less) through values (n, m) at times (n,), rising."""
    steps = np.diff(times)
    if np.ptp(steps) > 1e-6 * steps.mean():  # pieces have the same length
        count = min(int(np.ceil((times[-1] - times[0]) / steps.min())), MOST_PIECES)
        even = np.linspace(times[0], times[-1], count + 1)
        times, values = even, scipy.interpolate.make_interp_spline(times, values, _degree(len(times)))(even)
    even = np.linspace(times[0], times[-1], len(times))
    degree = _degree(len(times))
    curve = scipy.interpolate.make_interp_spline(even, values, degree)
    length = even[1] - even[0]
    powers = np.arange(degree, -1, -1)
    centers = even[:-1] + 0.5 * length
    rows = [curve(centers, nu=int(k)) * (0.5 * length) ** k / factorial(int(k)) for k in powers]
    lacking = max(derivatives - degree, 0)  # higher powers of few points
    table = np.pad(np.stack(rows, axis=1), ((0, 0), (lacking, 0), (0, 0)))
    return OverTime(float(times[0]), float(length), table, derivatives)


def _degree(points: int) -> int:
    """Odd, and below the number of points."""
    return min(SPLINE, points - 1 - points % 2)
