"""Helpers for equations that run on floats and on symbols alike.

An equation is plain NumPy code over arrays whose entries are either floats (dtype float) or
`spacefmu.dynamics.algebra.symbol.Symbol` objects (dtype object). Most of NumPy works on both: `+ - * / **`, `@`,
`np.sin`, `np.sqrt`, `np.cross`, `np.outer`, `np.einsum`, `np.block`, `np.concatenate`.
Operations that would need the *value* of a symbol do not: choices, extrema and solves are defined here instead.

This module imports only numpy: symbols are recognised by their methods, not by their class.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps

import numpy as np

DATA = {
    "data": True
}  # metadata of a dataclass' field: numbers that differ from body to body, which shared functions take as arguments
_sharer: ContextVar[Callable | None] = ContextVar("sharer", default=None)


def shared(function: Callable) -> Callable:
    """Mark a computation that is the same for many bodies: the C generator may trace it once per kind and call it for each body.

    Arguments and results are numbers, symbols, arrays, and tuples, dicts or dataclasses of them; the function may depend on
    nothing else. Otherwise (floats, small systems) it is an ordinary function.
    """

    @wraps(function)
    def call(*arguments):
        sharer = _sharer.get()
        return function(*arguments) if sharer is None else sharer(function, arguments)

    return call


@contextmanager
def sharing(sharer: Callable | None):
    """In this context, calls of functions marked as shared go to `sharer(function, arguments)`; with None they are ordinary calls."""
    before = _sharer.set(sharer)
    try:
        yield
    finally:
        _sharer.reset(before)


def is_symbolic(*values) -> bool:
    """True if any of the values holds something other than plain numbers."""
    return any(np.asarray(value).dtype == object for value in values)


def where(condition, if_true, if_false):
    """`if_true` where the condition holds, else `if_false`; elementwise, broadcasting, no branch on values.

    Both alternatives are evaluated: keep each of them finite (`safe` denominators), or floats warn.
    """
    if not is_symbolic(condition):
        if is_symbolic(if_true, if_false):
            return _choose(condition, if_true, if_false)
        return np.where(condition, if_true, if_false)[()]
    return _select(condition, if_true, if_false)


def maximum(a, b):
    """The larger of two, elementwise."""
    return where(_greater(a, b), a, b)


def minimum(a, b):
    """The smaller of two, elementwise."""
    return where(_greater(b, a), a, b)


def limited(value, limit):
    """`value` between −limit and limit, elementwise."""
    return maximum(minimum(value, limit), -limit)


def absolute(a):
    """|a|, elementwise (`np.abs` on an object array would call Python's `abs`)."""
    return where(_greater(0.0, a), -np.asarray(a), a)


def reciprocal(a):
    """1/a as a factor: one division if several values are divided by a. CasADi turns x·(1/a) back into x/a, but not this form."""
    return 2.0 / (a + a)


def both(a, b):
    """Logical and of two conditions."""
    return where(a, where(b, 1.0, 0.0), 0.0) > 0.5


def either(a, b):
    """Logical or of two conditions."""
    return where(a, 1.0, where(b, 1.0, 0.0)) > 0.5


def symmetric(matrix):
    """A matrix that is symmetric except for round-off, made from its upper triangle only; the lower one is not computed."""
    matrix = np.asarray(matrix)
    return np.triu(matrix) + np.triu(matrix, 1).T if not is_symbolic(matrix) else _mirrored(matrix)


MANY = 12  # numbers in a vector from which tables of a body's modes are loops over data in C, not written out (bench/modes.py)


def contract(table, vector, start=0.0):
    """start + Σ_m table[m, …] vector[m]: a table of numbers (n, …) with a vector (n,), which may be symbols; start and result (…).

    On symbols that support it, this stays one operation from MANY symbols and MANY entries per row on: the table is data, and C and Python loop over it.
    """
    table, vector = np.asarray(table, float), np.asarray(vector)
    start = np.broadcast_to(start, table.shape[1:])
    if not table.any():
        return start
    whole = _whole(vector, "contracted") if _is_large(table) else None
    return start + np.tensordot(vector, table, 1) if whole is None else whole(table, vector, start)


def _is_large(table) -> bool:
    """Whether a table (n, …) has many rows, and many entries per row."""
    return len(table) >= MANY and int(np.count_nonzero(table)) >= MANY * len(table)


def contract_twice(table, vector, start, rows, column):
    """With T = contract(table, vector, start), (k, …): rows T, (r, …), and T · column, (k,), for rows (r, k) and a column (…).

    If this is one operation, the large T stays inside it.
    """
    table, rows, column = np.asarray(table, float), np.asarray(rows), np.asarray(column)
    flat = table.reshape(*table.shape[:2], column.size)
    start = np.reshape(start, flat.shape[1:])
    whole = _whole(np.asarray(vector), "contracted_twice") if _is_large(flat) else None
    if whole is not None:
        left, right = whole(flat, vector, start, rows, column.ravel())
    else:
        T = contract(flat, vector, start)
        left, right = rows @ T, T @ column.ravel()
    return left.reshape(len(rows), *column.shape), right


def as_one(function, vector):
    """function(vector, arrays) of a vector (n,), (m,), which stays one operation on symbols: C and Python run it as loops over whole vectors.

    `function` depends on nothing but the vector and what its repr says; if it has a `routine`, that is what C calls. It may use x[i], x[i:j], elementwise + − * /, and what `arrays` has.
    """
    vector = np.asarray(vector)
    whole = _whole(vector, "as_one")
    return function(vector, FLOATS) if whole is None else whole(function, vector)


@dataclass(frozen=True)
class Routine:
    """A function of the C runtime: its name, its first numeric arguments, a table, and the size of its workspace."""

    name: str
    numbers: tuple[float, ...]
    table: np.ndarray
    room: int


@dataclass(frozen=True)
class Arrays:
    """What `as_one` works with: scalars and vectors joined to one vector; an array of numbers; its product with a vector; a root; the larger and the smaller
    of each entry and a number; the whole number below; and `row(table, i)`, the row (m,) of a table of numbers (n, m) that a scalar i from 0 to n − 1 names."""

    join: Callable
    numbers: Callable
    product: Callable
    sqrt: Callable
    maximum: Callable
    minimum: Callable
    floor: Callable
    row: Callable


FLOATS = Arrays(np.hstack, np.asarray, np.matmul, np.sqrt, maximum, minimum, np.floor, lambda table, i: table[int(i)])


def spd_solve(matrix, right_side):
    """X with `matrix` X = `right_side`, for a small symmetric positive definite matrix; NaN (floats: LinAlgError) if it is not positive definite.

    Floats go to LAPACK; symbols to an LDLᵀ written out, for sizes up to about 12
    (larger ones belong to `spd_reduce` or to the runtime's solve, see `spacefmu.dynamics.system.Staged`).
    `matrix` is (n, n), `right_side` (n,) or (n, k). Proved by tests/algebra/test_scalar.py.
    """
    matrix, right_side = np.asarray(matrix), np.asarray(right_side)
    if matrix.shape[0] == 0:
        return right_side
    if not is_symbolic(matrix, right_side):
        lower = np.linalg.cholesky(matrix)
        return np.linalg.solve(lower.T, np.linalg.solve(lower, right_side))
    if _is_diagonal(matrix):
        return (right_side.T * np.array([_reciprocal(pivot) for pivot in np.diag(matrix)], dtype=object)).T
    return _ldl_solve(matrix, right_side)


def spd_reduce(matrix, right_side, added=()):
    """X = A⁻¹R (n, k) and RᵀX (k, k), for A = `matrix` (n, n) + Σ BᵀCB of the pairs (B (m, n), C (m, m)) in `added`, and R = `right_side` (n, k).

    From MANY rows on it is one operation on symbols, which takes it as given that A is positive definite, unless A is diagonal; else as `spd_solve`.
    """
    matrix, right_side = np.asarray(matrix), np.asarray(right_side)
    added = [(B, C) for B, C in added if is_symbolic(B) or np.any(B)]
    entries = np.concatenate(
        [part.ravel() for part in (matrix, right_side, *(part for pair in added for part in pair))]
    )
    written_out = len(matrix) < MANY or (not added and _is_diagonal(matrix))
    whole = None if written_out else _whole(entries, "reduced")
    if whole is not None:
        return whole(matrix, right_side, added)
    X = spd_solve(matrix + sum(symmetric(B.T @ C @ B) for B, C in added) if added else matrix, right_side)
    return X, symmetric(right_side.T @ X)


def _is_diagonal(matrix) -> bool:
    """Whether a matrix of numbers and symbols has only zeros off its diagonal."""
    beside = matrix[~np.eye(len(matrix), dtype=bool)]
    return all(isinstance(entry, int | float) and entry == 0.0 for entry in beside)


def _whole(entries, operation: str):
    """The operation on whole arrays that the symbols among the entries know; None if they know none."""
    return next((getattr(entry, operation) for entry in entries.flat if hasattr(entry, operation)), None)


def _mirrored(matrix):
    n = len(matrix)
    return np.array([[matrix[min(i, j), max(i, j)] for j in range(n)] for i in range(n)], dtype=object).reshape(n, n)


def _reciprocal(pivot):
    """1/pivot; NaN, as 0/0, for a pivot that is not positive. Plain numbers may be mixed with symbols."""
    if not is_symbolic(pivot):
        return 1.0 / pivot if pivot > 0.0 else np.nan
    positive = where(pivot > 0.0, 1.0, 0.0)
    return positive / (positive * pivot)


def _ldl_solve(matrix, right_side):
    """Row-oriented LDLᵀ with the reciprocals of the pivots. The lists only grow, so no array of floats ever receives a symbol."""
    n = matrix.shape[0]
    lower: list[list] = []  # rows of the unit lower triangle
    inverse: list = []  # 1/d
    for i in range(n):
        scaled: list = []  # L_ij d_j of this row
        for j in range(i):
            scaled.append(matrix[i, j] - sum((scaled[k] * lower[j][k] for k in range(j)), 0.0))
        lower.append([scaled[j] * inverse[j] for j in range(i)])
        left = matrix[i, i] - sum((scaled[j] * lower[i][j] for j in range(i)), 0.0)
        inverse.append(_reciprocal(left))
    forward: list = []
    for i in range(n):
        forward.append(right_side[i] - sum((lower[i][j] * forward[j] for j in range(i)), 0.0))
    backward: list = [None] * n
    for i in reversed(range(n)):
        known = sum((lower[j][i] * backward[j] for j in range(i + 1, n)), 0.0)
        backward[i] = forward[i] * inverse[i] - known
    return np.array(backward, dtype=object)


def _greater(a, b):
    """a > b, elementwise. NumPy's own comparison of object arrays asks each entry for its truth value."""
    return np.greater(a, b, dtype=object) if is_symbolic(a, b) else np.greater(a, b)


def _select(condition, if_true, if_false):
    choose = np.frompyfunc(lambda c, a, b: c.select(a, b) if hasattr(c, "select") else (a if c else b), 3, 1)
    return choose(condition, if_true, if_false)


def _choose(condition, if_true, if_false):
    choose = np.frompyfunc(lambda c, a, b: a if c else b, 3, 1)
    return choose(condition, if_true, if_false)
