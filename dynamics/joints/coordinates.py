"""The states of a joint: names, units and meaning of its coordinates q and speeds v.

One-axis joints have scalars, joints of several axes arrays throughout. Each coordinate names its derivative:
a speed where q̇ = v, else der(…). Rates of speeds are `acceleration` or `angular_acceleration`, unless an input
prescribes them and has taken that name.
"""

from __future__ import annotations

from ..signals import Signal
from .kinds import AxesJoint, FreeJoint, SphericalJoint, SpinJoint, WheelJoint

# quantity of q, of v, of v̇, and their units, for the two kinds of axis
TRANSLATION = ("position", "velocity", "acceleration", "m", "m/s", "m/s2")
ROTATION = ("angle", "rate", "angular_acceleration", "rad", "rad/s", "rad/s2")


def axis_kinds(joint: AxesJoint) -> list[tuple[tuple, str]]:
    """(TRANSLATION or ROTATION, index suffix) of each axis, in the order of q: "" or "[i]"."""
    n, m = len(joint.translations), len(joint.rotations)
    if n + m == 1:
        return [(TRANSLATION if n else ROTATION, "")]
    return [(TRANSLATION, f"[{i}]") for i in range(1, n + 1)] + [(ROTATION, f"[{i}]") for i in range(1, m + 1)]


def joint_states(name: str, joint, q0, v0, prescribed=frozenset(), space="N") -> tuple[list[Signal], list[Signal]]:
    """Signals of q and of v. `prescribed` holds the axes whose acceleration is an input; `space` names the frame of free bodies."""
    return _STATES[type(joint)](name, joint, q0, v0, prescribed, space)


def _axes_states(name, joint, q0, v0, prescribed, space):
    positions, speeds = [], []
    for i, ((place, speed, rate, unit, speed_unit, rate_unit), suffix) in enumerate(axis_kinds(joint)):
        q, v, a = (f"{name}.{quantity}{suffix}" for quantity in (place, speed, rate))
        positions.append(Signal(q, f"{place} of joint {name}", unit, q0[i], derivative=v, reinit=True))
        speeds.append(
            _speed(v, f"{speed} of joint {name}", speed_unit, v0[i], f"der({v})" if i in prescribed else a, rate_unit)
        )
    return positions, speeds


def _spin_states(name, joint, q0, v0, prescribed, space):
    return [], [
        _speed(
            f"{name}.speed", f"speed of {name} relative to its host", "rad/s", v0[0], f"{name}.acceleration", "rad/s2"
        )
    ]


def _wheel_states(name, joint, q0, v0, prescribed, space):
    angle = Signal(
        f"{name}.angle", f"angle of {name} relative to its host", "rad", q0[0], derivative=f"{name}.speed", reinit=True
    )
    return [angle], _spin_states(name, joint, q0, v0, prescribed, space)[1]


def _spherical_states(name, joint, q0, v0, prescribed, space, relative="relative to the joint's place"):
    quaternion = [
        Signal(f"{name}.quaternion[{i + 1}]", f"attitude of {name} {relative}, scalar first", "1", q0[i],
               derivative=f"der({name}.quaternion[{i + 1}])", derivative_unit="1/s", reinit=True)
        for i in range(4)
    ]  # fmt: skip
    turning = [
        _speed(f"{name}.angular_velocity[{i + 1}]", f"angular velocity of {name} {relative}, in its own axes", "rad/s", v0[i],
               f"{name}.angular_acceleration[{i + 1}]", "rad/s2")
        for i in range(3)
    ]  # fmt: skip
    return quaternion, turning


def _free_states(name, joint, q0, v0, prescribed, space):
    quaternion, turning = _spherical_states(name, joint, q0[3:], v0[3:], prescribed, space, f"relative to {space}")
    place = [
        Signal(
            f"{name}.position[{i + 1}]",
            f"position of {name}'s frame in {space}",
            "m",
            q0[i],
            derivative=f"{name}.velocity[{i + 1}]",
            reinit=True,
        )
        for i in range(3)
    ]
    moving = [
        _speed(
            f"{name}.velocity[{i + 1}]",
            f"velocity of {name}'s frame, in {space}",
            "m/s",
            v0[i],
            f"{name}.acceleration[{i + 1}]",
            "m/s2",
        )
        for i in range(3)
    ]
    return place + quaternion, moving + turning


def _speed(name, description, unit, start, derivative, derivative_unit) -> Signal:
    return Signal(name, description, unit, start, derivative=derivative, derivative_unit=derivative_unit,
                  derivative_description=f"rate of change: {description}", reinit=True)  # fmt: skip


_STATES = {
    AxesJoint: _axes_states,
    SpinJoint: _spin_states,
    WheelJoint: _wheel_states,
    SphericalJoint: _spherical_states,
    FreeJoint: _free_states,
}


def quaternion_span(joint) -> slice | None:
    """Where the unit quaternion stands in the joint's q, if it has one."""
    return {SphericalJoint: slice(0, 4), FreeJoint: slice(3, 7)}.get(type(joint))


def quaternion_spans(tree) -> list[slice]:
    """Where the unit quaternions of all joints stand in q."""
    spans = [(tree.joint_q[i].start, quaternion_span(link.joint)) for i, link in enumerate(tree.links)]
    return [slice(first + span.start, first + span.stop) for first, span in spans if span is not None]


def mode_states(name: str, modes: int, eta0, eta_dot0) -> tuple[list[Signal], list[Signal]]:
    """Signals of a flexible body's η and η̇."""
    amplitudes, rates = [], []
    for i in range(modes):
        mode = f"{name}.mode[{i + 1}]"
        amplitudes.append(Signal(f"{mode}.amplitude", f"amplitude of mode {i + 1} of {name}", "m", eta0[i], derivative=f"{mode}.rate", reinit=True))  # fmt: skip
        rates.append(
            _speed(
                f"{mode}.rate", f"rate of mode {i + 1} of {name}", "m/s", eta_dot0[i], f"{mode}.acceleration", "m/s2"
            )
        )
    return amplitudes, rates
