"""Until when tables over time cover a run: a Boolean output per table, and a message in the run's log once it is false.

Polynomials of places, orbits and poles (over_time.py, turning.py) end with their span; after it they stand still, and what depends on them is wrong.
Proved by tests/environment/test_covered.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import where
from ..system.pieces import Piece
from ..system.signals import Quantity
from . import Environment
from .given_frames import FollowingFrame, TurnedFrame
from .sun import BySeries
from .third_bodies import ThirdBody
from .turning import Turning

SLACK = 1e-9  # of the span: a last communication point may be this much late


@dataclass(frozen=True)
class EndingTable:
    """`name` of its output; `until`: its end [s]; `what` stands still then; what to do, as the end of a sentence."""

    name: str
    until: float
    what: str
    remedy: str


def tables_of(environment: Environment) -> Iterator[EndingTable]:
    """All tables over time of an environment."""
    turning, frame, sun = environment.medium(Turning), environment.frame, environment.sun
    bodies = [each.path for each in environment.fields if isinstance(each, ThirdBody) and each.path is not None]
    if bodies:
        end = min(path.end for path in bodies)
        yield EndingTable("third_bodies", end, "Sun, Moon and planets stand still", "give a longer environment.third_bodies.span")  # fmt: skip
    if turning is not None and (turning.wobble is not None or (turning.pole is not None and turning.pole.shape[1] > 1)):
        yield EndingTable(
            "rotation", turning.span, "the planet's pole stands still", "give a longer environment.time.span"
        )
    if sun is not None and isinstance(sun.source, BySeries):
        yield EndingTable("sun", sun.source.path.end, "the Sun stands still", "begin at a later environment.time.epoch")
    if isinstance(frame, TurnedFrame):
        yield EndingTable("attitude", frame.attitude.end, "the axes of O stand still", "give a longer file environment.orbit.attitude")  # fmt: skip
        frame = frame.origin
    if isinstance(frame, FollowingFrame):
        yield EndingTable(
            "orbit", frame.path.end, "the origin of O stands still", "give a longer file environment.orbit.file"
        )


@dataclass(frozen=True)
class Covered(Piece):
    """Whether each table covers the present."""

    tables: tuple[EndingTable, ...]

    def outputs(self):
        return [
            Quantity(f"environment.{each.name}.covered", f"whether the run is within the {each.until:.10g} s that its table covers", kind="boolean",
                start=1.0, notice=f"its table ends at {each.until:.10g} s, and {each.what}; {each.remedy}")
            for each in self.tables
        ]  # fmt: skip

    def values(self, instant):
        t = instant.moment.scene.time
        return np.array([where(t > each.until * (1.0 + SLACK), 0.0, 1.0) for each in self.tables])
