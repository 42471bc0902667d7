"""What runs at every evaluation a second time, for processors with AVX: 0.8 of the time, and the same results bit for bit.

Operands of their own for each instruction are what AVX gives to text without loops; nothing is fused or reordered.
Which of the two runs is asked once (runtime/core/wide.h). Other compilers and processors have the one function.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..trace.hoisting import OFTEN
from .text import EXPRESSION, CFunction, reached_from

LONG = (
    12_000  # lines of a function from which on the one without AVX, which hardly any processor needs, is not optimized
)

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
    """The text of functions with the second ones behind it; each of OFTEN that is there is called by `dispatched(name)`.

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
    """What the table of the model calls a function."""
    return f"{name}_dispatched" if name in OFTEN else name
