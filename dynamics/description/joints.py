"""Joint tables → joint kinds with what acts in them."""

from __future__ import annotations

import numpy as np

from ..joints import AxesJoint, FreeJoint, SphericalJoint
from ..joints.axis import Axis, AxisLaw
from ..joints.forces import AxesForces, BallForces, FreeForces, NoForces
from ..joints.table import JOINTS
from ..rotation import dcm_quaternion
from .errors import Problems
from .tables.joints import JointTable

# what acts in joints whose attitude is a quaternion, and where those start; anything else has no axis to act along
_TURNING_KEYS = {"spherical": ("stiffness", "damping", "drive"), "free": ("drive",)}
_TURNING_INITIAL = {"spherical": ("orientation", "rate", "guess"), "free": ("position", "orientation", "rate", "guess")}
_ACTING = ("stiffness", "rest", "damping", "friction", "friction_rate", "stop", "drive", "servo", "lock", "latch")


def make_joint(name: str, table: JointTable, problems: Problems):
    """(joint kind, forces, q0, v0)."""
    path = f"joints.{name}"
    for key in ("axis", "axes", "translations", "rotations", "order"):
        if key in table.model_fields_set and key not in JOINTS[table.kind].keys:
            wanted = " and ".join(JOINTS[table.kind].keys) or "no axes"
            problems.add(f"{path}.{key}", getattr(table, key), f"nothing: a {table.kind} joint takes {wanted}")
    if table.kind in _TURNING_KEYS:
        return _turning(path, name, table, problems)
    joint = _axes_joint(path, table, problems)
    if joint is None:
        return AxesJoint(), AxesForces(()), np.zeros(0), np.zeros(0)
    return _with_axes(path, name, table, joint, problems)


def _with_axes(path: str, name: str, table: JointTable, joint: AxesJoint, problems: Problems):
    n = joint.nq
    if not n:
        for key in _ACTING:
            if key in table.model_fields_set:
                problems.add(f"{path}.{key}", getattr(table, key), "nothing: a joint without axes does not move")

    def each(key, values):
        """One value an axis; a single one is for all of them."""
        if len(values) not in (1, n) and n:
            problems.add(f"{path}.{key}", list(values), f"one value, or {n}: one per axis, translations first")
        return list(values) * n if len(values) == 1 else (list(values) + [values[0] if values else 0.0] * n)[:n]

    stiffness, rest, damping, friction_rate, stop, drive, servo, lock, latch = (
        each(key, getattr(table, key))
        for key in ("stiffness", "rest", "damping", "friction_rate", "stop", "drive", "servo", "lock", "latch")
    )
    friction = [None] * n if table.friction is None else each("friction", table.friction)
    initial = table.initial
    if "orientation" in initial.model_fields_set:
        problems.add(
            f"{path}.initial.orientation",
            initial.orientation,
            f"nothing: a {table.kind} joint starts at a position, one number an axis",
        )
    q0 = rest if initial.position is None else each("initial.position", initial.position)
    laws = []
    for i, (kind, suffix) in enumerate(joint.named_axes() if n else []):
        axis = f"[{i + 1}]" if n > 1 else ""
        if drive[i] in ("position", "rate") and servo[i] is None:
            problems.found.append(
                f"{path}.servo{axis} is missing: a {drive[i]} command goes through a servo with a frequency and a damping ratio"
            )
        if stop[i] is not None and stop[i].lower >= stop[i].upper:
            problems.add(f"{path}.stop{axis}.lower", stop[i].lower, f"less than upper = {stop[i].upper}")
        law = AxisLaw(
            stiffness[i],
            rest[i],
            damping[i],
            friction[i],
            friction_rate[i],
            None if stop[i] is None else (stop[i].lower, stop[i].upper, stop[i].stiffness, stop[i].damping),
            {"torque": "force"}.get(drive[i], drive[i]),
            (1.0, 0.7) if servo[i] is None else (servo[i].frequency, servo[i].damping),
            lock[i],
            None if latch[i] is None else (latch[i], 1.0 if q0[i] <= latch[i] else -1.0),
        )
        laws.append(Axis(name, suffix, kind, law, axis))
    v0 = [0.0] * n if initial.rate is None else each("initial.rate", initial.rate)
    return joint, AxesForces(tuple(laws)), np.array(q0, float), np.array(v0, float)


