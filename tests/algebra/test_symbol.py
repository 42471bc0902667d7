"""Every misuse of a symbol raises: a mistake in an equation is an error, never a NaN."""

import math

import casadi
import numpy as np
import pytest

from spacefmu.dynamics.algebra import scalar
from spacefmu.dynamics.algebra.symbol import symbols, to_column
from tests.algebra.on_symbols import on_symbols

S, COLUMN = symbols("s", 3)  # an array of three symbols
ONE = S[0]


def _assign_into_floats(value):
    array = np.zeros(3)
    array[0] = value


def _fill_floats(value):
    np.zeros(3)[:] = value


def _add_in_place(value):
    array = np.zeros(3)
    array += value


# what a careless equation might do → it must raise
MISUSES = {
    "float()": lambda: float(ONE),
    "int()": lambda: int(ONE),
    "bool()": lambda: bool(ONE),
    "complex()": lambda: complex(ONE),
    "if": lambda: 1.0 if ONE > 0.0 else 2.0,
    "while": lambda: all(ONE > 0.0 for _ in range(1)),
    "and": lambda: ONE > 0.0 and ONE < 1.0,
    "not": lambda: not ONE,
    "chained comparison": lambda: 0.0 < ONE < 1.0,
    "==": lambda: ONE == 1.0,
    "!=": lambda: ONE != 1.0,
    "== of itself": lambda: ONE == ONE,
    "== of an array": lambda: S == S,
    "comparison of arrays": lambda: np.ones(3) > S,
    "in a list": lambda: 1.0 in [ONE],
    "as a key": lambda: {ONE: 1.0},
    "in a set": lambda: {ONE},
    "as an index": lambda: [1, 2, 3][ONE],
    "range()": lambda: range(ONE),
    "indexing it": lambda: ONE[0],
    "len()": lambda: len(ONE),
    "iterating over it": lambda: list(ONE),
    "changing it": lambda: setattr(ONE, "sx", casadi.SX(1.0)),
    "abs()": lambda: abs(ONE),
    "round()": lambda: round(ONE),
    "//": lambda: ONE // 2.0,
    "reflected //": lambda: 2.0 // ONE,
    "%": lambda: ONE % 2.0,
    "reflected %": lambda: 2.0 % ONE,
    "divmod()": lambda: divmod(ONE, 2.0),
    "max()": lambda: max(ONE, 0.0),
    "min()": lambda: min(S),
    "sorted()": lambda: sorted(S),
    "math.sin": lambda: math.sin(ONE),
    "math.sqrt": lambda: math.sqrt(ONE),
    "format as a number": lambda: f"{ONE:.3f}",
    "assignment into a float array": lambda: _assign_into_floats(ONE),
    "slice of a float array": lambda: _fill_floats(S),
    "+= on a float array": lambda: _add_in_place(S),
    "np.array of floats": lambda: np.array([ONE, 1.0], dtype=float),
    "np.asarray of floats": lambda: np.asarray(S, float),
    "astype": lambda: S.astype(float),
    "np.full": lambda: np.full(3, ONE, dtype=float),
    "out=": lambda: np.multiply(S, 2.0, out=np.zeros(3)),
    "np.abs": lambda: np.abs(S),
    "np.maximum": lambda: np.maximum(S, 0.0),
    "np.minimum": lambda: np.minimum(S, 0.0),
    "np.max": lambda: np.max(S),
    "np.argmax": lambda: np.argmax(S),
    "np.clip": lambda: np.clip(S, 0.0, 1.0),
    "np.sort": lambda: np.sort(S),
    "np.argsort": lambda: np.argsort(S),
    "np.unique": lambda: np.unique(S),
    "np.where": lambda: np.where(S > 0.0, 1.0, 2.0),
    "mask": lambda: np.ones(3)[S > 0.0],
    "np.any": lambda: bool(np.any(S > 0.0)),
    "np.sign": lambda: np.sign(S),
    "np.isnan": lambda: np.isnan(S),
    "np.isfinite": lambda: np.isfinite(S),
    "np.allclose": lambda: np.allclose(S, 0.0),
    "np.nonzero": lambda: np.nonzero(S),
    "np.round": lambda: np.round(S),
    "np.linalg.norm": lambda: np.linalg.norm(np.outer(S, S), 2),
    "np.linalg.solve": lambda: np.linalg.solve(np.outer(S, S), S),
    "np.linalg.inv": lambda: np.linalg.inv(np.outer(S, S)),
    "np.interp": lambda: np.interp(ONE, [0.0, 1.0], [0.0, 1.0]),
    "NaN on the right": lambda: ONE + math.nan,
    "NaN on the left": lambda: math.nan * ONE,
    "NaN compared": lambda: math.nan > ONE,
    "NaN in an array": lambda: S * np.array([1.0, math.nan, 1.0]),
    "NaN in a matrix product": lambda: S @ np.array([1.0, math.nan, 1.0]),
    "NaN as an alternative": lambda: scalar.where(ONE > 0.0, 1.0, math.nan),
    "NaN as a result": lambda: to_column([ONE, math.nan]),
    "complex numbers": lambda: ONE + 1j,
    "None": lambda: ONE + None,
    "text": lambda: ONE + "1",
    "a raw SX": lambda: ONE + casadi.SX.sym("x"),
    "a raw SX on the left": lambda: casadi.SX.sym("x") + ONE,
    "a raw SX as a result": lambda: to_column([casadi.SX.sym("x")]),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_raises(misuse):
    with pytest.raises((TypeError, ValueError, AttributeError, NotImplementedError)):
        MISUSES[misuse]()


@pytest.mark.parametrize(
    "message, misuse",
    [
        ("spacefmu.dynamics.algebra.scalar", "bool()"),
        ("spacefmu.dynamics.algebra.scalar", "float()"),
        ("NaN met a symbol", "NaN on the right"),
    ],
)
def test_the_message_says_what_to_do(message, misuse):
    with pytest.raises((TypeError, ValueError), match=message):
        MISUSES[misuse]()


X = np.array([0.3, -0.7, 0.9])
Y = np.array([1.2, 0.4, 2.0])

# elementwise and linear algebra that equations use: it works on symbols as on floats
USES = {
    "+ - * /": lambda x, y: (x + y) * x / y - 2.0 + 3 * x - (-x),
    "reflected": lambda x, y: 1.0 / y - (2.0 - x) + 3.0 * np.float64(2.0) * x + np.int64(2) * y,
    "powers": lambda x, y: x**2 + y**0.5 + 2.0**x,
    "sin cos tan": lambda x, y: np.sin(x) + np.cos(y) * np.tan(x),
    "arcs": lambda x, y: np.arcsin(x) + np.arccos(x) + np.arctan(y) + np.arctan2(x, y) + np.arctan2(x, 2.0),
    "hyperbolic": lambda x, y: np.sinh(x) + np.cosh(y) * np.tanh(x),
    "exp log sqrt": lambda x, y: np.exp(x) + np.log(y) + np.sqrt(y),
    "floor ceil": lambda x, y: np.floor(x) + np.ceil(y),
    "@": lambda x, y: np.outer(x, y) @ x + (x @ y) * y,
    "outer with numbers": lambda x, y: np.outer(x, np.arange(3.0)) @ y,
    "einsum": lambda x, y: np.einsum("i,j,ij->j", x, y, np.outer(y, x)),
    "block": lambda x, y: np.block([[np.outer(x, y), np.eye(3)], [np.zeros((1, 3)), y.reshape(1, 3)]]) @ np.concatenate([x, y]),
    "cross": lambda x, y: np.cross(x, y),
    "sum, trace": lambda x, y: np.array([np.sum(x), np.trace(np.outer(x, y)), sum(y)]),
    "hstack, column_stack": lambda x, y: np.column_stack([x, y, np.ones(3)]) @ y + np.hstack([x, y])[2:5],
    "infinity": lambda x, y: scalar.minimum(x, np.inf) + scalar.maximum(y, -np.inf),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_use_agrees_with_floats(use):
    """Measured: equal to 4e-16 (CasADi's own libm calls)."""
    assert np.allclose(on_symbols(USES[use], X, Y), USES[use](X, Y).ravel(), rtol=1e-15, atol=1e-15)


def test_products_stay_symbols():
    """Arrays of symbols stay arrays of scalars: no SX matrices in disguise."""
    product = np.outer(S, S) @ S
    assert product.shape == (3,)
    assert {type(entry) for entry in product} == {type(ONE)}
    assert all(entry.expression.shape == (1, 1) for entry in product)
