"""A second version for AVX of the functions that run at every evaluation: 0.8 of the time, and the same results bit for bit.

In code without loops AVX helps by its three-operand instructions; nothing is fused or reordered. The version is selected once
(runtime/core/wide.h). Other compilers and processors have one version.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..trace.hoisting import OFTEN
from .text import EXPRESSION, CFunction, reached_from

LONG = 12_000  # lines from which the version without AVX, which hardly any processor needs, is not optimized

PROLOGUE = """\
#include "wide.h"
#ifdef WIDE
#define NARROW SELDOM
#else
#define NARROW
#endif
"""
_CHOICE = f"""\
static void {{name}}_dispatched({EXPRESSION}) {{{{
    (wide_here ? {{name}}_wide : {{name}})(arg, res, w);
}}}}
"""


def widened(functions: Sequence[CFunction], seldom: Collection[str]) -> str:
    """The text of functions, followed by the second versions; those in OFTEN are called by `dispatched(name)`.

    seldom: names of those that are compiled without optimization.
    """
    known = {function.name: function for function in functions}
    wanted = [name for name in OFTEN if name in known]
    reached = reached_from(wanted, functions)
    slow = {name: "NARROW " for name in wanted if len(known[name].lines) > LONG} | dict.fromkeys(seldom, "SELDOM ")
    plain = "\n".join(function.text(slow.get(function.name, "")) for function in functions)
    copies = "\n".join(function.text("WIDE ", "_wide") for function in functions if function.name in reached)
    choices = "".join(_CHOICE.format(name=name) for name in wanted)
    same = "".join(f"#define {name}_dispatched {name}\n" for name in wanted)
    return f"{plain}\n#ifdef WIDE\n{copies}{choices}#else\n{same}#endif\n"


def dispatched(name: str) -> str:
    """The name of a function in the table of the model."""
    return f"{name}_dispatched" if name in OFTEN else name
