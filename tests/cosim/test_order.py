"""Order of accuracy of the exchanges, on continuous partners: error against the monolithic System over the communication step."""

import numpy as np
import pytest

from tests.cosim.order import Pair, slope

STEPS = np.array([0.1, 0.05, 0.025])


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return Pair(tmp_path_factory.mktemp("pair"))


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss_seidel"])
def test_held_inputs_are_of_first_order(pair, algorithm):
    errors = [pair.with_held_inputs(step, algorithm) for step in STEPS]
    assert errors[0] > 1e-3
    assert slope(STEPS, errors) == pytest.approx(1.0, abs=0.15)


def test_input_derivatives_are_of_second_order(pair):
    assert slope(STEPS, [pair.with_input_derivatives(step) for step in STEPS]) == pytest.approx(2.0, abs=0.2)
