"""The C of a model's equations: written out flat where they are few, else rolled (rolling.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi

from ..trace.hoisting import OFTEN, hoisted
from ..trace.wiring import NotWired, wired
from .functions import Functions
from .pieces import Pieces
from .rolling import Rolled
from .text import CFunction, Tables
from .wide import PROLOGUE as WIDE_PROLOGUE
from .wide import widened

# What is called now and then is compiled without optimization, which takes compilers half of their time and more; results are
# the same to the last bit. Of large systems that is the outputs too: what they share with the rates is optimized functions.
_SELDOM = ("derive", "check", "initialize", "along", "motion_along")
_SELDOM_IF_LARGE = ("outputs",)

_PROLOGUE = """\
#include "matrices.h"
#if defined(__clang__)
#define SELDOM __attribute__((optnone, noinline))
#elif defined(__GNUC__)
#define SELDOM __attribute__((optimize("O0"), noinline))
#else
#define SELDOM
#endif
"""


@dataclass(frozen=True)
class Equations:
    """C texts, how many constants `derive` gives behind k, and the room that the functions need."""

    texts: list[str]
    n_hoisted: int
    sz_w: int


def equations(functions: Sequence[casadi.Function]) -> Equations:
    """C of functions, `derive` among them, by which what they hoist is computed."""
    if all(function.is_a("SXFunction") for function in functions):
        return _whole(functions)
    try:
        return _rolled(functions)
    except NotWired:  # tables of bodies with many modes
        return _whole(functions)


def _whole(functions: Sequence[casadi.Function]) -> Equations:
    """A C function each, and one for each function that they call."""
    nk = _derive(functions).size1_out(0)
    functions, found = hoisted(functions), Functions()
    written = found.expressions(functions)
    seldom = _SELDOM if len(written) == len(functions) else (*_SELDOM, *_SELDOM_IF_LARGE)
    room = max(found.rooms.values())
    return Equations(_put_together(found.tables, written, seldom), _derive(functions).size1_out(0) - nk, room)


def _rolled(functions: Sequence[casadi.Function]) -> Equations:
    pieces, nk = Pieces(), _derive(functions).size1_out(0)
    until, rolled = nk, []
    for function in functions:
        often = function.name() in OFTEN
        rolled.append(Rolled(wired(function), pieces, until if often else None))
        until = rolled[-1].k_until if often else until
    derived = [r.constants for r in rolled if r.constants]
    written = [*pieces.functions()]
    for r in sorted(rolled, key=lambda r: r.name == "derive"):  # which computes the constants of the others: last
        written += r.functions(derived if r.name == "derive" else ())
    seldom = (*_SELDOM, *_SELDOM_IF_LARGE, *(f"{name}_constants" for name in OFTEN))
    return Equations(_put_together(Tables(), written, seldom), until - nk, max(r.sz_w for r in rolled))


def _derive(functions: Sequence[casadi.Function]) -> casadi.Function:
    return next(function for function in functions if function.name() == "derive")


def _put_together(tables: Tables, functions: Sequence[CFunction], seldom: Sequence[str]) -> list[str]:
    return [_PROLOGUE, WIDE_PROLOGUE, tables.text(), widened(functions, seldom)]
