"""The symbol: one CasADi scalar in an opaque box, safe inside NumPy object arrays.

The scalar is an SX (a graph of scalar operations) or an MX (the same with calls of functions in it, for large systems).
Raw `casadi.SX` objects in arrays are dangerous: assigned into a float array they silently become NaN,
and products decay to SX matrices. A Symbol raises on everything that would need its value
(`float()`, `bool()`, `==`, `int()`, indexing), so that a mistake in an equation is an error, never a NaN.

Only the C generator imports this module; equations themselves need only numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any, TypeAlias

import casadi
import numpy as np

from .dual import Dual
from .scalar import Arrays, Routine

Expression: TypeAlias = casadi.SX | casadi.MX

_OUTER = (np.ndarray, Dual)
_NUMBERS = (int, float, np.integer, np.floating, np.bool_, bool)


def _box(value):
    """The expression of a Symbol, or a number that is not NaN; anything else is an error."""
    if isinstance(value, Symbol):
        return value.expression
    if isinstance(value, _NUMBERS):
        number = float(value)
        if number != number:
            raise ValueError("NaN met a symbol: an equation used an undefined number")
        return number
    raise TypeError(f"a symbol can't be combined with {type(value).__name__} {value!r}")


def _binary(operation):
    def method(self, other):
        if isinstance(other, _OUTER):
            return NotImplemented  # NumPy broadcasts and calls back with scalars; a dual of symbols takes over
        return Symbol(operation(self.expression, _box(other)))

    return method


def _reflected(operation):
    def method(self, other):
        if isinstance(other, _OUTER):
            return NotImplemented
        return Symbol(operation(_box(other), self.expression))

    return method


def _quick(operation, trivial):
    """A binary operation with shortcuts for plain floats that make it trivial."""

    def method(self, other):
        if type(other) is float and other in trivial:
            return trivial[other](self)
        if isinstance(other, _OUTER):
            return NotImplemented
        return Symbol(operation(self.expression, _box(other)))

    return method


def _unary(operation):
    return lambda self: Symbol(operation(self.expression))


def _refuse(what):
    def method(self, *_):
        raise TypeError(
            f"a symbol has no {what}: use spacefmu.dynamics.algebra.scalar (where, maximum, both, ...) in equations"
        )

    return method


class Symbol:
    """A scalar expression. Behaves like a float under arithmetic and NumPy's elementwise functions."""

    __slots__ = ("expression", "place")
    expression: Expression
    place: tuple[Expression, int] | None  # (column, index) of an entry of a column

    def __init__(self, expression: Expression, place: tuple[Expression, int] | None = None):
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "place", place)

    def __setattr__(self, name, value):
        raise AttributeError("symbols are immutable")

    # Zeros and ones are most of what small matrices hold: they never reach CasADi, which makes tracing several times faster.
    __add__ = __radd__ = _quick(lambda a, b: a + b, {0.0: lambda self: self})
    __sub__, __rsub__ = _quick(lambda a, b: a - b, {0.0: lambda self: self}), _reflected(lambda a, b: a - b)
    __mul__ = __rmul__ = _quick(lambda a, b: a * b, {0.0: lambda self: 0.0, 1.0: lambda self: self})
    __truediv__, __rtruediv__ = _binary(lambda a, b: a / b), _reflected(lambda a, b: a / b)
    __pow__, __rpow__ = _binary(casadi.power), _reflected(casadi.power)
    __neg__, __pos__ = _unary(lambda a: -a), lambda self: self

    __lt__, __le__ = _binary(lambda a, b: a < b), _binary(lambda a, b: a <= b)
    __gt__, __ge__ = _binary(lambda a, b: a > b), _binary(lambda a, b: a >= b)

    # NumPy's elementwise functions call the method of the same name on each entry of an object array.
    sin, cos, tan = _unary(casadi.sin), _unary(casadi.cos), _unary(casadi.tan)
    arcsin, arccos, arctan = _unary(casadi.asin), _unary(casadi.acos), _unary(casadi.atan)
    sinh, cosh, tanh = _unary(casadi.sinh), _unary(casadi.cosh), _unary(casadi.tanh)
    exp, log, sqrt = _unary(casadi.exp), _unary(casadi.log), _unary(casadi.sqrt)
    __floor__, __ceil__ = _unary(casadi.floor), _unary(casadi.ceil)  # np.floor and np.ceil call these
    arctan2 = _binary(casadi.atan2)

    def conjugate(self):
        return self

    def select(self, if_true, if_false):
        """This symbol as a condition: the first alternative if it is non-zero, else the second."""
        return Symbol(casadi.if_else(self.expression, _box(if_true), _box(if_false)))

    @staticmethod
    def contracted(table: np.ndarray, vector: np.ndarray, start: np.ndarray) -> np.ndarray:
        """start + Σ_m table[m, …] vector[m] as one call of a function that has both as data; entries that do not vary need none."""
        flat, start = table.reshape(len(table), -1), start.ravel()
        used = np.flatnonzero(flat.any(axis=0))
        (column,) = _called(_contraction(len(flat), flat[:, used].tobytes(), start[used].tobytes()), vector)
        entries = start.astype(object)
        entries[used] = entries_of(column)
        return entries.reshape(table.shape[1:])

    @staticmethod
    def as_one(function, vector: np.ndarray) -> np.ndarray:
        """function(vector) as one call of a function of columns, which CasADi differentiates."""
        (column,) = _called(_operation(function, len(vector)), vector)
        return entries_of(column)

    @staticmethod
    def contracted_twice(table, vector, start, rows, column) -> tuple[np.ndarray, np.ndarray]:
        """rows T and T column of T = contracted(table, vector, start), (k, c), as one call."""
        function = _double_contraction(table.shape, len(rows), table.tobytes(), np.ascontiguousarray(start).tobytes())
        left, right = _called(function, vector, rows, column)
        return entries_of(left).reshape(len(rows), -1), entries_of(right)

    @staticmethod
    def reduced(matrix: np.ndarray, right_side: np.ndarray, added: list) -> tuple[np.ndarray, np.ndarray]:
        """X = (matrix + Σ BᵀCB)⁻¹ right_side and right_sideᵀ X as one call of a function that solves by LDLᵀ."""
        filled = np.array([type(entry) is not float or entry != 0.0 for entry in matrix.ravel().tolist()])
        function = _reduction(*right_side.shape, filled.tobytes(), tuple(len(C) for _, C in added))
        given = [matrix.ravel()[filled], right_side, *(part for pair in added for part in pair)]
        X, product = _called(function, *given)
        k = right_side.shape[1]
        return entries_of(X).reshape(right_side.shape), entries_of(product).reshape(k, k)

    __eq__ = _refuse("==")
    __ne__ = _refuse("!=")
    __bool__ = _refuse("truth value")
    __float__ = _refuse("float value")
    __int__ = _refuse("int value")
    __abs__ = _refuse("abs()")
    __round__ = _refuse("round()")
    __floordiv__ = __rfloordiv__ = _refuse("//")
    __mod__ = __rmod__ = _refuse("%")
    __hash__ = None  # type: ignore[assignment]  # not hashable, unlike other objects

    def __repr__(self):
        return f"Symbol({self.expression})"


