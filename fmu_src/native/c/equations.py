"""The C of a model's equations: written out flat by CasADi where they are few, else rolled (rolling.py)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import casadi

from ..trace.hoisting import OFTEN, hoisted
from ..trace.wiring import NotWired, wired
from .casadi_c import PROLOGUE, unasked, written
from .pieces import Pieces
from .rolling import Rolled
from .wide import PROLOGUE as WIDE_PROLOGUE
from .wide import widened

# What is called now and then is compiled without optimization, which takes compilers half of their time and more; results are
# the same to the last bit. Of large systems that is the outputs too: what they share with the rates is optimized functions.
_SELDOM = ("derive", "check", "initialize", "along", "motion_along")
_SELDOM_IF_LARGE = ("outputs",)


@dataclass(frozen=True)
class Equations:
    """C texts, how many constants `derive` gives behind k, and the work arrays that the functions need."""

    texts: list[str]
    n_hoisted: int
    sizes: dict[str, int]


def equations(functions: Sequence[casadi.Function]) -> Equations:
    """C of functions, `derive` among them, by which what they hoist is computed."""
    if all(function.is_a("SXFunction") for function in functions):
        return _flat(functions)
    try:
        return _rolled(functions)
    except NotWired:  # tables of bodies with many modes: CasADi's calls
        return _flat(functions)


def _flat(functions: Sequence[casadi.Function]) -> Equations:
    nk = _derive(functions).size1_out(0)
    functions = hoisted(functions)
    found = written(functions)
    seldom = _SELDOM if len(found.functions) == len(functions) else (*_SELDOM, *_SELDOM_IF_LARGE)
    sizes = {s: max(getattr(function, s)() for function in functions) for s in ("sz_arg", "sz_res", "sz_iw", "sz_w")}
    own = {function.name() for function in functions}
    bodies = (unasked(body) if name in own else body for name, body in found.functions.items())
    texts = _put_together(found.shared, "\n".join(bodies), seldom)
    return Equations(texts, _derive(functions).size1_out(0) - nk, sizes)


def _rolled(functions: Sequence[casadi.Function]) -> Equations:
    pieces, nk = Pieces(), _derive(functions).size1_out(0)
    until, rolled = nk, []
    for function in functions:
        often = function.name() in OFTEN
        rolled.append(Rolled(wired(function), pieces, until if often else None))
        until = rolled[-1].k_until if often else until
    own, shared = pieces.text()
    derived = [r.constants for r in rolled if r.constants]
    texts = [r.text() for r in rolled if r.name != "derive"]
    texts += [r.text(derived) for r in rolled if r.name == "derive"]
    sizes = {
        "sz_arg": max(f.n_in() for f in functions),
        "sz_res": max(f.n_out() for f in functions),
        "sz_iw": 0,
        "sz_w": max(r.sz_w for r in rolled),
    }
    return Equations(_put_together(shared, "\n".join([own, *texts]), (*_SELDOM, *_SELDOM_IF_LARGE)), until - nk, sizes)


def _derive(functions: Sequence[casadi.Function]) -> casadi.Function:
    return next(function for function in functions if function.name() == "derive")


def _put_together(shared: list[str], bodies: str, seldom: Sequence[str]) -> list[str]:
    bodies = re.sub(rf"^static int (?=(?:{'|'.join(seldom)})\()", "SELDOM static int ", bodies, flags=re.MULTILINE)
    return [PROLOGUE, WIDE_PROLOGUE, *shared, widened(bodies)]
