"""Keys of a joint other than its kinematics: what acts in it, and where it starts.

Joints with axes take one value for all of them, or a list with one per axis, translations first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algebra.rotation import dcm_quaternion
from ..system.keys import CONSTANTS, IDENTITY, Key, Keys, Resolver
from .axis import PRESCRIBED, Axis, AxisLaw
from .forces import AxesForces, BallForces, FreeForces, JointForces, NoForces
from .kinds import FreeJoint, Joint, SphericalJoint

STOP = Keys("Stop", "A stiff one-sided spring and damper at each end of an axis.", {
    "lower": Key("angle", "end of the axis [m or rad]"),
    "upper": Key("angle", "end of the axis [m or rad]"),
    "stiffness": Key("positive", "[N/m or N m/rad]"),
    "damping": Key("not negative", "[N s/m or N m s/rad]", 0.0),
})  # fmt: skip
SERVO = Keys("Servo", "The second-order servo that a position or rate command goes through: natural frequency [Hz], damping ratio.", {
    "frequency": Key("positive", "natural frequency [Hz]"),
    "damping": Key("not negative", "damping ratio", 0.7),
})  # fmt: skip

# where joints start
_GUESS = {"guess": Key("flag", "true: a first guess that the assembly of a loop may change; false: it is kept", False)}
_RATE = {"rate": Key("angle", "rates of all axes, translations first [m/s or rad/s]", None, each=True)}
_ORIENTATION = {"orientation": Key("orientation", "attitude of the child's axes in the joint frame", IDENTITY)}  # fmt: skip
_AXES_START = Keys("AxesStart", "Start of a joint with axes: one value, or one per axis, translations first.", {
    "position": Key("angle", "coordinates of all axes, translations first", None, each=True), **_RATE, **_GUESS,
})  # fmt: skip
_BALL_START = Keys("BallStart", "Start of a ball joint.", {
    "rate": Key("angle", "angular velocity relative to the parent, in the child's axes [rad/s]", None, count=(3, 3)),
    **_ORIENTATION, **_GUESS,
})  # fmt: skip
_FREE_START = Keys("FreeStart", "Start of a free joint.", {
    "position": Key("number", "position of the child's frame in the joint frame [m]", None, count=(3, 3)),
    "rate": Key("angle", "velocity in the joint frame [m/s], then angular velocity in the child's axes [rad/s]", None, count=(6, 6)),
    **_ORIENTATION, **_GUESS,
})  # fmt: skip


def _initial(keys: Keys) -> dict[str, Key]:
    return {"initial": Key(keys, "start of the joint", {})}


DRIVES = ("none", "force", "torque", "acceleration", "position", "rate")
ON_AXES = {
    "stiffness": Key("not negative", "spring along each axis [N/m or N m/rad]", [0.0], each=True),
    "rest": Key("angle", "coordinate at which the spring is relaxed [m or rad]", [0.0], each=True),
    "damping": Key("not negative", "damper along each axis [N s/m or N m s/rad]", [0.0], each=True),
    "friction": Key("not negative", "largest Coulomb force or torque [N or N m]", None, each=True),
    "friction_rate": Key("positive", "rate over which friction builds up: F tanh(rate/friction_rate)", [1e-3], each=True),
    "static_friction": Key("not negative", "static friction: the axis sticks at rest up to this force or torque; sliding friction is then `friction`, opposite to the motion [N or N m]", [None], each=True),
    "stop": Key(STOP, "stops at the ends of each axis", [None], each=True),
    "drive": Key(DRIVES, "input along each axis", ["none"], each=True),
    "servo": Key(SERVO, "servo of position and rate drives", [None], each=True),
    "lock": Key("flag", "true: a Boolean input NAME.lock, which locks the axis", [False], each=True),
    "latch": Key("angle", "coordinate at which the axis latches", [None], each=True),
    "law": Key("formula", "additional force or torque along each axis [N or N m], a formula in `angle` (or `position`), `rate`, constants and tables", [None], each=True),
    **CONSTANTS,
    **_initial(_AXES_START),
}  # fmt: skip
IN_A_BALL = {
    "stiffness": Key("not negative", "spring against any rotation: torque k sin(angle) [N m/rad]", 0.0),
    "damping": Key("not negative", "damper in all directions [N m s/rad]", 0.0),
    "drive": Key(("none", "torque"), "torque as an input", "none"),
    **_initial(_BALL_START),
}
ON_FREE = {
    "drive": Key(("none", "force"), "force and torque as inputs", "none"),
    **_initial(_FREE_START),
}


@dataclass(frozen=True)
class MadeJoint:
    """A joint with what acts in it and where it starts: q (nq,), v (nv,)."""

    joint: Joint
    forces: JointForces
    q0: np.ndarray
    v0: np.ndarray


def on_axes(joint: Any, table: Any, names: Resolver) -> MadeJoint:
    """A joint whose `named_axes` have their own laws, each from its entries of the table's lists."""
    axes = joint.named_axes()
    if not axes:
        for key in (key for key in ON_AXES if key in names.given and key != "initial"):
            names.expected(key, "nothing: a joint without axes does not move")
        return MadeJoint(joint, AxesForces(()), np.zeros(0), np.zeros(0))

    def each(key: str, values: list) -> list:
        return _per_axis(key, values, len(axes), names)

    start = table.initial
    rest = each("rest", table.rest)
    q0 = rest if start.position is None else each("initial.position", start.position)
    v0 = [0.0] * len(axes) if start.rate is None else each("initial.rate", start.rate)
    lists = {key: each(key, getattr(table, key)) for key in _LAW if getattr(table, key) is not None}
    laws = []
    for i, (kind, suffix) in enumerate(axes):
        number = f"[{i + 1}]" if len(axes) > 1 else ""
        own = {key: values[i] for key, values in lists.items()}
        law = axis_law(own, rest[i], q0[i], number, names)
        if own["law"] is not None:
            known = {kind.coordinate: float(q0[i]), "rate": float(v0[i])}
            law = replace(law, formula=names.formula(f"law{number}", own["law"], known))
        laws.append(Axis(names.name, suffix, kind, law, number))
    forces = AxesForces(tuple(laws), names.name, tuple(table.constants.items()))
    return MadeJoint(joint, forces, np.array(q0, float), np.array(v0, float))