def symbols(name: str, count: int, kind: type[Expression] = casadi.SX) -> tuple[np.ndarray, Expression]:
    """`count` fresh symbols as an array for equations, and as a column for CasADi."""
    column = kind.sym(name, count)
    return entries_of(column), column


COLUMNS = Arrays(
    join=lambda parts: casadi.vertcat(*parts),
    numbers=lambda values: casadi.DM(np.asarray(values)),
    product=casadi.mtimes,
    sqrt=casadi.sqrt,
    maximum=casadi.fmax,
    minimum=casadi.fmin,
    floor=casadi.floor,
    row=lambda table, i: casadi.MX(casadi.DM(np.ravel(table)))[i * table.shape[1] + np.arange(table.shape[1])],
)


def _called(function: casadi.Function, *arrays):
    """Results of a function, one column each, called on arrays of symbols and numbers; never expanded."""
    kind = next(type(e.expression) for array in arrays for e in np.asarray(array).flat if isinstance(e, Symbol))
    columns: list[Any] = [to_column(array, kind) for array in arrays]  # all SX, or all MX
    return function.call(columns, False, True)


BLOCK = 32  # entries of a table from which on a loop over them, four at a time, is worth its beginning and end


@cache
def _contraction(count: int, table: bytes, start: bytes) -> casadi.Function:
    """vector (count,) → start + tableᵀ vector."""
    vector = casadi.MX.sym("vector", count)
    return _whole("contract", [vector], [_contracted(vector, table, start)], table + start)


@cache
def _double_contraction(shape: tuple[int, int, int], rows: int, table: bytes, start: bytes) -> casadi.Function:
    """(vector (n,), rows (r, k), column (c,)) → rows T (r, c) and T column (k,), row-major, with T (k, c) = start + Σ table (n, k, c) vector."""
    n, k, c = shape
    vector, left, right = casadi.MX.sym("vector", n), casadi.MX.sym("rows", rows * k), casadi.MX.sym("column", c)
    T = casadi.reshape(_contracted(vector, table, start), c, k)  # transposed: CasADi's columns are our rows
    results = [casadi.vec(casadi.mtimes(T, casadi.reshape(left, k, rows))), casadi.mtimes(right.T, T).T]
    return _whole("contract_twice", [vector, left, right], results, table + start + bytes([rows]))


