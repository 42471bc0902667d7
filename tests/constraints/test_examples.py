"""Every example of a coupling loads, starts on its constraints, and has finite rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.description import load
from spacefmu.dynamics.system.evaluate import motion, residual, start

EXAMPLES = sorted(Path("examples").glob("couplings_*.toml"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 7


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_starts(path):
    system = load(path)
    x, u, k, d = start(system)
    assert max((residual(p, 0.0, x, u, k, d) for p in system.projections), default=0.0) < 1e-12  # measured 3e-18
    assert all(np.all(np.isfinite(part)) for part in motion(system, 0.0, x, u, k, d))
