"""How far apart two results are."""

from __future__ import annotations

import numpy as np


def relative(found, expected, floor: float = 0.0) -> float:
    """max|found − expected| over max|expected|, or over `floor` where that is larger."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, f"shapes {found.shape} and {expected.shape} differ"
    assert np.all(np.isfinite(found)), "not finite"
    size = max(float(np.max(np.abs(expected), initial=0.0)), floor)
    return float(np.max(np.abs(found - expected), initial=0.0)) / (size or 1.0)


def undefined_angles(run, names) -> tuple[str, ...]:
    """A nearly circular orbit has no perigee to compare (dynamics/environment/kepler.py holds it below e = 1e-12).

    A relative change of the state by 1e-15 turns it by π at e = 6e-14; the argument of latitude stays compared.
    run[name]: values over time.
    """
    eccentricity = "system.orbit.eccentricity"
    circular = eccentricity in names and run[eccentricity].min() < 1e-6
    return ("system.orbit.perigee", "system.orbit.true_anomaly") if circular else ()
