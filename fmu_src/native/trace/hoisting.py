"""Expressions that depend only on constants are computed once: `derive` appends them to k, and the functions of every evaluation read them there.

Equations use parameters directly, such as m c of a body in its bias and its inertia. CasADi finds the largest subexpressions of a function whose only argument
is k; operations and their order stay the same, so results are equal bit for bit.
Proved by tests/native/test_hoisting.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi

OFTEN = ("rates", "motion_assemble")  # names of the functions that run at every evaluation


def hoisted(functions: Sequence[casadi.Function]) -> list[casadi.Function]:
    """The functions of a model in their order, including `derive`; hoisted values are appended to k."""
    derive = next(function for function in functions if function.name() == "derive")
    nk, made = derive.size1_out(0), {}
    for function in functions:
        if function.name() in OFTEN:
            made[function.name()], derive = _hoisted(function, nk, derive)
    made["derive"] = derive
    return [made.get(function.name(), function) for function in functions]


def _hoisted(function: casadi.Function, nk: int, derive: casadi.Function) -> tuple[casadi.Function, casadi.Function]:
    """The function without the expressions that depend only on the first nk constants, and `derive` with these appended to its results."""
    kind: Any = casadi.MX if function.is_a("MXFunction") else casadi.SX
    arguments = {name: kind.sym(name, function.size1_in(name)) for name in function.name_in()}
    results = function.call(list(arguments.values()), True, False)
    left, extracted, constants = casadi.extract_parametric(results, arguments["k"], {})
    if not extracted:
        return function, derive
    # For scalar expressions CasADi leaves an extracted symbol in place of an argument of a call, also in expressions that depend on it later:
    # each may depend on those before it.
    while casadi.contains_any(casadi.symvar(casadi.veccat(*constants)), extracted):
        constants = casadi.substitute(constants, extracted, constants)

    starts = [0, nk, derive.size1_out(0)]
    for symbol in extracted:
        starts.append(starts[-1] + symbol.numel())
    k = kind.sym("k", starts[-1])
    own, _, *more = casadi.vertsplit(k, starts)
    whole = casadi.Function("whole", [*arguments.values(), *extracted], left)
    left = whole.call([own if name == "k" else argument for name, argument in arguments.items()] + more, True, False)
    short = _function(function, [k if name == "k" else argument for name, argument in arguments.items()], left)

    p = kind.sym("p", derive.size1_in(0))
    (known,) = derive.call([p], True, False)
    found = casadi.Function("found", [arguments["k"]], constants).call([known[:nk]], True, False)
    return short, _function(derive, [p], [casadi.densify(casadi.vertcat(known, *map(casadi.vec, found)))])


def _function(like: casadi.Function, arguments: list, results: list) -> casadi.Function:
    return casadi.Function(
        like.name(), arguments, results, like.name_in(), like.name_out(), {"cse": not like.is_a("MXFunction")}
    )
