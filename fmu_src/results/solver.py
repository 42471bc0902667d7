"""What an FMU's solver did in a run, as numbers: FMUs of ours tell them as they terminate (fmi2Terminate, both flavours)."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Work:
    """Numbers of a run, by the keys of the log category logSolver. to_…, by_…: what ended its steps; together they are the steps."""

    steps: int
    rejected: int
    events: int
    evaluations: int
    to_points: int
    to_events: int
    by_limit: int
    by_tolerance: int


def work_of(told: object) -> Work | None:
    """The numbers that a result carries of one solver (origin.py); None where one is missing, as in results before version 0.2."""
    try:
        return Work(**{own.name: int(told[own.name]) for own in fields(Work)})  # type: ignore[index]
    except (KeyError, TypeError, ValueError):
        return None
