"""C of a flat function (CasADi's SX): its instruction list, one line each, in CasADi's own order and places.

The variables are those of the list, which reuses them, so that stack frames are small even without optimization. The order of operations
is that of CasADi's virtual machine, so both agree bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import casadi

from .operations import number, operation
from .text import MARK

Entry = Callable[[int, int], str]  # C of an entry: index of argument or result, index in it
Called = Callable[[casadi.Function], int]  # ensures that a function is written; its work space


@dataclass
class Lines:
    """The body of a function, the functions that it calls, and its work space."""

    lines: list[str] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    room: int = 0


def flat_lines(function: casadi.Function, given: Entry, left: Entry, called: Called) -> Lines:
    found = Lines()
    add, most = found.lines.append, -1
    nodes = None
    for i in range(function.n_instructions()):
        op, made = function.instruction_id(i), function.instruction_output(i)
        if op == casadi.OP_OUTPUT:
            add(f"{left(*made)} = a{function.instruction_input(i)[0]};")
            continue
        most = max(most, *made)
        if op == casadi.OP_INPUT:
            add(f"a{made[0]} = {given(*function.instruction_input(i))};")
        elif op == casadi.OP_CONST:
            add(f"a{made[0]} = NUMBER({number(function.instruction_constant(i))});")
        elif op == casadi.OP_CALL:
            nodes = function.instructions_sx() if nodes is None else nodes
            _call(found, nodes[i].which_function(), function.instruction_input(i), made, called)
        else:
            operands = (f"a{slot}" for slot in function.instruction_input(i))
            add(f"a{made[0]} = {operation(op, function).format(*operands)};")
    if most >= 0:
        names = [f"a{i}" for i in range(most + 1)]
        found.lines[:0] = [f"real {', '.join(names[i : i + 40])};" for i in range(0, len(names), 40)]
    return found


def _call(found: Lines, function: casadi.Function, given: list[int], made: list[int], called: Called) -> None:
    """Arguments and results are passed through the work array, one after the other."""
    sizes = [function.nnz_in(i) for i in range(function.n_in())] + [
        function.nnz_out(i) for i in range(function.n_out())
    ]
    pointers, start = [], 0
    for size in sizes:
        pointers.append(f"w + {start}")
        start += size
    found.lines += [f"w[{i}] = a{slot};" for i, slot in enumerate(given)]
    found.lines.append(f"{function.name()}{MARK}({', '.join([*pointers, f'w + {start}'])});")
    found.lines += [f"a{slot} = w[{len(given) + i}];" for i, slot in enumerate(made) if slot >= 0]
    found.calls.add(function.name())
    found.room = max(found.room, start + called(function))
