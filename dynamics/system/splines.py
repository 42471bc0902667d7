"""Curves through points, made at build: no equation needs this."""

from __future__ import annotations

import scipy  # its parts come when they are used: most descriptions need none

from .formula import Curve


def curve_through(x, y, smooth: bool = True) -> Curve:
    """The cubic spline through points (n,), (n,); not smooth: one that never overshoots (its second slope jumps)."""
    if not smooth:
        return Curve(tuple(map(float, x)), scipy.interpolate.PchipInterpolator(x, y).c.T.copy())
    ends = "not-a-knot" if len(x) > 3 else "natural"
    return Curve(tuple(map(float, x)), scipy.interpolate.CubicSpline(x, y, bc_type=ends).c.T.copy())
