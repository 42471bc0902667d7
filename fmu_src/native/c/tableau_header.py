"""tableau.h: the coefficients of dynamics/tableau.py for the C runtime (types in runtime/core/methods.h)."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.tableau import CASH_KARP, DOP853, RK4, RK4_JUDGED, RODAS5P, STABILIZED, Explicit, Rosenbrock


def tableau_header() -> str:
    """Text of tableau.h: one static table a method."""
    parts = [
        "/* Generated from dynamics/tableau.py. */",
        _explicit("dop853", DOP853),
        _explicit("stabilized", STABILIZED),
        _explicit("cash_karp", CASH_KARP),
        _explicit("rk4", RK4),
        _explicit("rk4_judged", RK4_JUDGED),
        _rosenbrock("rodas5p", RODAS5P),
    ]
    return "\n\n".join(parts) + "\n"


def _explicit(name: str, method: Explicit) -> str:
    sizes = [len(method.b), len(method.c), len(method.errors), len(method.dense)]
    return _table("Explicit", name, sizes, method, ("a", "b", "c", "errors", "dense"))


def _rosenbrock(name: str, method: Rosenbrock) -> str:
    return _table("Rosenbrock", name, [len(method.b), repr(method.gamma)], method, ("a", "c", "alpha", "gammas", "b"))


def _table(kind: str, name: str, scalars: list, method, parts: tuple[str, ...]) -> str:
    arrays = {part: getattr(method, part) for part in parts}
    lines = [
        f"static const double {name}_{part}[] = {{{_numbers(values)}}};"
        for part, values in arrays.items()
        if values.size
    ]
    pointers = [f"{name}_{part}" if values.size else "NULL" for part, values in arrays.items()]
    return "\n".join([*lines, f"static const {kind} {name} = {{{', '.join(map(str, [*scalars, *pointers]))}}};"])


def _numbers(values: np.ndarray) -> str:
    return ", ".join(repr(float(value)) for value in values.ravel())
