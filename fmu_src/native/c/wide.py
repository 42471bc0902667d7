"""What runs at every evaluation a second time, for processors with AVX: 0.8 of the time, and the same results to the last bit.

Operands of their own for each instruction are what AVX gives to text without loops; nothing is fused or reordered.
Which of the two runs is asked once (runtime/core/wide.h). Other compilers and processors have the one function.
"""

from __future__ import annotations

import re

from ..trace.hoisting import OFTEN

_FUNCTION = re.compile(
    r"^(?:SELDOM |NARROW )?static (?:int|void) (?P<name>\w+)\((?P<arguments>[^)]*)\).*?^\}\n", re.MULTILINE | re.DOTALL
)

LONG = 200_000  # characters of a function from which on the one without AVX, which hardly any processor needs, is not optimized

PROLOGUE = """\
#include "wide.h"
#ifdef WIDE
#define NARROW SELDOM
#else
#define NARROW
#endif
"""
_CHOICE = """\
static int {name}_fitting({arguments}) {{
    return wide_here ? {name}_wide(arg, res, iw, w, mem) : {name}(arg, res, iw, w, mem);
}}
"""


def widened(bodies: str) -> str:
    """C texts with the second functions behind them; each of OFTEN that is there is called by `fitting(name)`."""
    functions = {match["name"]: match for match in _FUNCTION.finditer(bodies)}
    wanted, reached = [name for name in OFTEN if name in functions], set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [called for called in re.findall(r"\b(\w+)\(", functions[name].group()) if called in functions]
    copies = "\n".join(
        "WIDE " + re.sub(r"\b(\w+)\(", lambda m: _wide(m, reached), functions[name].group())
        for name in functions
        if name in reached
    )
    choices = "".join(_CHOICE.format(name=name, arguments=functions[name]["arguments"]) for name in wanted)
    plain = "".join(f"#define {name}_fitting {name}\n" for name in wanted)
    for name in wanted:
        if len(functions[name].group()) > LONG:
            bodies = bodies.replace(f"\nstatic int {name}(", f"\nNARROW static int {name}(")
    return f"{bodies}\n#ifdef WIDE\n{copies}{choices}#else\n{plain}#endif\n"


def _wide(match: re.Match, reached: set[str]) -> str:
    return f"{match[1]}_wide(" if match[1] in reached else match.group()


def fitting(name: str) -> str:
    """What the table of the model calls a function."""
    return f"{name}_fitting" if name in OFTEN else name
