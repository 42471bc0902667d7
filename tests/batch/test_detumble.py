"""The example of reinforcement learning: a network that has learned to stop a tumbling satellite."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "rl" / "detumble.py"


@pytest.mark.slow
def test_a_network_learns_to_detumble():
    spec = importlib.util.spec_from_file_location("detumble", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    said = []
    _, after, without = example.train(tell=said.append)
    assert len(said) == 8
    assert np.median(without) > 0.05
    assert np.median(after) < 0.1 * np.median(without)
    assert after.max() < 0.2 * without.max()
