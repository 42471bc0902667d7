"""Columns over time: piecewise polynomials against what they go through, on floats and symbols."""

import casadi
import numpy as np
import pytest

from spacefmu.dynamics.algebra.symbol import symbols, to_column
from spacefmu.dynamics.environment.over_time import fitted
from spacefmu.dynamics.environment.points_over_time import spline_through


def wave(t):
    return np.array([np.sin(0.3 * t), 2.0 * np.cos(0.7 * t), 1.0])


def wave_derivatives(t):
    """Value to third derivative."""
    turn, amplitude = np.array([0.3, 0.7, 0.0]), np.array([1.0, 2.0, 1.0])
    phase = np.array([0.3 * t - np.pi / 2, 0.7 * t, 0.0])
    return [amplitude * turn**k * np.cos(phase + k * np.pi / 2) for k in range(4)]


def test_pieces_follow_what_they_are_fitted_to():
    path = fitted(wave, 2.0, 80.0, 1e-11)
    assert len(path.table) > 4
    for t in np.linspace(2.0, 80.0, 57):
        value, rate = path.at(t)
        assert np.abs(value - wave(t)).max() < 3e-11
        assert np.abs(rate - wave_derivatives(t)[1]).max() < 3e-9


@pytest.mark.parametrize("uneven", [False, True])
def test_splines_go_through_points_with_three_derivatives(uneven):
    times = np.linspace(-1.0, 30.0, 156)
    times = times + (0.05 * np.sin(times * 9.0) if uneven else 0.0)
    path = spline_through(times, np.array([wave(t) for t in times]), 3)
    for t in np.linspace(2.0, 27.0, 41):
        for k, (found, wanted) in enumerate(zip(path.at(t), wave_derivatives(t), strict=True)):
            assert np.abs(found - wanted).max() < 10.0 ** (-9 + k)


def test_outside_the_values_stand_still():
    path = fitted(wave, 0.0, 10.0, 1e-9)
    for t, end in ((-5.0, 0.0), (12.0, 10.0), (np.inf, 10.0)):
        assert np.allclose(path.at(t)[0], wave(end), atol=1e-8)


def test_few_points_have_a_lower_degree():
    for count in (2, 3, 4, 5, 9):
        times = np.linspace(0.0, 1.0, count)
        path = spline_through(times, times[:, None] * [2.0], 1)
        assert np.allclose([path.at(t)[0][0] for t in (0.0, 0.3, 1.0)], [0.0, 0.6, 2.0])


@pytest.mark.parametrize("kind", [casadi.SX, casadi.MX])
def test_symbols_have_the_same_values_and_derivatives(kind):
    path = spline_through(np.linspace(0.0, 20.0, 41), np.array([wave(t) for t in np.linspace(0.0, 20.0, 41)]), 2)
    (time,), column = symbols("t", 1, kind)
    results = to_column(np.concatenate(path.at(time)), kind)
    both = casadi.Function("both", [column], [results, casadi.jacobian(results, column)])
    for t in (0.0, 3.3, 7.0, 19.99, 20.0):
        found, slope = (each.full().ravel() for each in both(t))
        wanted = path.at(t)
        assert np.abs(found - np.concatenate(wanted)).max() < 1e-14
        if 0.0 < t < 20.0:
            assert np.abs(slope[:6] - np.concatenate(wanted[1:])).max() < 1e-13