def _per_axis(key: str, values: list, count: int, names: Resolver) -> list:
    """One value per axis; a single value applies to all of them."""
    if len(values) not in (1, count):
        names.expected(key, f"one value, or {count}: one per axis, translations first", list(values))
        return [values[0] if values else 0.0] * count
    return list(values) * count if len(values) == 1 else list(values)


_LAW = [key for key in ON_AXES if key not in ("rest", "initial", *CONSTANTS)]


def axis_law(own: dict[str, Any], rest: float, start: float, number: str, names: Resolver) -> AxisLaw:
    """The law of one axis; `number` is its index in the description."""
    stop, servo, latch, drive = own["stop"], own["servo"], own["latch"], own["drive"]
    if drive in ("position", "rate") and servo is None:
        names.missing(f"servo{number}", f"a {drive} command goes through a servo with a frequency and a damping ratio")
    if stop is not None and stop.lower >= stop.upper:
        names.expected(f"stop{number}.lower", f"less than upper = {stop.upper}", stop.lower)
    static = own["static_friction"]
    if static is not None and (own.get("friction") is None or static < own["friction"]):
        names.expected(f"static_friction{number}", "at least friction, which has to be there as well", static)
    if static is not None and (own["lock"] or latch is not None or drive in PRESCRIBED):
        names.expected(
            f"static_friction{number}", "nothing on an axis that locks or whose motion is prescribed", static
        )
    if static is not None and "friction_rate" in names.given:
        names.expected("friction_rate", "nothing with static_friction: dry friction has no build-up rate")
    return AxisLaw(
        own["stiffness"],
        rest,
        own["damping"],
        own.get("friction"),
        own["friction_rate"],
        stop and (stop.lower, stop.upper, stop.stiffness, stop.damping),
        {"torque": "force"}.get(drive, drive),
        (servo.frequency, servo.damping) if servo else (1.0, 0.7),
        own["lock"],
        None if latch is None else (latch, 1.0 if start <= latch else -1.0),
        static,
    )


def in_a_ball(table: Any, names: Resolver) -> MadeJoint:
    start = table.initial
    forces = BallForces(
        name=names.name, stiffness=table.stiffness, damping=table.damping, driven=table.drive == "torque"
    )
    return MadeJoint(SphericalJoint(), forces, dcm_quaternion(start.orientation), _zeros_or(start.rate, 3))


def on_free(table: Any, names: Resolver) -> MadeJoint:
    start = table.initial
    forces = NoForces(6) if table.drive == "none" else FreeForces(6, names.name)
    place = np.concatenate([_zeros_or(start.position, 3), dcm_quaternion(start.orientation)])
    return MadeJoint(FreeJoint(), forces, place, _zeros_or(start.rate, 6))


def _zeros_or(values: Any, count: int) -> np.ndarray:
    return np.zeros(count) if values is None else np.array(values, float)
