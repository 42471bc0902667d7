"""tableau.h: the methods of dynamics/solver/methods.py with their coefficients for the C runtime (types in runtime/core/methods.h)."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.solver import tableau
from spacefmu.dynamics.solver.methods import METHODS, Pair
from spacefmu.dynamics.solver.tableau import Explicit


def tableau_header() -> str:
    """Text of tableau.h: one static table per tableau, one per method with its pairs, and `methods` in the order of solver.method."""
    tables = {_name(pair): _table(pair) for method in METHODS for pair in method.pairs}
    lists = [
        "\n".join([f"static const Method {m.name}_pairs[] = {{", *(f"    {_pair(pair)}," for pair in m.pairs), "};"])
        for m in METHODS
    ]
    rows = ", ".join(
        f"{{{m.name}_pairs, {len(m.pairs)}, {m.bounded:d}, {METHODS.index(m.stiff) if m.stiff else -1}}}"
        for m in METHODS
    )
    together = f"static const MethodSet methods[] = {{{rows}}};"
    return (
        "\n\n".join(
            ["/* Generated from dynamics/solver/methods.py and tableau.py. */", *tables.values(), *lists, together]
        )
        + "\n"
    )


def most_stages() -> int:
    return max(len(_coefficients(pair).a) for method in METHODS for pair in method.pairs)


def _coefficients(pair: Pair):
    return pair.begin.args[0]


def _name(pair: Pair) -> str:
    """The name of a pair's coefficients in dynamics/solver/tableau.py, in lower case."""
    return next(name.lower() for name, value in vars(tableau).items() if value is _coefficients(pair))


def _pair(pair: Pair) -> str:
    table, orders = f"&{_name(pair)}", f"{pair.order!r}, {pair.first_order!r}"
    if isinstance(_coefficients(pair), Explicit):
        return f"{{NULL, runge_kutta_step, {orders}, {table}, NULL}}"
    return f"{{rosenbrock_begin, rosenbrock_step, {orders}, NULL, {table}}}"


def _table(pair: Pair) -> str:
    method = _coefficients(pair)
    if isinstance(method, Explicit):
        kind, parts = "Explicit", ("a", "b", "c", "errors", "dense")
        scalars: list[float] = [len(method.b), len(method.c), len(method.errors), len(method.dense)]
    else:
        kind, parts = "Rosenbrock", ("a", "c", "alpha", "gammas", "b")
        scalars = [len(method.b), float(method.gamma)]
    name, arrays = _name(pair), {part: getattr(method, part) for part in parts}
    lines = [f"static const double {name}_{p}[] = {{{_numbers(v)}}};" for p, v in arrays.items() if v.size]
    pointers = [f"{name}_{part}" if values.size else "NULL" for part, values in arrays.items()]
    return "\n".join([*lines, f"static const {kind} {name} = {{{', '.join(map(str, [*scalars, *pointers]))}}};"])


def _numbers(values: np.ndarray) -> str:
    return ", ".join(repr(float(value)) for value in values.ravel())
