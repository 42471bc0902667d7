"""Solver statistics of a run: FMUs of spacefmu report them at termination (fmi2Terminate, both flavours)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields


@dataclass(frozen=True)
class Work:
    """Numbers of a run, by the keys of the log category logSolver. to_…, by_…: what limited its steps; their sum is the number of steps.
    late: events that did not fit into the bounded work of their communication step; most: evaluations and directional derivatives of the
    communication step that took the most; bound: the upper bound of these, 0 if the method has none. implicit: implicit steps among those of
    solver.method = automatic.
    """

    steps: int
    rejected: int
    events: int
    evaluations: int
    to_points: int
    to_events: int
    by_limit: int
    by_tolerance: int
    late: int = 0
    most: int = 0
    bound: int = 0
    implicit: int = 0


def work_of(told: object) -> Work | None:
    """The statistics of one solver that a result carries (origin.py); None if one is missing, as in results before version 0.2."""
    try:
        asked = [
            own.name
            for own in fields(Work)
            if own.default is MISSING or (isinstance(told, Mapping) and own.name in told)
        ]
        return Work(**{name: int(told[name]) for name in asked})  # type: ignore[index]
    except (KeyError, TypeError, ValueError):
        return None
