"""The C of a model's equations: flat if they are few, else rolled (rolling.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi

from ..trace.dataflow import NoDataflow, dataflow_of
from ..trace.hoisting import OFTEN, hoisted
from .functions import Functions
from .pieces import Pieces
from .rolling import Rolled
from .text import CFunction, Tables
from .wide import PROLOGUE as WIDE_PROLOGUE
from .wide import widened

# Rarely called functions are compiled without optimization, which takes half of the compile time or more; results are the same bit
# for bit. In large systems that includes the outputs and `along`: the parts that they share with the rates are optimized functions.
_SELDOM = ("derive", "check", "initialize", "motion_along", "back", "motion_back")
_SELDOM_IF_LARGE = ("outputs", "along")

_PROLOGUE = """\
#include "harmonics.h"
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
class EquationsInC:
    """C functions with their tables, the number of constants that `derive` adds after k, and the work space of the functions. seldom: names
    of those that are compiled without optimization.
    """

    tables: Tables
    functions: Sequence[CFunction]
    seldom: Sequence[str]
    n_hoisted: int
    sz_w: int

    @property
    def texts(self) -> list[str]:
        return [_PROLOGUE, WIDE_PROLOGUE, self.tables.text(), widened(self.functions, self.seldom)]


def equations(functions: Sequence[casadi.Function]) -> EquationsInC:
    """C of functions, including `derive`, which computes what they hoist."""
    if all(function.is_a("SXFunction") for function in functions):
        return _whole(functions)
    try:
        return _rolled(functions)
    except NoDataflow:  # tables of bodies with many modes
        return _whole(functions)


def _whole(functions: Sequence[casadi.Function]) -> EquationsInC:
    """One C function each, and one for each function that they call."""
    nk = _derive(functions).size1_out(0)
    functions, found = hoisted(functions), Functions()
    written = found.expressions(functions)
    seldom = _SELDOM if len(written) == len(functions) else (*_SELDOM, *_SELDOM_IF_LARGE)
    room = max(found.rooms.values())
    return EquationsInC(found.tables, written, seldom, _derive(functions).size1_out(0) - nk, room)


def _rolled(functions: Sequence[casadi.Function]) -> EquationsInC:
    pieces, nk = Pieces(), _derive(functions).size1_out(0)
    until, rolled = nk, []
    for function in functions:
        often = function.name() in OFTEN
        rolled.append(Rolled(dataflow_of(function), pieces, until if often else None))
        until = rolled[-1].k_until if often else until
    derived = [r.constants for r in rolled if r.constants]
    written = [*pieces.functions()]
    for r in sorted(rolled, key=lambda r: r.name == "derive"):  # which computes the constants of the others: last
        written += r.functions(derived if r.name == "derive" else ())
    seldom = (*_SELDOM, *_SELDOM_IF_LARGE, *(f"{name}_constants" for name in OFTEN))
    return EquationsInC(Tables(), written, seldom, until - nk, max(r.sz_w for r in rolled))


def _derive(functions: Sequence[casadi.Function]) -> casadi.Function:
    return next(function for function in functions if function.name() == "derive")
