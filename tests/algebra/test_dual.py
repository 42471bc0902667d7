"""Dual numbers: exact derivatives of equations, against central differences and against the symbols' own."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.algebra.dual import Dual, duals, rates_of, values_of
from spacefmu.dynamics.algebra.rotation import dcm_quaternion, quaternion_dcm, rotation_vector
from spacefmu.dynamics.algebra.scalar import maximum, spd_solve, where
from spacefmu.dynamics.algebra.symbol import symbols, to_column


def differences(function, x, rate, step=1e-6):
    return (np.asarray(function(x + step * rate)) - np.asarray(function(x - step * rate))) / (2.0 * step)


def everything(x):
    a, b, c = x
    return np.array(
        [
            a + 2.0 - b,
            3.0 - a,
            a * b / c,
            2.0 / a,
            a**3,
            np.sin(a) * np.cos(b),
            np.tan(a) + np.arcsin(0.5 * a) + np.arccos(0.3 * b) + np.arctan(c),
            np.sinh(a) + np.cosh(b) + np.tanh(c),
            np.exp(a) + np.log(c) + np.sqrt(b),
            np.arctan2(a, b),
            where(a > b, a * a, b * b),
            maximum(a, 0.1),
            -a,
        ]
    )


def test_every_operation():
    x, rate = np.array([0.4, 0.7, 1.3]), np.array([0.9, -1.1, 0.6])
    found = everything(duals(x, rate))
    assert np.allclose(values_of(found).astype(float), everything(x), rtol=1e-15)
    assert np.allclose(rates_of(found).astype(float), differences(everything, x, rate), rtol=1e-8)


def test_rotations_and_solves():
    rng = np.random.default_rng(2)
    q, q_rate = rng.normal(size=(2, 4))
    assert np.allclose(
        rates_of(quaternion_dcm(duals(q, q_rate))).astype(float), differences(quaternion_dcm, q, q_rate), atol=1e-8
    )
    unit = q / np.linalg.norm(q)
    there_and_back = lambda p: dcm_quaternion(quaternion_dcm(p))  # noqa: E731
    tangent = q_rate - unit * (unit @ q_rate)
    found = rates_of(there_and_back(duals(unit, tangent))).astype(float)
    assert np.allclose(found * np.sign(unit[0]), tangent, atol=1e-12)
    turn, rate = rng.normal(size=(2, 3))
    R = lambda theta: rotation_vector(theta, theta)[0]  # noqa: E731
    assert np.allclose(rates_of(R(duals(turn, rate))).astype(float), differences(R, turn, rate), atol=1e-8)
    A, A_rate = rng.normal(size=(2, 4, 4))
    spd = lambda B: spd_solve(B @ B.T + 3.0 * np.eye(4), B[:, 0])  # noqa: E731
    assert np.allclose(rates_of(spd(duals(A, A_rate))).astype(float), differences(spd, A, A_rate), atol=1e-7)


def test_second_derivatives():
    """Duals of duals: d²/dt² of sin(t²) is 2cos(t²) − 4t² sin(t²)."""
    t = 0.8
    moving = Dual(Dual(t, 1.0), Dual(1.0, 0.0))
    found = np.sin(np.array([moving * moving]))[0]
    assert found.rate.rate == pytest.approx(2.0 * np.cos(t * t) - 4.0 * t * t * np.sin(t * t), rel=1e-14)


def test_duals_of_symbols():
    """Value and rate may be symbols: the rate is then CasADi's own derivative."""
    import casadi

    entries, column = symbols("x", 3)
    rate = np.array([0.9, -1.1, 0.6])
    by_duals = to_column(rates_of(everything(duals(entries, rate))))
    by_casadi = casadi.jtimes(to_column(everything(entries)), column, casadi.DM(rate))
    both = casadi.Function("both", [column], [by_duals, by_casadi])([0.4, 0.7, 1.3])
    assert np.allclose(*(np.array(part).ravel() for part in both), rtol=1e-14)
