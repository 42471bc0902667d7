"""The matrix of an implicit step without its zeros: its tables, its elimination in C against NumPy, and beads by rodas5p in both flavours."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from dataclasses import fields
from itertools import pairwise

import casadi
import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.evaluate import start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.interface.variables import METHODS, Group, variables_of
from spacefmu.fmu_src.native.c.bounds_header import bounds_header
from spacefmu.fmu_src.native.c.generator import generate
from spacefmu.fmu_src.native.platforms.compile import CORE
from spacefmu.fmu_src.native.trace import elimination as plans
from spacefmu.fmu_src.native.trace.elimination import Elimination, elimination, jacobian_entries
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.traces import Traces, trace_along
from tests.catalogue_fmus import system_of
from tests.constraints.craft import point
from tests.constraints.test_beads import TEXT
from tests.fmi.units import Unit, unpack
from tests.session import session_folder

RODAS5P = 1 + METHODS.index("rodas5p")
FOLDER = session_folder() / "elimination"
BEADS = TEXT.format(damping=0.5).replace("beads = 8", "beads = 12")
STIFF = f"""
name = "Stiff"
{point("a", "pa", 3.0)}
{point("b", "pb", 1.0)}initial = {{ position = [10.0, 0.0, 0.0], rate = [0.1, 0.5, 0.1] }}
[cables.rope]
kind = "elastic"
a = "a"
b = "b"
length = 10.0
stiffness = 2e5
damping = 4e4
"""


def banded(n: int, seed: int) -> list[int]:
    """Dependencies of n rates: neighbours in random order, and two balances of all states on which nothing depends."""
    order = np.random.default_rng(seed).permutation(n)
    rows = [0] * n
    for i in range(n):
        for j in range(max(0, i - 2), min(n, i + 3)):
            rows[order[i]] |= 1 << int(order[j])
    return [*rows, (1 << n) - 1, (1 << n) - 1]


def matrix_of(depends: list[int], seed: int) -> np.ndarray:
    """A matrix (n, n) with that pattern, its diagonal the largest in each row."""
    random, n = np.random.default_rng(seed), len(depends)
    pattern = np.array([[depends[i] >> j & 1 for j in range(n)] for i in range(n)], float)
    return pattern * random.normal(size=(n, n)) + 8.0 * np.eye(n)


class Tables(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("n", "n_followers", "n_colours")] + [
        (field.name, ctypes.POINTER(ctypes.c_int)) for field in fields(Elimination)
    ]


def tables(plan: Elimination) -> Tables:
    lists = [getattr(plan, field.name) for field in fields(plan)]
    arrays = [(ctypes.c_int * max(1, len(values)))(*values) for values in lists]
    return Tables(len(plan.order), len(plan.followers), len(plan.colours) - 1, *arrays)


def address(array: np.ndarray):
    return array.ctypes.data_as(ctypes.c_void_p)


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    """solve(plan, W, v) → the result of the C, or None where it rejects W."""
    folder = tmp_path_factory.mktemp("elimination")
    (folder / "bounds.h").write_text(bounds_header())
    (folder / "names.h").write_text("")  # names as they are
    library = folder / "elimination.so"
    options = ["-std=c99", "-O2", "-shared", "-fPIC", f"-I{folder}", str(CORE / "elimination.c")]
    subprocess.run([sys.executable, "-m", "ziglang", "cc", *options, "-lm", "-o", str(library)], check=True)
    c = ctypes.CDLL(str(library))

    def call(plan, W, v):
        n, table, v, work = len(plan.order), tables(plan), np.array(v, float), np.zeros(len(v))
        rows = np.repeat(np.arange(n), np.diff(plan.begins))
        order = np.array(plan.order)
        values = np.ascontiguousarray(W[order[rows], order[plan.columns]])
        if c.eliminate(ctypes.byref(table), address(values), address(work)):
            return None
        c.substitute(ctypes.byref(table), address(values), address(v), address(work))
        return v

    return call


@pytest.mark.parametrize("seed", range(3))
def test_the_solution_is_that_of_the_full_matrix(solve, seed):
    depends = banded(60, seed)
    plan, W = elimination(depends), matrix_of(depends, seed)
    v = np.random.default_rng(seed).normal(size=62)
    core, wanted = np.array(plan.order), v.copy()
    wanted[core] = np.linalg.solve(W[np.ix_(core, core)], v[core])
    np.testing.assert_allclose(
        solve(plan, W, v), wanted, rtol=0, atol=1e-14
    )  # measured 6e-17; followers are left alone
    assert sorted(plan.order) == list(range(60))
    assert plan.followers == [60, 61]
    assert len(plan.columns) < 1.6 * 60 * 5  # measured 294: nothing is filled in


def test_a_matrix_that_wants_its_rows_exchanged_is_refused(solve):
    plan = elimination(banded(60, 0))
    W = matrix_of(banded(60, 0), 0)
    first = plan.order[0]
    W[first, first] = 1e-13
    assert solve(plan, W, np.ones(62)) is None


def test_columns_of_a_colour_are_told_apart():
    """In the sum of a colour's columns each entry of each column is in a separate row."""
    depends = banded(60, 1)
    plan, J = elimination(depends), matrix_of(depends, 1)
    values = np.zeros(len(plan.columns))
    for first, end in pairwise(plan.colours):
        slope = sum(J[:, plan.order[seed]] for seed in plan.seeds[first:end])
        for e in range(plan.reached[first], plan.reached[end]):
            values[plan.entries[e]] = slope[plan.states[e]]
    found = np.zeros((62, 62))
    for i, state in enumerate(plan.order):
        for e in range(plan.begins[i], plan.begins[i + 1]):
            found[state, plan.order[plan.columns[e]]] = values[e]
    np.testing.assert_array_equal(found[:60], np.where(np.arange(62) < 60, J, 0.0)[:60])
    assert len(plan.colours) - 1 <= 9  # a band of five columns; measured 6


