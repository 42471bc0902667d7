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
