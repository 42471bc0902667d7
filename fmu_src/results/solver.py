"""What an FMU's solver did in a run, as numbers: FMUs of ours tell it in one sentence as they terminate (fmi2Terminate, both flavours)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SENTENCE = re.compile(
    r"(\d+) steps, (\d+) rejected, (\d+) events, (\d+) evaluations of the equations of motion; "
    r"steps ended at (\d+) communication points, at (\d+) events, (\d+) by solver\.max_step, (\d+) by the tolerance"
)


@dataclass(frozen=True)
class Work:
    """Numbers of a run. to_…, by_…: what ended its steps; together they are the steps."""

    steps: int
    rejected: int
    events: int
    evaluations: int
    to_points: int
    to_events: int
    by_limit: int
    by_tolerance: int


def work_of(words: str) -> Work | None:
    """The numbers in what an FMU told; None of another sentence."""
    found = _SENTENCE.fullmatch(words)
    return Work(*map(int, found.groups())) if found else None
