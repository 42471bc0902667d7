"""The planned solve (native/trace/saddle_plan.py) against NumPy's, and its report on rows that weaken or are not redundant."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.bounds import PLANNED_WEAK
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import project, solve_saddle, start
from spacefmu.fmu_src import catalogue
from spacefmu.fmu_src.native.trace import saddle_plan
from spacefmu.fmu_src.native.trace.saddle_plan import plan_of
from spacefmu.fmu_src.native.trace.saddle_written import planned_solve
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.catalogue_fmus import system_of

CATALOGUE = Path(catalogue.__file__).parent


def natural(name: str):
    return load_text('formulation = "natural"\n' + (CATALOGUE / f"{name}.toml").read_text("utf-8"))


def loops(count: int) -> str:
    """Several of FourBar's loops on one hub, in parallel planes."""
    nodes = "\n".join(f"n{i} = [0.0, 0.0, {0.1 * i}]" for i in range(count))
    text = f'name = "Loops"\n[bodies.hub]\nmass = 40.0\ninertia = [9.0, 8.0, 7.0]\n[bodies.hub.nodes]\n{nodes}\n'
    for i in range(count):
        for bar, length in ((2, 0.5), (3, 1.1), (4, 0.9)):
            text += f"[bodies.bar{bar}_{i}]\nmass = {4.0 * length}\nmass_center = [{length / 2}, 0.0, 0.0]\n"
            text += (
                f"inertia = [0.01, {0.34 * length**3}, {0.34 * length**3}]\nnodes = {{ end = [{length}, 0.0, 0.0] }}\n"
            )
        begins = (
            ("hub", [1.0, 0.0, 0.1 * i], 80.0),
            (f"bar2_{i}", [0.5, 0.0, 0.0], 78.38),
            (f"bar3_{i}", [1.1, 0.0, 0.0], 107.53),
        )
        for bar, (parent, place, angle) in zip((2, 3, 4), begins, strict=True):
            text += f'[joints.hinge{bar}_{i}]\nparent = "{parent}"\nchild = "bar{bar}_{i}"\nplace = {place}\nkind = "revolute"\n'
            text += f'axis = "z"\ninitial = {{ position = "{angle} deg", rate = {0.3 if bar == 2 else 0.0} }}\n'
        text += f'[couplings.closing_{i}]\nkind = "spherical"\na = "hub.n{i}"\nb = "bar4_{i}.end"\n'
    return text


@cache
def _written_out(name: str):
    """A System, its plan, and its unrolled solve."""
    system = load_text(loops(4)) if name == "loops" else natural("FourBar")
    plan, served = plan_of(system, Traces(system))
    assert plan is not None
    assert served[-2:] == (True, True)
    return system, plan, planned_solve(plan)


@pytest.fixture(params=["loops", "natural"])
def planned(request):
    return _written_out(request.param)


def _at(system, random, away):
    x, u, k, d = start(system)
    x = project(system, 0.0, x + away * random.uniform(-1.0, 1.0, len(x)), u, k, d, tight=True)
    M, G, f, gamma, _ = (np.array(part, float) for part in system.motion.assemble(0.0, x, u, k, d))
    return M, G.reshape(system.motion.m, system.motion.n), f, gamma


def _solved(function, M, G, f, gamma):
    return (np.array(part).ravel() for part in function(M.ravel(), G.ravel(), f, gamma))


def test_the_solution_is_that_of_the_rank_revealing_solve(planned):
    system, _, function = planned
    random = np.random.default_rng(3)
    for away in (0.0, 0.2, 0.3):
        M, G, f, gamma = _at(system, random, away)
        told = []
        stiffened = system.motion.stiffened(M, G, f, gamma)
        z, multipliers = solve_saddle(
            stiffened[0], G, stiffened[1], gamma, watch=lambda *what, told=told: told.append(what)
        )
        own_z, own_multipliers, (least, most, left, count) = _solved(function, M, G, f, gamma)
        assert own_z == pytest.approx(z, abs=1e-13 * np.abs(z).max())
        assert own_multipliers == pytest.approx(multipliers, abs=1e-12 * np.abs(multipliers).max())
        ((rank, weakness),) = told
        assert count == rank
        assert 0.3 * weakness < np.sqrt(least / most) < 3.0 * weakness
        assert np.sqrt(max(left, 0.0) / most) < 1e-7


