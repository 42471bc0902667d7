"""The couplings of descriptions: the keys of a kind follow from its rows (kinds.py)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..system.keys import ENDS, IDENTITY, Declaration, Key, Keys, Kinds, Resolver
from .coupling import Coupling, Switch, axes_along
from .drive import DRIVEN, Drive
from .kinds import KINDS, CouplingKind
from .release import PushSprings, ReleasedCoupling

LATCH = Keys("Latch", "Closes a coupling when a joint passes a position, coming from its start.", {
    "joint": Key("text", 'a joint of one axis, or an axis of another: "gimbal[2]"'),
    "at": Key("angle", "position of the axis [m or rad]"),
})  # fmt: skip
RELEASE = Keys("Release", "Opens a coupling permanently during the run.", {
    "input": Key("flag", "true: a Boolean input NAME.release, which opens it", False),
    "time": Key("number", "time at which it opens [s]", None),
})  # fmt: skip
SPRINGS = Keys("PushSprings", "Springs that push b along the coupling's axis, each over its stroke. A single value applies to all of them.", {
    "places": Key("vector", "places of the springs, from the place of a and in its axes, one per spring", count=(1, 24)),
    "stiffness": Key("not negative", "[N/m]", each=True),
    "stroke": Key("positive", "stroke over which a spring pushes [m]", each=True),
    "end_force": Key("not negative", "force at the end of the stroke [N]", [0.0], each=True),
})  # fmt: skip
PER_SPRING = ("stiffness", "stroke", "end_force")
AXIS_B = "the coupling's axis in the axes of b"
SWITCHING = ("closed", "capture", "latch")


def keys_of(kind: CouplingKind) -> dict[str, Key]:
    """The keys for the rows of a kind: axes if directions differ, a size if there is one."""
    aligned = len(kind.squares) == 3
    coaxial = bool(kind.squares) and not aligned
    keys: dict[str, Key] = {}
    if "zz" in kind.squares or kind.edge:
        keys["axis_b"] = Key("axis", AXIS_B)
    elif coaxial or kind.sliding == "b":
        keys["axis_b"] = Key("axis", f"{AXIS_B}; default: the same numbers", None)
    if aligned:
        keys["orientation"] = Key("orientation", "attitude of b's axes relative to a's", IDENTITY)
    if kind.apart:
        keys["length"] = Key("positive", "distance of the places [m]; not needed if it is driven or switched", None)
    if kind.rolls:
        keys["radius"] = Key("positive", "radius of the ball or disc [m]")
    if kind.rows == 1:
        keys["driven"] = Key(DRIVEN, "the condition's value is prescribed", None)
    return keys


def make_coupling(kind: CouplingKind, table: Any, names: Resolver) -> list[Any]:
    size, driven = getattr(table, "length", None) or getattr(table, "radius", None), getattr(table, "driven", None)
    if kind.apart and size is None and not (driven or table.switched):
        names.missing("length", "a distance coupling has one")
    _check_switching(table, bool(driven), names)
    axes_a = axes_along(table.axis)
    aligned = len(kind.squares) == 3
    axes_b = (
        np.array(table.orientation).T @ axes_a if aligned else axes_along(getattr(table, "axis_b", None) or table.axis)
    )
    switch = Switch(table.closed, table.capture, _latch(table.latch, names)) if table.switched else None
    drive = _drive(kind, size, driven, names) if driven else None
    made = (names.name, *names.ends(), kind, axes_a, axes_b, size or 0.0, switch, drive)
    if not table.release:
        return [Coupling(*made)]
    released = ReleasedCoupling(*made, table.release.input, table.release.time)
    return [released, *(_springs(released, table.springs, names) if table.springs else [])]


def _springs(held: ReleasedCoupling, springs: Any, names: Resolver) -> list[PushSprings]:
    """The springs of a fixed coupling: their tips on b are where their places are while it holds."""
    count, values = len(springs.places), {key: getattr(springs, key) for key in PER_SPRING}
    for key, given in values.items():
        if len(given) not in (1, count):
            names.expected(f"springs.{key}", f"one value, or {count}: one per place", given)
            return []
    if not any(values["stiffness"]) and not any(values["end_force"]):
        names.refused("springs", "have no effect; give a stiffness or an end_force above 0")
    places, to_b = np.array(springs.places), held.axes_b @ held.axes_a.T
    each = (np.broadcast_to(np.array(given), count).copy() for given in values.values())
    return [PushSprings(held.name, held.a, held.b, held.axes_a[:, 2], places, places @ to_b.T, *each)]


def _check_switching(table: Any, driven: bool, names: Resolver) -> None:
    for key in () if table.switched else SWITCHING:
        if getattr(table, key):
            names.expected(key, "switched = true with it")
    if driven and table.switched:
        names.refused("driven", "is not allowed with switched = true")
    if not table.release:
        if table.springs:
            names.refused("springs", "require release")
        return
    if not table.release.input and table.release.time is None:
        names.refused("release", "has no effect; give input = true, a time, or both")
    for key in (*(("switched",) if table.switched else ()), *(("driven",) if driven else ())):
        names.refused(key, "can't be combined with release; give one of them")
    if table.springs and table.kind != "fixed":
        names.refused(
            "springs", f'need kind = "fixed", which says where they push on both bodies (found {table.kind!r})'
        )


def _drive(kind: CouplingKind, size: float | None, driven: Any, names: Resolver) -> Drive:
    start = size if kind.apart and size else driven.position
    return Drive(f"{names.name}.drive", "position", "rad" if kind.spins else "m", start, driven.rate)


def _latch(latch: Any, names: Resolver) -> tuple[str, float, float] | None:
    """(state name, value, side): the side from which the joint's start reaches the value."""
    found = latch and names.axis("latch.joint", latch.joint)
    return found and (found[0], latch.at, 1.0 if found[2] < latch.at else -1.0)


def declaration_of(kind: CouplingKind) -> Declaration:
    return Declaration(kind.text, keys_of(kind), partial(make_coupling, kind))


COUPLING = Kinds("Coupling", "coupling", "A condition between two places of bodies (body, body.node, or space). `b` is held relative to `a`.", {
    **ENDS,
    "axis": Key("axis", "the coupling's axis, in the axes of a: hinge, slide, normal, blocked direction", (0.0, 0.0, 1.0)),
    "switched": Key("flag", "opened and closed by the Boolean input NAME.close", False),
    "closed": Key("flag", "start value of the input `close`", False),
    "capture": Key("positive", "largest distance of the places at which it closes [m]", None),
    "latch": Key(LATCH, "closes it when a joint passes a position", None),
    "release": Key(RELEASE, "separation: holds from the start and opens during the run", None),
    "springs": Key(SPRINGS, "springs that push b away from a when it opens", None),
}, KINDS, declare=declaration_of)  # fmt: skip