def test_a_full_matrix_has_no_tables():
    assert elimination([(1 << 20) - 1] * 20) is None


def states_after(system, name: str, times, tolerance: float) -> np.ndarray:
    """States (n, nx) of the native FMU by rodas5p at the times."""
    unit = Unit(unpack(system, FOLDER / name))
    unit.initialize(solver__method=RODAS5P, solver__tolerance=tolerance)
    rows = [unit.array(Group.STATE)]
    for t, t_next in pairwise(times):
        unit.fmu.doStep(t, t_next - t)
        rows.append(unit.array(Group.STATE))
    unit.free()
    return np.array(rows)


def test_beads_by_the_sparse_matrix_the_full_one_and_in_python(monkeypatch):
    """Twelve beads, released stretched: their thirteen segments go slack, an event each. The full matrix is of the same FMU without tables."""
    system, times = load_text(BEADS), np.linspace(0.0, 1.0, 5)
    assert ".elimination = &elimination" in generate(system, variables_of(system), "")["model.c"]
    sparse = states_after(system, "sparse", times, 1e-9)
    monkeypatch.setattr(plans, "FEW", 0.0)
    assert ".elimination = NULL" in generate(system, variables_of(system), "")["model.c"]
    full = states_after(system, "full", times, 1e-9)
    np.testing.assert_allclose(sparse, full, rtol=0, atol=1e-11)  # measured 2e-13

    quick = fast(system)
    solver = Solver(quick, RODAS5P, 1e-9)
    solver.place(0.0, *start(quick))
    for t, x in zip(times[1:], sparse[1:], strict=True):
        solver.advance(t)
        np.testing.assert_allclose(solver.x, x, rtol=0, atol=1e-9)  # measured 2e-13
    assert solver.events >= 13


@pytest.mark.parametrize(("text", "name"), [(BEADS, "sparse"), (STIFF, "stiff")])
def test_rodas5p_against_scipy(text, name):
    """All states, including the balances of work and losses, which follow from the others after the elimination."""
    system, times = load_text(text), np.linspace(0.0, 0.5, 3)
    wanted = integrate(fast(system), times, rtol=1e-12, atol=1e-13)
    found = states_after(system, name, times, 1e-10)
    np.testing.assert_allclose(found, wanted.x, rtol=0, atol=1e-8)  # measured 4e-11 and 1e-9


@pytest.mark.parametrize(("name", "sparse"), [("HingedPanel", False), ("banded", True)])
def test_the_written_jacobian_has_the_columns_that_directions_find(name, sparse):
    """In the places of the tables where there is a plan, row by row where there is none."""
    if sparse:
        x, n = casadi.SX.sym("x", 30), 30
        f = casadi.vertcat(*(casadi.sin(x[i]) * x[max(0, i - 1)] - x[min(n - 1, i + 1)] ** 2 for i in range(n)))
        rates = casadi.Function("rates", [x], [f], ["x"], ["x_dot"])
        plan = elimination([1 << i | 1 << max(0, i - 1) | 1 << min(n - 1, i + 1) for i in range(n)])
    else:
        system = system_of(name)
        rates, plan = Traces(system).motion.results["rates"], None
        n = rates.size1_in("x")
    assert (plan is not None) == sparse
    random = np.random.default_rng(4)
    point = [random.uniform(0.2, 0.8, rates.size1_in(i)) for i in range(rates.n_in())]
    if not sparse:
        point[rates.index_in("k")] = np.array(system.derive(np.array(system.signals.starts("parameters"))), float)
    along = trace_along(rates, "along", ("x",))
    columns = np.column_stack([np.array(along(*point, seed)).ravel() for seed in np.eye(n)])
    written = np.array(jacobian_entries(rates, plan)(*point)).ravel()
    found = written.reshape(n, n) if plan is None else np.zeros((n, n))
    if plan is not None:
        for i, (begin, end) in enumerate(pairwise(plan.begins)):
            for entry in range(begin, end):
                found[plan.order[i], plan.order[plan.columns[entry]]] = written[entry]
    assert found == pytest.approx(columns, rel=1e-12, abs=1e-12 * np.abs(columns).max())
