"""Examines all couplings together, once, at the start: which are redundant, and which contradict each other.

Redundant rows are legal (spacefmu.dynamics.system.evaluate.solve_saddle): the motion is unique, the multipliers of the rows involved are
not, and those of least norm are reported. The documentation and the affected outputs state this.
Couplings that no state can satisfy are refused, with their names: where Newton's iteration stops, the remaining residual belongs to the
rows that contradict each other.
Proved by tests/constraints/test_redundant.py.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..algebra.newton import newton
from ..bounds import RANK_TOLERANCE
from ..system.contract import Projection, System
from ..system.evaluate import ProjectionIterate, Refused, constants, start
from ..system.signals import Bag

SHARE = 1e-2  # a row takes part in a contradiction if its residual is this fraction of the largest


def surveyed(system: System, connections) -> System:
    """The same System, its redundant couplings flagged; `Refused` names contradictory couplings."""
    owners = [c.name for c in connections for _ in range(c.rows)]
    if not owners:
        return system
    x, u, k, d = agreeing_start(system, owners)
    G = np.asarray(system.motion.assemble(0.0, x, u, k, d)[1]).reshape(system.motion.m, system.motion.n)
    discretes = Bag(system.signals, "discretes", d)
    closed = [i for i, c in enumerate(c for c in connections for _ in range(c.rows)) if c.active(discretes) > 0.5]
    rows, count = redundant_rows(G[closed])
    if not count:
        return system
    names = list(dict.fromkeys(owners[closed[i]] for i in rows))
    sentence = (
        f"{count} of the conditions of {_and(names)} {'is' if count == 1 else 'are'} redundant at the start: the motion is unique, "
        "the forces of these couplings are not, and those of least norm are given."
    )
    about = replace(system.about, documentation=f"{system.about.documentation.rstrip()}\n\n{sentence}\n")
    return replace(system, about=about, signals=_flagged(system.signals, names))


def agreeing_start(system: System, owners: list[str]):
    """x, u, k, d at the start; `Refused` names contradictory couplings. `owners`: the coupling's name of each row, "" for other rows."""
    try:
        return start(system)
    except Refused as error:
        raise Refused(_clash(system, owners) or str(error)) from None


def redundant_rows(G) -> tuple[list[int], int]:
    """Indices of the rows of G (m, n) that depend on each other, and how many of them are redundant."""
    size = np.linalg.norm(G, axis=1)
    empty = size <= RANK_TOLERANCE * size.max(initial=0.0)  # a condition satisfied by every motion
    U, s, _ = np.linalg.svd(np.where(empty[:, None], 0.0, G / np.where(empty, 1.0, size)[:, None]))
    rank = int(np.sum(s > RANK_TOLERANCE * s.max(initial=0.0)))
    taking_part = np.linalg.norm(U[:, rank:], axis=1) > 1e-6
    return [int(i) for i in np.flatnonzero(taking_part)], len(G) - rank


def _clash(system: System, owners) -> str | None:
    """A sentence with the names of couplings that no state near the start can satisfy."""
    table = system.signals
    x, u, p, d = (np.array(table.starts(group), float) for group in ("states", "inputs", "parameters", "discretes"))
    k = constants(system, p)
    x, d = (np.asarray(part, float) for part in system.initialize(0.0, x, u, k, d))
    for projection in system.projections:
        x, left = newton(x, partial(_look, projection, u, k, d), projection.tolerance)
        if left.size > 1e3 * projection.tolerance and projection.level:
            shares = np.abs(left.gamma[: len(owners)])
            clashing = (owners[i] for i in np.flatnonzero(shares > SHARE * shares.max()))
            names = list(dict.fromkeys(filter(None, clashing)))
            return (
                f"{_and(names)} can't hold at the same time ({projection.name}): "
                f"a residual of {shares.max():.3g} of the system's size is left"
            )
    return None


def _look(projection: Projection, u, k, d, x) -> ProjectionIterate:
    return ProjectionIterate(projection, (0.0, x, u, k, d))


def _flagged(table, names):
    """The table with the outputs of these couplings marked."""
    prefixes = tuple(f"{name}." for name in names)
    outputs = tuple(
        replace(signal, description=f"{signal.description} (not unique: least norm)")
        if signal.name.startswith(prefixes)
        else signal
        for signal in table.quantities("outputs")
    )
    return table.with_group("outputs", outputs)


def _and(names) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
