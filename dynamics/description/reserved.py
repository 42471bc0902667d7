"""Names that a node of a body can't have: those of the body's own signals, declared by pieces."""

from __future__ import annotations

import numpy as np

from ..bodies.body import FlexibleBody, RigidBody
from ..bodies.extending import Extending
from ..bodies.segments import SegmentedBeam
from ..bodies.thermal import Difference, Expansion, Mean
from ..environment.outputs import OF_BODIES
from ..environment.table import SURROUNDINGS
from ..joints import FreeJoint
from ..loads import BodyWrench
from ..spacecraft.body_outputs import OUTPUTS
from ..system.frame_text import INERTIAL
from ..system.pieces import words_of

_PIECES = (
    RigidBody,
    FlexibleBody,
    SegmentedBeam,
    Extending,
    Expansion,
    Difference,
    Mean,
    BodyWrench,
    *OF_BODIES,
    *(piece for row in OUTPUTS.values() for piece in row.pieces),
    *(piece for row in SURROUNDINGS.values() for piece in row.outputs),
)


def _states() -> set[str]:
    """Of a free body, with their rates."""
    q, v = FreeJoint().states("body", np.zeros(7), np.zeros(6), frozenset(), INERTIAL)
    names = [name for state in (*q, *v) for name in (state.name, state.derivative)]
    return {name.removeprefix("body.") for name in names if name.startswith("body.")}


# "frame" is a place of every body, "mode" and "segment" begin the names of its coordinates
RESERVED_NODES = frozenset(
    {"frame", "mode", "segment", "extends", *_states(), *(word for piece in _PIECES for word in words_of(piece))}
)