def test_angles_go_with_their_rows_and_thin_rods_wait():
    """M is singular twice: angles have no mass, and rods no inertia about their axes. The bound is the error of the full solve."""
    text = (CATALOGUE / "FourBar.toml").read_text("utf-8")
    thin = re.sub(r"inertia = \[0\.01,", "inertia = [0.0,", text)
    assert thin.count("[0.0,") > text.count("[0.0,")
    system = load_text('formulation = "natural"\n' + thin)
    plan, _ = plan_of(system, Traces(system))
    assert plan is not None
    assert [speed for speed, _ in plan.tied] == [30, 31, 32]
    M, G, f, gamma = _at(system, np.random.default_rng(3), 0.2)
    assert np.linalg.eigvalsh(M[:30, :30])[0] < 1e-12
    stiff, pushed = system.motion.stiffened(M, G, f, gamma)
    z, _ = solve_saddle(stiff, G, pushed, gamma)
    own_z, _, (least, most, _, _) = _solved(planned_solve(plan), M, G, f, gamma)
    assert own_z == pytest.approx(z, abs=1e-12 * np.abs(z).max())
    assert np.sqrt(least / most) > 2.0 * PLANNED_WEAK  # else every solve would be done in full


def test_a_row_that_weakens_is_told(planned):
    """A row that becomes nearly parallel to another: the weakest pivot falls with the square of the angle between them."""
    system, plan, function = planned
    M, G, f, gamma = _at(system, np.random.default_rng(3), 0.2)
    rows = [i - len(M) for i in plan.order if i >= len(M) and G[i - len(M)].any()]
    one, other = next((i, j) for i in rows for j in rows if i != j and np.array_equal(plan.G[i], plan.G[j]))
    for angle in (1e-2, 1e-4):
        near = G.copy()
        near[other] = near[one] + angle * G[other]
        _, _, (least, most, _, _) = _solved(function, M, near, f, gamma)
        assert np.sqrt(least / most) < 3.0 * angle


def test_a_row_that_is_left_out_is_told_when_it_is_not_redundant():
    system, plan, function = _written_out("natural")
    (row,) = (i - system.motion.n for i in plan.left_out)
    M, G, f, gamma = _at(system, np.random.default_rng(3), 0.2)
    for share in (1e-2, 1e-4):
        bent = G.copy()
        bent[row, np.flatnonzero(plan.G[row])[0]] += share
        _, _, (_, most, left, _) = _solved(function, M, bent, f, gamma)
        assert 0.1 * share < np.sqrt(abs(left) / most) < 10.0 * share


def test_inactive_rows_push_on_nothing(planned):
    system, plan, function = planned
    M, G, f, gamma = _at(system, np.random.default_rng(3), 0.0)
    rows = [i - len(M) for i in plan.order if i >= len(M) and G[i - len(M)].any()]
    G[rows[-1]] = gamma[rows[-1]] = 0.0
    stiff, pushed = system.motion.stiffened(M, G, f, gamma)
    z, _ = solve_saddle(stiff, G, pushed, gamma)
    own_z, own_multipliers, (_, _, _, count) = _solved(function, M, G, f, gamma)
    assert own_multipliers[rows[-1]] == 0.0
    if not plan.left_out:  # else the row that is left out is now independent
        assert own_z == pytest.approx(z, abs=1e-12 * np.abs(z).max())
        assert count == len(rows) - 1


def test_a_matrix_that_is_not_positive_definite_gives_nothing(planned):
    system, _, function = planned
    M, G, f, gamma = _at(system, np.random.default_rng(3), 0.0)
    z, *_ = _solved(function, M - 2.0 * np.diag(np.diag(M)), G, f, gamma)
    assert not np.isfinite(z).all()


def test_small_motions_have_no_plan():
    """One loop in joint coordinates: two rows cost less than what an order saves."""
    system = system_of("FourBar")
    assert plan_of(system, Traces(system))[0] is None
    assert saddle_plan.WORTH < 1.0
