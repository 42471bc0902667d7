"""Paths through waypoints: made once, when a description is read; the equations need only the polynomials (paths.py)."""

from __future__ import annotations

import numpy as np
import scipy  # imported only when used: most descriptions do not need it

from .paths import SplinePath

SPLINE_ORDER = 5  # quintic: continuous to the fourth derivative


def spline_through(times, values, start_rate=None) -> SplinePath:
    """The quintic spline through waypoints, times (n,) increasing and values (n, rows).

    It starts at rest (or with `start_rate` (rows,)), ends at rest, without acceleration at both ends, and is continuous to the fourth derivative.
    """
    times, values = np.asarray(times, float), np.asarray(values, float)
    none = np.zeros(values.shape[1])
    first = none if start_rate is None else np.asarray(start_rate, float)
    curve = scipy.interpolate.make_interp_spline(
        times, values, SPLINE_ORDER, bc_type=([(1, first), (2, none)], [(1, none), (2, none)])
    )
    pieces = [
        scipy.interpolate.PPoly.from_spline((curve.t, curve.c[:, row], SPLINE_ORDER)) for row in range(values.shape[1])
    ]
    knots = pieces[0].x
    real = np.flatnonzero(np.diff(knots) > 0.0)  # the spline repeats its first and last knot
    coefficients = np.stack([piece.c[:, real].T for piece in pieces], axis=-1)
    return SplinePath((*(float(knots[i]) for i in real), float(knots[real[-1] + 1])), coefficients)
