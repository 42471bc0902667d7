"""Matrices of FMI 3.0 FMUs: those of FMI 2.0 bit for bit, with the same names."""

from __future__ import annotations

import numpy as np
import pytest

import spacefmu
from spacefmu.fmu_src.linearize.fmu import linearized_fmu
from tests.catalogue_fmus import fmu_file
from tests.fmi3.units import fmu3_file
from tests.systems_small import OSCILLATOR


@pytest.mark.parametrize(
    "name, values", [("FourBar", {}), ("TetheredPair", {"first.velocity[2]": 0.01, "second.mass": 21.0})]
)
def test_matrices_are_those_of_fmi_2(name, values):
    old, outputs = linearized_fmu(fmu_file(name), 0.0, values)
    new, count = linearized_fmu(fmu3_file(name), 0.0, values)
    assert count == outputs
    assert np.abs(old.A).max() > 0.0
    for part in ("A", "B", "C", "D", "x", "u", "y", "x_dot"):
        np.testing.assert_array_equal(getattr(new, part), getattr(old, part), err_msg=part)
    assert (new.states, new.inputs, new.outputs) == (old.states, old.inputs, old.outputs)


def test_after_a_run():
    """Where a run ends, in co-simulation."""
    old, new = (spacefmu.linearize(file("FourBar"), after=0.2) for file in (fmu_file, fmu3_file))
    np.testing.assert_array_equal(new.A, old.A)
    assert new.x.tolist() == old.x.tolist() != linearized_fmu(fmu_file("FourBar"), 0.0, {})[0].x.tolist()


def test_an_oscillator_by_hand():
    """x'' = u - 4 x."""
    model, _ = linearized_fmu(fmu3_file(OSCILLATOR), 0.0, {})
    np.testing.assert_array_equal(model.A[:2], [[0.0, 1.0, 0.0], [-4.0, 0.0, 0.0]])
    np.testing.assert_array_equal(model.B[:2, 0], [0.0, 1.0])
