"""The outputs of each body: one row per sort of output, with the key of the body's table that switches it on, if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..bodies.body import FlexibleBody, Node, RigidBody
from ..system.frame_text import FrameText
from ..system.keys import Declaration, Key, Resolver
from ..system.pieces import Piece
from .outputs import EULER, BodyMotion, EulerAngles, Reaction
from .segment_outputs import node_motion
from .spin import TurnsSlowly, softens


class OfBody(Resolver, Protocol):
    """The data of a body from which its outputs are made; `name` is the body's."""

    number: int
    body: RigidBody | FlexibleBody
    nodes: Mapping[str, Node]  # nodes named in the description
    frame: FrameText  # the frame of the roots
    carrier: tuple[str, Any] | None  # name and table of the joint that carries it


@dataclass(frozen=True)
class BodyOutput(Declaration):
    """`pieces`: sorts of pieces whose signals are named after the body; nodes can't have these names."""

    pieces: tuple[type[Piece], ...] = ()


def _motion(table: Any, names: OfBody) -> list[Piece]:
    return [] if names.carrier is None else [BodyMotion(names.number, names.name, names.frame)]


def _reaction(table: Any, names: OfBody) -> list[Piece]:
    shown = names.carrier is not None and names.carrier[1].reaction
    return [Reaction(names.number, names.carrier[0])] if shown and names.carrier else []


OUTPUTS = {
    "motion": BodyOutput("motion of a body that a joint carries; a free one's is its states", {}, _motion, (BodyMotion,)),
    "euler": BodyOutput("Euler angles", {"euler": Key(tuple(EULER), "Euler angles as outputs", [], each=True)},
        lambda table, names: [EulerAngles(names.number, names.name, order, names.frame) for order in dict.fromkeys(table.euler)], (EulerAngles,)),
    "nodes": BodyOutput("motion of named nodes", {},
        lambda table, names: [node_motion(names.number, names.name, node, names.frame) for node in names.nodes.values()]),
    "reaction": BodyOutput("force and torque that a joint carries", {}, _reaction),
    "slow": BodyOutput("whether modes that do not stiffen turn slowly enough", {},
        lambda table, names: [TurnsSlowly(names.number, names.body)] if softens(names.body) else [], (TurnsSlowly,)),
}  # fmt: skip
