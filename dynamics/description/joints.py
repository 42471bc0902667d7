"""Joint tables → joint kinds with what acts in them."""

from __future__ import annotations

import numpy as np

from ..joints import AxesJoint, FreeJoint, SphericalJoint
from ..joints.axis import Axis, AxisLaw
from ..joints.coordinates import axis_kinds
from ..joints.forces import AxesForces, BallForces, NoForces
from ..rotation import dcm_quaternion
from .errors import Problems
from .tables.joints import JointTable

# how many axes each kind takes from `axis` or `axes`, and what it makes of them
_ONE = {
    "revolute": lambda a: AxesJoint((), (a,)),
    "prismatic": lambda a: AxesJoint((a,), ()),
    "cylindrical": lambda a: AxesJoint((a,), (a,)),
}


def make_joint(name: str, table: JointTable, problems: Problems):
    """(joint kind, forces, q0, v0)."""
    path = f"joints.{name}"
    if table.kind in ("spherical", "free"):
        return _turning(name, table, problems)
    joint = _axes_joint(path, table, problems)
    n = joint.nq

    def each(key, values):
        if len(values) not in (1, n) and n:
            problems.add(f"{path}.{key}", list(values), f"one number, or {n}: one an axis, translations first")
        return list(values) * n if len(values) == 1 else list(values)[:n] + [0.0] * (n - len(values))

    stiffness, rest, damping = (each(key, getattr(table, key)) for key in ("stiffness", "rest", "damping"))
    friction = [None] * n if table.friction is None else each("friction", table.friction)
    drive = {"torque": "force"}.get(table.drive, table.drive)
    if drive in ("position", "rate") and table.servo is None:
        problems.found.append(f"{path}.servo is missing: a {drive} command goes through a servo with a frequency and a damping ratio")
    if table.stop is not None and table.stop.lower >= table.stop.upper:
        problems.add(f"{path}.stop.lower", table.stop.lower, f"less than upper = {table.stop.upper}")
    stop = None if table.stop is None else (table.stop.lower, table.stop.upper, table.stop.stiffness, table.stop.damping)
    servo = (1.0, 0.7) if table.servo is None else (table.servo.frequency, table.servo.damping)
    axes = []
    for i, (kind, suffix) in enumerate(axis_kinds(joint) if n else []):
        law = AxisLaw(stiffness[i], rest[i], damping[i], friction[i], table.friction_rate, stop, drive, servo, table.lock)
        axes.append(Axis(name, suffix, kind, law))
    q0 = each("initial.position", table.initial.position) if table.initial.position is not None else rest
    v0 = each("initial.rate", table.initial.rate) if table.initial.rate is not None else [0.0] * n
    return joint, AxesForces(tuple(axes)), np.array(q0), np.array(v0)


def _axes_joint(path: str, table: JointTable, problems: Problems) -> AxesJoint:
    def refuse(key, why):
        problems.add(f"{path}.{key}", getattr(table, key), why)

    given = [key for key in ("axis", "axes", "translations", "rotations") if key in table.model_fields_set]
    wanted = {"fixed": [], "revolute": ["axis"], "prismatic": ["axis"], "cylindrical": ["axis"], "planar": ["axis"],
              "universal": ["axes"], "gimbal": ["axes"], "general": ["translations", "rotations"]}[table.kind]  # fmt: skip
    for key in given:
        if key not in wanted:
            refuse(key, f"nothing: a {table.kind} joint takes {' and '.join(wanted) or 'no axes'}")
    if table.kind == "fixed":
        return AxesJoint()
    if table.kind == "general":
        for key in ("translations", "rotations"):
            if len(getattr(table, key)) > 3:
                refuse(key, "at most three axes")
        return AxesJoint(tuple(table.translations), tuple(table.rotations))
    if "axis" in wanted:
        if table.axis is None:
            problems.found.append(f"{path}.axis is missing: a {table.kind} joint has one")
            return AxesJoint()
        if table.kind == "planar":
            return _planar(table.axis)
        return _ONE[table.kind](table.axis)
    count = {"universal": 2, "gimbal": 3}[table.kind]
    if len(table.axes) != count:
        refuse("axes", f"{count} axes")
        return AxesJoint()
    return AxesJoint((), tuple(table.axes))


def _planar(normal) -> AxesJoint:
    """Two translations square to the normal, and the rotation about it."""
    n = np.array(normal)
    a = np.roll(np.eye(3)[int(np.argmax(np.abs(n)))], 1)
    a = a - n * (a @ n)
    a = a / np.linalg.norm(a)
    return AxesJoint((tuple(a), tuple(np.cross(n, a))), (tuple(n),))


def _turning(name: str, table: JointTable, problems: Problems):
    """Ball joints and free joints, whose attitude is a quaternion."""
    path = f"joints.{name}"
    free = table.kind == "free"
    quaternion = dcm_quaternion(table.initial.orientation)
    count = 6 if free else 3
    rates = table.initial.rate or [0.0] * count
    if len(rates) != count:
        problems.add(f"{path}.initial.rate", rates, f"{count} numbers")
        rates = [0.0] * count
    if free:
        place = table.initial.position or [0.0] * 3
        if len(place) != 3:
            problems.add(f"{path}.initial.position", place, "three numbers")
            place = [0.0] * 3
        return FreeJoint(), NoForces(6), np.concatenate([place, quaternion]), np.array(rates)
    forces = BallForces(name=name, stiffness=table.stiffness[0], damping=table.damping[0], driven=table.drive in ("force", "torque"))
    return SphericalJoint(), forces, quaternion, np.array(rates)
