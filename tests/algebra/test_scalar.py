"""The helpers of spacefmu.dynamics.algebra.scalar: right on floats (against NumPy), and the same on symbols."""

import numpy as np
import pytest

from spacefmu.dynamics.algebra import scalar
from tests.algebra.on_symbols import on_symbols

A = np.array([-2.0, -0.5, 0.0, 0.5, 3.0])
B = np.array([1.0, -0.5, -1.0, 2.0, 2.5])  # less, equal and greater all occur

# helper, what NumPy says on floats
HELPERS = {
    "maximum": (scalar.maximum, np.maximum(A, B)),
    "minimum": (scalar.minimum, np.minimum(A, B)),
    "absolute": (lambda a, b: scalar.absolute(a), np.abs(A)),
}
# comparisons are made of scalars: NumPy asks the comparison of two object arrays for truth values
CHOICES = {
    "where": (lambda a, b: scalar.where(a < b, a + 1.0, b * 2.0), np.where(A < B, A + 1.0, B * 2.0)),
    "where, a number": (lambda a, b: scalar.where(a < b, 0.0, b), np.where(A < B, 0.0, B)),
    "both": (lambda a, b: scalar.where(scalar.both(a < b, b > 0.0), 1.0, 0.0), ((A < B) & (B > 0.0)) * 1.0),
    "either": (lambda a, b: scalar.where(scalar.either(a < b, b > 0.0), 1.0, 0.0), ((A < B) | (B > 0.0)) * 1.0),
}


@pytest.mark.parametrize("name", HELPERS)
def test_helper_on_floats_and_on_symbols(name):
    helper, expected = HELPERS[name]
    assert np.array_equal(helper(A, B), expected)
    assert np.array_equal(on_symbols(helper, A, B), expected)


@pytest.mark.parametrize("name", [*HELPERS, *CHOICES])
def test_helper_on_scalars(name):
    """The same on single numbers and single symbols: an equation need not know whether it holds an array."""
    helper, expected = (HELPERS | CHOICES)[name]
    for a, b, value in zip(A, B, expected, strict=True):
        assert helper(a, b) == value
        assert on_symbols(helper, a, b) == value


def test_where_broadcasts_a_scalar_condition():
    """One condition for a whole array, as jumps of the state use it."""
    result = on_symbols(lambda a, c: scalar.where(c > 0.0, a, 0.0 * a), A, 1.0)
    assert np.array_equal(result, A)


def test_where_mixes_plain_conditions_with_symbols():
    """A condition of plain numbers chooses between symbols: the choice is made at once."""
    plain = np.array([True, False, True, False, True])
    expected = np.where(plain, A, B)
    assert np.array_equal(on_symbols(lambda a, b: scalar.where(plain, a, b), A, B), expected)


def test_where_ignores_the_other_alternative():
    """A chosen value is untouched by an infinite alternative (0 · ∞ would be NaN)."""
    result = on_symbols(lambda a: scalar.where(a > 0.0, a, 1.0 / (a - a)), 2.0)
    assert result == 2.0


@pytest.mark.parametrize("value", [1.0, np.ones(3), np.ones(3, int)])
def test_plain_numbers_are_not_symbolic(value):
    assert not scalar.is_symbolic(value)


@pytest.mark.parametrize("size", [0, 1, 2, 5, 12])
@pytest.mark.parametrize("columns", [None, 3])
def test_spd_solve(size, columns):
    """LDLᵀ on symbols = LAPACK on floats. Measured: 1e-16 (n = 12)."""
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size))
    matrix = root @ root.T + size * np.eye(size)
    right = rng.normal(size=size if columns is None else (size, columns))
    expected = np.linalg.solve(matrix, right) if size else right
    assert np.allclose(scalar.spd_solve(matrix, right), expected, rtol=1e-13, atol=1e-15)  # Cholesky against LU
    traced = on_symbols(scalar.spd_solve, matrix, right).reshape(expected.shape)
    assert np.allclose(traced, expected, rtol=0.0, atol=1e-13)


def test_spd_solve_of_a_diagonal_of_numbers_and_symbols():
    """As of modes of which some carry a body at a node and some do not."""

    def solved(a, b):
        return scalar.spd_solve(np.array([[a[0], 0.0], [0.0, 4.0]], dtype=object), b)

    assert np.allclose(on_symbols(solved, np.array([2.0]), np.array([1.0, 2.0])), [0.5, 0.5], rtol=1e-15)