def _axes_joint(path: str, table: JointTable, problems: Problems) -> AxesJoint | None:
    """The joint kind of axes, None where they are missing."""
    row = JOINTS[table.kind]
    if table.kind == "general":
        for key in ("translations", "rotations"):
            if len(getattr(table, key)) > 3:
                problems.add(f"{path}.{key}", getattr(table, key), "at most three axes")
        if table.translations and np.linalg.matrix_rank(np.array(table.translations), tol=1e-6) < len(
            table.translations
        ):
            problems.add(
                f"{path}.translations", table.translations, "axes in different directions: one of them adds no motion"
            )
    if row.axes:
        if len(table.axes) != row.axes:
            problems.add(f"{path}.axes", table.axes, f"{row.axes} axes for a {table.kind} joint")
            return None
        for i, (first, second) in enumerate(zip(table.axes, table.axes[1:], strict=False), 1):
            if np.linalg.norm(np.cross(first, second)) < 1e-6:
                problems.add(
                    f"{path}.axes[{i + 1}]", second, f"another direction than axes[{i}]: two equal axes add no motion"
                )
    if "axis" in row.keys and table.axis is None:
        problems.found.append(f"{path}.axis is missing: a {table.kind} joint has one")
        return None
    return row.make(table)


def _turning(path: str, name: str, table: JointTable, problems: Problems):
    """Ball joints and free joints, whose attitude is a quaternion."""
    for key in _ACTING:
        if key in table.model_fields_set and key not in _TURNING_KEYS[table.kind]:
            takes = ", ".join(_TURNING_KEYS[table.kind])
            problems.add(
                f"{path}.{key}",
                getattr(table, key),
                f"nothing: a {table.kind} joint takes {f'only {takes}' if takes else 'none of the springs, drives and stops'}",
            )
    initial = table.initial
    for key in initial.model_fields_set - set(_TURNING_INITIAL[table.kind]):
        problems.add(
            f"{path}.initial.{key}",
            getattr(initial, key),
            f"nothing: a {table.kind} joint starts with {', '.join(_TURNING_INITIAL[table.kind][:-1])}",
        )
    quaternion = dcm_quaternion(initial.orientation)
    rates = _counted(f"{path}.initial.rate", initial.rate, 6 if table.kind == "free" else 3, problems)
    if table.kind == "free":
        place = _counted(f"{path}.initial.position", initial.position, 3, problems)
        if table.drive not in (["none"], ["force"]):
            problems.add(
                f"{path}.drive", table.drive, '"none" or "force" for a free joint, which is a force and a torque'
            )
        forces = NoForces(6) if table.drive == ["none"] else FreeForces(6, name)
        return FreeJoint(), forces, np.concatenate([place, quaternion]), rates
    for key in ("stiffness", "damping", "drive"):
        if len(getattr(table, key)) != 1:
            problems.add(f"{path}.{key}", getattr(table, key), "one value for all directions of a spherical joint")
    if table.drive[0] not in ("none", "torque"):
        problems.add(f"{path}.drive", table.drive[0], '"none" or "torque" for a spherical joint')
    forces = BallForces(
        name=name, stiffness=table.stiffness[0], damping=table.damping[0], driven=table.drive[0] == "torque"
    )
    return SphericalJoint(), forces, quaternion, rates


def _counted(path: str, values, count: int, problems: Problems) -> np.ndarray:
    """`count` numbers, zeros by default."""
    if values is None:
        return np.zeros(count)
    if len(values) != count:
        problems.add(path, values, f"{count} numbers")
        return np.zeros(count)
    return np.array(values, float)
