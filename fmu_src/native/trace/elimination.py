"""The plan by which an implicit step's matrix 1/(hγ) − ∂ẋ/∂x is computed and eliminated without its zeros, made when the C is written.

Columns without a common row are computed together by one directional derivative (colours). States that nothing depends on, such as
balances of work, have rows that may reach every column: they are left out of the matrix, and follow from the others. The rest is
eliminated in an order that leaves few new entries; which those are is known here. Proved by tests/native/test_elimination.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import or_

import casadi

from .dataflow import bits

FEW = 0.25  # largest share of entries that may be nonzero, with fill-in; above it a full matrix with its simpler loops is used


@dataclass(frozen=True)
class Elimination:
    """Tables of runtime/core/elimination.h; states by number, rows and columns of the matrix by their place in `order`.

    order: (n) states, in the order of elimination; followers: the other states.
    begins: (n+1), columns: (entries) L and U, row by row, columns ascending; diagonals: (n) the entries on the diagonal.
    colours: (colours+1) where each begins in seeds; seeds: (n) places of states that move together;
    reached: (n+1) where the entries below begin, per seed; states, entries: each row of its column, as a state and as an entry.
    """

    order: list[int]
    followers: list[int]
    begins: list[int]
    columns: list[int]
    diagonals: list[int]
    colours: list[int]
    seeds: list[int]
    reached: list[int]
    states: list[int]
    entries: list[int]


def elimination(depends: Sequence[int]) -> Elimination | None:
    """The plan for ẋ whose entry i depends on the states that are bits of depends[i]; None where a full matrix is sufficient."""
    nx = len(depends)
    moving = reduce(or_, depends, 0)
    core = list(bits(moving))
    if sum((depends[i] & moving).bit_count() for i in core) > FEW * nx * nx:
        return None
    order = _ordered(core, depends)
    place = {state: i for i, state in enumerate(order)}
    rows = [reduce(or_, (1 << place[j] for j in bits(depends[state])), 1 << i) for i, state in enumerate(order)]
    filled = _filled(rows)
    if sum(map(int.bit_count, filled)) > FEW * nx * nx:
        return None
    begins = [0, *accumulate(map(int.bit_count, filled))]
    entry = {(i, j): begins[i] + n for i, row in enumerate(filled) for n, j in enumerate(bits(row))}
    reaching = [[i for i, row in enumerate(rows) if row >> j & 1] for j in range(len(order))]
    colours = _coloured(reaching)
    seeds = sum(colours, [])
    return Elimination(
        order,
        [i for i in range(nx) if i not in place],
        begins,
        [j for row in filled for j in bits(row)],
        [entry[i, i] for i in range(len(order))],
        [0, *accumulate(map(len, colours))],
        seeds,
        [0, *accumulate(len(reaching[j]) for j in seeds)],
        [order[i] for j in seeds for i in reaching[j]],
        [entry[i, j] for j in seeds for i in reaching[j]],
    )


def jacobian_entries(rates: casadi.Function, plan: Elimination | None) -> casadi.Function:
    """∂ẋ/∂x of a flat function ẋ(t, x, …), with its arguments: the entries of the plan, zeros where elimination adds some; without a plan row by row."""
    arguments = {name: casadi.SX.sym(name, rates.size1_in(name)) for name in rates.name_in()}
    (x_dot,) = rates.call(list(arguments.values()), True, False)
    J = casadi.jacobian(x_dot, arguments["x"])
    if plan is None:
        places = [(i, j) for i in range(J.size1()) for j in range(J.size2())]
    else:
        rows = [i for i in range(len(plan.order)) for _ in range(plan.begins[i], plan.begins[i + 1])]
        places = [(plan.order[i], plan.order[j]) for i, j in zip(rows, plan.columns, strict=True)]
    entries = casadi.densify(casadi.vertcat(casadi.SX(0, 1), *(J[i, j] for i, j in places)))
    return casadi.Function("jacobian", list(arguments.values()), [entries], rates.name_in(), ["J"], {"cse": True})


def _ordered(core: list[int], depends: Sequence[int]) -> list[int]:
    """An order of elimination that leaves few new entries: approximate minimum degree."""
    place = {state: i for i, state in enumerate(core)}
    pairs = [(place[i], place[j]) for i in core for j in bits(depends[i])]
    both = casadi.Sparsity.triplet(
        len(core),
        len(core),
        [i for i, _ in pairs] + [j for _, j in pairs],
        [j for _, j in pairs] + [i for i, _ in pairs],
    )
    return [core[i] for i in (both + casadi.Sparsity.diag(len(core))).amd()]


def _filled(rows: list[int]) -> list[int]:
    """The pattern of L and U together, row by row, with fill-in."""
    filled: list[int] = []
    for i, row in enumerate(rows):
        k = 0
        while (below := row & ((1 << i) - 1)) >> k:
            k += ((below >> k) & -(below >> k)).bit_length() - 1
            row |= filled[k] >> (k + 1) << (k + 1)
            k += 1
        filled.append(row)
    return filled


def _coloured(reaching: list[list[int]]) -> list[list[int]]:
    """Columns in groups in which no two have an entry in the same row, by greedy colouring."""
    groups: list[list[int]] = []
    taken: list[int] = []
    for column, rows in enumerate(reaching):
        mask = reduce(or_, (1 << row for row in rows), 0)
        free = next((i for i, rest in enumerate(taken) if not rest & mask), len(groups))
        if free == len(groups):
            groups.append([])
            taken.append(0)
        groups[free].append(column)
        taken[free] |= mask
    return groups
