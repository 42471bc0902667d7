"""What follows from constants alone is computed once, with them: `derive` gives it behind k, and what runs at every evaluation reads it there.

Equations are written with parameters where they are used, m c of a body in its bias and its inertia. CasADi finds the largest parts
of a function that have no argument but k; the same operations in the same order, so results are the same bit for bit.
Proved by tests/native/test_hoisting.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi

OFTEN = ("rates", "motion_assemble")  # by name: what runs at every evaluation


def hoisted(functions: Sequence[casadi.Function]) -> list[casadi.Function]:
    """The functions of a model in their order, `derive` among them; what they hoist stands behind the k that they had."""
    derive = next(function for function in functions if function.name() == "derive")
    nk, made = derive.size1_out(0), {}
    for function in functions:
        if function.name() in OFTEN:
            made[function.name()], derive = _hoisted(function, nk, derive)
    made["derive"] = derive
    return [made.get(function.name(), function) for function in functions]


def _hoisted(function: casadi.Function, nk: int, derive: casadi.Function) -> tuple[casadi.Function, casadi.Function]:
    """The function without what has no argument but the first nk constants, and `derive` with that behind what it gives already."""
    kind: Any = casadi.MX if function.is_a("MXFunction") else casadi.SX
    arguments = {name: kind.sym(name, function.size1_in(name)) for name in function.name_in()}
    results = function.call(list(arguments.values()), True, False)
    left, extracted, constants = casadi.extract_parametric(results, arguments["k"], {})
    if not extracted:
        return function, derive
    # In scalars CasADi leaves an extracted symbol in place of an argument of a call, also for what follows from it later: each
    # may rest on those before it.
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