def _contracted(vector: casadi.MX, table: bytes, start: bytes) -> casadi.MX:
    """start + tableᵀ vector. Columns of the table that have entries in the same rows are one dense product of only those rows;
    where that would be a few numbers, all of them are one sparse product."""
    numbers, begin = np.frombuffer(table).reshape(vector.numel(), -1), np.frombuffer(start)
    alike: dict[bytes, list[int]] = {}
    for column, filled in enumerate((numbers != 0.0).T):
        alike.setdefault(filled.tobytes(), []).append(column)
    order = alike.pop(bytes(len(numbers)), [])  # of columns without an entry
    parts, few = [casadi.MX(casadi.DM(begin[order]))], []
    for columns in alike.values():
        rows = np.flatnonzero(numbers[:, columns[0]])
        if len(rows) * len(columns) < BLOCK:
            few += columns
            continue
        among = vector if len(rows) == len(numbers) else vector[rows.tolist()]
        block = casadi.DM(np.ascontiguousarray(numbers[rows][:, columns].T))
        parts.append(casadi.mac(block, among, casadi.MX(casadi.DM(begin[columns]))))
        order += columns
    if few:
        block = casadi.sparsify(casadi.DM(np.ascontiguousarray(numbers[:, few].T)))
        parts.append(casadi.mac(block, vector, casadi.MX(casadi.DM(begin[few]))))
    result = casadi.vertcat(*parts)
    order = np.argsort(order + few).tolist()
    return result if order == list(range(len(order))) else result[order]


ROUTINES: dict[str, Routine] = {}  # of the C runtime, by the functions in whose place they are called


@cache
def _operation(function, count: int) -> casadi.Function:
    """vector (count,) → function(vector)."""
    vector = casadi.MX.sym("vector", count)
    key = f"{function!r} {count}".encode()
    made = _whole(type(function).__name__.lower(), [vector], [casadi.densify(function(vector, COLUMNS))], key)
    routine = getattr(function, "routine", None)
    if routine is not None:
        ROUTINES[made.name()] = routine
    return made


@cache
def _reduction(n: int, sides: int, filled: bytes, added: tuple[int, ...]) -> casadi.Function:
    """(entries of a symmetric matrix that are `filled`, right sides R (n, sides), pairs B (m, n), C (m, m)) → X (n, sides), RᵀX, row-major."""
    pattern = np.frombuffer(filled, dtype=bool).reshape(n, n)
    entries, right_side = casadi.MX.sym("matrix", int(pattern.sum())), casadi.MX.sym("right_side", n * sides)
    where_filled = casadi.sparsify(casadi.DM(pattern.astype(float))).sparsity()
    matrix = casadi.MX(where_filled, entries)  # symmetric: rows first or columns first is the same
    arguments = [entries, right_side]
    for m in added:
        B, C = casadi.MX.sym("B", m * n), casadi.MX.sym("C", m * m)
        B_transposed = casadi.reshape(B, n, m)
        matrix = matrix + casadi.mtimes([B_transposed, casadi.reshape(C, m, m), B_transposed.T])
        arguments += [B, C]
    R_transposed = casadi.reshape(right_side, sides, n)
    if not added and not (pattern & ~np.eye(n, dtype=bool)).any():
        X_transposed = R_transposed / casadi.repmat(entries.T, sides, 1)
    else:
        X_transposed = casadi.solve(matrix, R_transposed.T, "ldl").T
    product = casadi.mtimes(X_transposed, R_transposed.T)
    key = f"{n} {sides} {added}".encode() + filled
    return _whole("reduce", arguments, [casadi.vec(X_transposed), casadi.vec(product)], key)


def _whole(name: str, arguments: list, results: list, key: bytes) -> casadi.Function:
    return casadi.Function(f"{name}_{sha256(key).hexdigest()[:12]}", arguments, results, {"never_inline": True})


def entries_of(column: Expression) -> np.ndarray:
    """The entries of a dense column as symbols."""
    entries = np.empty(column.numel(), dtype=object)
    if entries.size:
        parts: Sequence[Expression] = casadi.vertsplit(column)
        entries[:] = [Symbol(entry, (column, i)) for i, entry in enumerate(parts)]
    return entries


def to_column(values, kind: type[Expression] = casadi.SX) -> Expression:
    """Dense column of an array of symbols and numbers, row-major; a slice of a column is read as one."""
    entries = np.asarray(values, dtype=object).ravel()
    if not entries.size:
        return kind(0, 1)
    column, start = getattr(entries[0], "place", None) or (None, 0)
    if column is not None and all(
        isinstance(entry, Symbol) and entry.place is not None and entry.place[0] is column and entry.place[1] == i
        for i, entry in enumerate(entries, start)
    ):
        return column[start : start + len(entries)]
    return casadi.densify(kind(casadi.vertcat(*map(_box, entries))))
