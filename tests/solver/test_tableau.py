"""The coefficients of the methods: order conditions, measured orders, and SciPy's copy of DOP853."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import dop853_coefficients as scipy_copy

from spacefmu.dynamics.solver.tableau import CASH_KARP, DOP853, RK4, RK4_JUDGED, RODAS3, RODAS5P, STABILIZED


def trees(order: int):
    """Rooted trees with `order` vertices as sorted tuples of subtrees."""
    if order == 1:
        return [()]
    found = set()
    for first in range(1, order):
        for subtree in trees(first):
            for rest in trees(order - first):
                found.add(tuple(sorted((*rest, subtree))))
    return sorted(found)


def size(tree) -> int:
    return 1 + sum(map(size, tree))


def density(tree) -> int:
    return size(tree) * int(np.prod([density(subtree) for subtree in tree], dtype=int))


def weights(a, tree):
    """Φ of a tree, one number per stage: the product over subtrees of a Φ(subtree)."""
    result = np.ones(len(a))
    for subtree in tree:
        result = result * (a @ weights(a, subtree))
    return result


@pytest.mark.parametrize(("method", "order"), [(RK4, 4), (RK4_JUDGED, 4), (STABILIZED, 4), (CASH_KARP, 5), (DOP853, 8)])
def test_order_conditions_of_runge_kutta_methods(method, order):
    """[hairer1993] theorem II.2.13: b·Φ(tree) = 1/density for all trees up to the order; 200 trees up to order 8."""
    stages = len(method.b)
    a = method.a[:stages, :stages]
    assert method.c[:stages] == pytest.approx(a.sum(axis=1), abs=1e-14)
    for p in range(1, order + 1):
        for tree in trees(p):
            assert method.b @ weights(a, tree) == pytest.approx(1.0 / density(tree), abs=1e-13), tree  # measured: 1e-15
    beyond = max(abs(method.b @ weights(a, tree) - 1.0 / density(tree)) for tree in trees(order + 1))
    assert beyond > 1e-8  # the check can fail


@pytest.mark.parametrize(("method", "order"), [(RK4_JUDGED, 2), (STABILIZED, 3), (CASH_KARP, 4)])
def test_order_of_the_method_that_judges(method, order):
    """b − e are the weights of the embedded method: of this order, and no more."""
    judge = method.b - method.errors[0]

    def off(p):
        return max(abs(judge @ weights(method.a, tree) - 1.0 / density(tree)) for tree in trees(p))

    assert max(map(off, range(1, order + 1))) < 1e-15
    assert off(order + 1) > 1e-4


def growth(method, z):
    """R(z) of one step of x' = z x."""
    stages = np.linalg.solve(
        np.eye(len(method.b)) - z * method.a[: len(method.b), : len(method.b)], np.ones(len(method.b))
    )
    return abs(1.0 + z * method.b @ stages)


def test_the_stabilized_pair_is_stable_far_along_the_negative_axis():
    """Damped below 0.95, stable in a strip beside it; no stage looks beyond the end of the step. Others: -3.7 (5), -2.8 (4)."""
    axis = np.linspace(-19.3, -1.0, 1000)
    assert max(growth(STABILIZED, z) for z in axis) < 0.9501
    assert max(growth(STABILIZED, z + 0.5j) for z in np.linspace(-18.8, -0.5, 1000)) < 1.0
    assert min(growth(method, -4.0) for method in (CASH_KARP, RK4)) > 1.0
    assert STABILIZED.c.max() <= 1.0


def test_dop853_equals_scipys_copy():
    assert np.array_equal(DOP853.a, scipy_copy.A)
    assert np.array_equal(DOP853.b, scipy_copy.B)
    assert np.array_equal(DOP853.c, scipy_copy.C)
    assert np.array_equal(DOP853.dense, scipy_copy.D)
    assert np.array_equal(DOP853.errors, [scipy_copy.E5[:12], scipy_copy.E3[:12]])


def rosenbrock_step(f, jacobian, slope, t, x, h, method=RODAS5P):
    """One step as the docstring of `Rosenbrock` states it; gives x_new and the last stage."""
    matrix = np.eye(len(x)) / (h * method.gamma) - jacobian(t, x)
    stages: list = []
    for i in range(len(method.b)):
        at = x + sum((method.a[i, j] * stages[j] for j in range(i)), 0.0 * x)
        right = f(t + method.alpha[i] * h, at) + sum((method.c[i, j] / h * stages[j] for j in range(i)), 0.0 * x)
        stages.append(np.linalg.solve(matrix, right + method.gammas[i] * h * slope(t, x)))
    return x + method.b @ np.array(stages), stages[-1]


@pytest.mark.parametrize(("method", "order"), [(RODAS5P, 5.0), (RODAS3, 3.0)])
def test_orders_of_rosenbrock_methods_and_of_their_estimates(method, order):
    """Halving the steps of a nonlinear problem driven by time: the error falls by 2ᵖ, each step's estimate by 2ᵖ too."""

    def f(t, x):
        return np.array([x[1] * np.cos(t), -(x[0] ** 2) + np.sin(t) * x[1]])

    def jacobian(t, x):
        return np.array([[0.0, np.cos(t)], [-2.0 * x[0], np.sin(t)]])

    def slope(t, x):
        return np.array([-x[1] * np.sin(t), np.cos(t) * x[1]])

    end, x0, errors, estimates = 2.0, np.array([0.7, 0.4]), [], []
    exact = solve_ivp(f, (0.0, end), x0, "DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    for steps in (32, 64):
        x, h, largest = x0, end / steps, 0.0
        for i in range(steps):
            x, estimate = rosenbrock_step(f, jacobian, slope, i * h, x, h, method)
            largest = max(largest, np.linalg.norm(estimate))
        errors.append(np.linalg.norm(x - exact))
        estimates.append(largest)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)
    assert np.log2(estimates[0] / estimates[1]) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("method", [RODAS5P, RODAS3])
def test_rosenbrock_methods_damp_what_is_infinitely_stiff(method):
    """L-stable: one step of x' = −1e12 x leaves nothing."""
    found, _ = rosenbrock_step(
        lambda t, x: -1e12 * x, lambda t, x: np.array([[-1e12]]), lambda t, x: 0 * x, 0.0, np.ones(1), 1.0, method
    )
    assert abs(found[0]) < 1e-10
