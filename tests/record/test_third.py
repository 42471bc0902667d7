"""Independent solutions of the record's cases, computed anew: they are what the files call exact, and inside what references print."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.fmu_src.record.case import ROUND_OFF, chosen
from tests.record.third import closed, elastic, joints, mechanisms, modelica, orbits, papers, plain, rigid

SOLUTIONS = {
    **elastic.CASES,
    **orbits.CASES,
    **plain.CASES,
    **joints.CASES,
    **modelica.CASES,
    **mechanisms.CASES,
}
CASES = {case.name: case for case in chosen()}
QUICK = {*elastic.CASES, *orbits.CASES, *plain.CASES} - {"orbit/basilisk_hinged_panels"}
CLOSED = {
    f"modelica/{name}"
    for name in ("spring_mass", "spring_with_mass", "actuated_drive", "dampers", "arrows", "pushed_mass")
}


def solved(name: str):
    """Pairs of a comparison and its columns; a solution may leave out the last comparisons."""
    case = CASES[name]
    (times,) = {tuple(each.time) for each in case.compare}
    for comparison, columns in zip(case.compare, SOLUTIONS[name](times), strict=False):
        signs = np.sign(np.sum(columns * comparison.values, axis=1))[:, None]  # q and −q are one attitude
        yield comparison, columns * signs if comparison.measure in ("quaternion", "vvlh") else columns


def test_every_case_with_an_independent_solution_has_it_here():
    assert set(SOLUTIONS) >= {name for name, case in CASES.items() if any(len(each.exact) for each in case.compare)}
    assert set(SOLUTIONS) <= set(CASES)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in QUICK else pytest.mark.ci) for n in SOLUTIONS])
def test_the_independent_solution_is_the_one_of_the_file(name):
    found = list(solved(name))
    for comparison, columns in found:
        allowed = comparison.allowed
        if len(comparison.exact):
            slack = 0.05 * allowed + ROUND_OFF * np.max(np.abs(comparison.values))
            assert np.all(np.abs(columns - comparison.exact) <= slack), comparison.what
        assert np.all(np.abs(columns - comparison.values) <= (1.0 + 1e-6) * allowed), comparison.what
    assert sum(bool(len(each.exact)) for each, _ in found) == sum(bool(len(e.exact)) for e in CASES[name].compare)


FORMULAS = {**closed.CASES, **papers.CASES}


def test_every_formula_is_evaluated_here():
    assert set(FORMULAS) >= {name for name, case in CASES.items() if case.source.origin == "formula"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.ci if n in ("papers/jin_tree", "papers/tkachev_satellite") else [])
        for n in FORMULAS
    ],
)
def test_a_formula_has_the_values_of_the_file(name):
    case = CASES[name]
    for comparison, columns in zip(case.compare, FORMULAS[name](case.compare[0].time), strict=True):
        signs = np.sign(np.sum(columns * comparison.values, axis=1))[:, None]
        found = columns * signs if comparison.measure == "quaternion" else columns
        np.testing.assert_allclose(found, comparison.values, rtol=0.0, atol=1e-11 * np.max(np.abs(comparison.values)))


@pytest.mark.ci
@pytest.mark.parametrize("name", sorted({*modelica.CASES, *plain.CASES} - CLOSED))
def test_dymola_is_as_far_off_as_its_tolerance_makes_it(name, monkeypatch):
    """Another multistep method (LSODA) at Dymola's tolerance is off by as much, to a factor of 50: the models are the same."""
    tolerance = float(CASES[name].source.accuracy.partition("tolerance ")[2].partition(";")[0])

    def loosely(rates, span, start, method, times, **_):
        return solve_ivp(rates, span, start, "LSODA", times, rtol=tolerance, atol=tolerance)

    monkeypatch.setattr(plain, "solve_ivp", loosely)
    monkeypatch.setattr(rigid, "solve_ivp", loosely)
    for comparison, columns in solved(name):
        assert comparison.distance < 50.0 * np.max(np.abs(columns - comparison.exact)), comparison.what
