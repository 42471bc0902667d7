"""Joint kinematics. J is the joint frame, fixed to the place on the parent; C is the child's frame.

Every kind has the same interface, for coordinates q (nq,) and speeds v (nv,):

    pose(q)              s_CJ_J (3,), where C's origin is in J [m], and dcm_JC
    axes(q)              g (3, nv), in J, and l (3, nv), in C: ṡ = g v, and the relative angular velocity l v.
                         C's axes turn with the joint, so that l of its last rotation is constant
    turning(q, v, omega) b (3,), in C: C's angular acceleration for v̇ = 0 and no angular acceleration of J; omega is C's absolute angular velocity, in C
    bent(q, v)           (3,): s̈ for v̇ = 0, in J: zero if C's origin slides along fixed axes of J
    map(q)               T (nq, nv) with q̇ = T v
    attitude(q)          q_JC (4,), unit and continuous in q
    states(name, q0, v0, prescribed, space)   the quantities of q and of v, with their starts; `prescribed` holds the axes
                         whose acceleration is an input, `space` is the frame of free bodies
    quaternion           the place of the unit quaternion in q, if there is one
    named_axes()         (TRANSLATION or ROTATION, index suffix "" or "[i]") of each axis, in the order of q, that springs, drives and stops
                         may act along; none where q is not a list of axes

Source: [jin1991] eq. (15); as docs/theory/jin1991.md notes, the axes l^m depend on the earlier angles, so their rates enter b.
Proved by tests/joints/test_joints.py (numerical differentiation) and the brute force of tests/papers/test_jin1991.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ..algebra.rotation import (
    E3,
    axis_angle_dcm,
    axis_angle_quaternion,
    cross,
    quaternion_dcm,
    quaternion_product,
    quaternion_rate_matrix,
    unit_quaternion,
)
from ..system.frame_text import INERTIAL, FrameText
from ..system.signals import State
from .coordinates import ROTATION, TRANSLATION, AxisKind, speed_state

States = tuple[list[State], list[State]]  # of q and of v
Axes = frozenset[int]
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
ON_PARENT = FrameText("its place on the parent")


class Joint(Protocol):
    """See the top of this file."""

    @property
    def nq(self) -> int: ...

    @property
    def nv(self) -> int: ...

    @property
    def quaternion(self) -> slice | None: ...

    def pose(self, q: Any) -> tuple[Any, Any]: ...

    def axes(self, q: Any) -> tuple[Any, Any]: ...

    def turning(self, q: Any, v: Any, omega: Any) -> Any: ...

    def bent(self, q: Any, v: Any) -> Any: ...

    def map(self, q: Any) -> Any: ...

    def attitude(self, q: Any) -> Any: ...

    def states(self, name: str, q0: Any, v0: Any, prescribed: Axes, space: FrameText) -> States: ...

    def named_axes(self) -> list[tuple[AxisKind, str]]: ...


class Straight:
    """Joints whose child's origin is fixed, or slides along fixed axes of J."""

    def bent(self, q, v):
        return np.zeros(3)

    def named_axes(self) -> list[tuple[AxisKind, str]]:
        return []


class OnAxes(Straight):
    """Joints whose coordinates are those of their named axes, q̇ = v."""

    quaternion: ClassVar[slice | None] = None

    def map(self, q):
        return np.eye(len(q))

    def states(self, name, q0, v0, prescribed=frozenset(), space=INERTIAL) -> States:
        positions, speeds = [], []
        for i, (kind, suffix) in enumerate(self.named_axes()):
            q, v, a = (f"{name}.{word}{suffix}" for word in (kind.coordinate, kind.speed, kind.acceleration))
            at = f"of joint {name} {kind.along} its axis{suffix}, from its place on the parent"
            text, rate_text = f"{kind.coordinate} {at}", f"{kind.speed} {at}"
            rate = f"der({v})" if i in prescribed else a
            positions.append(State(q, text, kind.unit, q0[i], derivative=v, reinit=True))
            speeds.append(speed_state(v, rate_text, kind.speed_unit, v0[i], rate, kind.acceleration_unit))
        return positions, speeds


@dataclass(frozen=True)
class AxesJoint(OnAxes):
    """0–3 translations along fixed axes of J, then 0–3 rotations about axes in given order.

    Covers fixed (none), revolute, prismatic, universal, cylindrical and planar joints.
    Each rotation axis is given in J at zero angles and turns with the rotations before it.
    """

    translations: tuple[tuple[float, float, float], ...] = ()
    rotations: tuple[tuple[float, float, float], ...] = ()

    @property
    def nq(self) -> int:
        return len(self.translations) + len(self.rotations)

    nv = nq

    def pose(self, q):
        n = len(self.translations)
        s = np.zeros(3)
        for axis, length in zip(self.translations, q[:n], strict=True):
            s = s + np.array(axis) * length
        dcm = E3
        for axis, angle in zip(self.rotations, q[n:], strict=True):
            dcm = dcm @ axis_angle_dcm(np.array(axis), angle)
        return s, dcm

    def axes(self, q):
        n, m = len(self.translations), len(self.rotations)
        g = np.concatenate([np.array(self.translations).reshape(n, 3), np.zeros((m, 3))]).T
        turned, later = [], E3  # the rotations after an axis turn C away from it
        for axis, angle in reversed(list(zip(self.rotations, q[n:], strict=True))):
            turned.insert(0, later.T @ np.array(axis))
            later = axis_angle_dcm(np.array(axis), angle) @ later
        return g, np.concatenate([np.zeros((n, 3)), np.array(turned).reshape(m, 3)]).T

    def turning(self, q, v, omega):
        _, axes = self.axes(q)
        bias = np.zeros(3)
        for i in reversed(range(len(self.translations), self.nv)):
            bias = bias + v[i] * cross(omega, axes[:, i])  # l̇ = ω × l, ω that of the frame that carries l
            omega = omega - v[i] * axes[:, i]
        return bias

    def attitude(self, q):
        turned = IDENTITY
        for axis, angle in zip(self.rotations, q[len(self.translations) :], strict=True):
            turned = quaternion_product(turned, axis_angle_quaternion(axis, angle))
        return turned

    def named_axes(self) -> list[tuple[AxisKind, str]]:
        n, m = len(self.translations), len(self.rotations)
        if n + m == 1:
            return [(TRANSLATION if n else ROTATION, "")]
        return [(TRANSLATION, f"[{i}]") for i in range(1, n + 1)] + [(ROTATION, f"[{i}]") for i in range(1, m + 1)]


@dataclass(frozen=True)
class TurningAxesJoint(AxesJoint):
    """The same axes in the other order: rotations first, which turn the translation axes. q still has the translations first.

    s = R Σ t x,   ṡ = R Σ t ẋ + ω × s,   s̈ = ω̇ × s + ω × (ω × s) + 2 ω × R Σ t ẋ  at v̇ = 0, with R and ω of the rotations in J.
    """

    def pose(self, q):
        s, dcm = super().pose(q)
        return dcm @ s, dcm

    def axes(self, q):
        slides, turns = super().axes(q)
        s, dcm = self.pose(q)
        n = len(self.translations)
        swept = [cross(dcm @ turns[:, i], s) for i in range(n, self.nv)]
        return np.concatenate([(dcm @ slides[:, :n]).T, np.array(swept).reshape(-1, 3)]).T, turns

    def bent(self, q, v):
        slides, turns = super().axes(q)
        s, dcm = self.pose(q)
        omega, omega_dot = dcm @ (turns @ v), dcm @ self.turning(q, v, turns @ v)
        return cross(omega_dot, s) + cross(omega, cross(omega, s) + 2.0 * (dcm @ (slides @ v)))


@dataclass(frozen=True)
class SpinJoint(Straight):
    """A rotor about a fixed axis whose angle has no effect (axisymmetric wheel): C does not spin with it."""

    axis: tuple[float, float, float]
    nq = 0
    nv = 1
    quaternion = None

    def pose(self, q):
        return np.zeros(3), E3

    def axes(self, q):
        return np.zeros((3, 1)), np.array(self.axis).reshape(3, 1)

    def turning(self, q, v, omega):
        return v[0] * cross(omega, np.array(self.axis))

    def map(self, q):
        return np.zeros((0, 1))

    def attitude(self, q):
        return IDENTITY

    def states(self, name, q0, v0, prescribed=frozenset(), space=INERTIAL) -> States:
        return [], [_wheel_speed(name, v0[0])]


def _wheel_speed(name: str, start: float) -> State:
    text = f"speed of {name} relative to its host"
    return speed_state(f"{name}.speed", text, "rad/s", start, f"{name}.acceleration", "rad/s2")


@dataclass(frozen=True)
class WheelJoint(AxesJoint):
    """A revolute joint whose child is a rotor that is not axisymmetric: C spins with it, and its angle is a coordinate."""

    def states(self, name, q0, v0, prescribed=frozenset(), space=INERTIAL) -> States:
        text = f"angle of {name} relative to its host"
        angle = State(f"{name}.angle", text, "rad", q0[0], derivative=f"{name}.speed", reinit=True)
        return [angle], [_wheel_speed(name, v0[0])]


@dataclass(frozen=True)
class SphericalJoint(Straight):
    """A ball joint: q is the quaternion q_JC, v the relative angular velocity in C."""

    nq = 4
    nv = 3
    quaternion = slice(0, 4)

    def pose(self, q):
        return np.zeros(3), quaternion_dcm(q)

    def axes(self, q):
        return np.zeros((3, 3)), E3

    def turning(self, q, v, omega):
        return cross(omega, v)

    def map(self, q):
        return quaternion_rate_matrix(q)

    def attitude(self, q):
        return unit_quaternion(q)

    def states(self, name, q0, v0, prescribed=frozenset(), space=INERTIAL) -> States:
        quaternion, turning = _turning_states(name, ON_PARENT, q0, v0)
        return [quaternion], [turning]


def _turning_states(name: str, frame: FrameText, quaternion, omega) -> tuple[State, State]:
    text, rate_text = f"attitude of {name} {frame.attitude}", f"angular velocity of {name} {frame.turning}"
    return (
        State(f"{name}.quaternion", text, "1", quaternion, derivative_unit="1/s", reinit=True, approximate=True),
        speed_state(f"{name}.angular_velocity", rate_text, "rad/s", omega, f"{name}.angular_acceleration", "rad/s2"),
    )


@dataclass(frozen=True)
class FreeJoint(Straight):
    """Six degrees of freedom: q = (position in J, q_JC), v = (velocity in J, relative angular velocity in C)."""

    nq = 7
    nv = 6
    quaternion = slice(3, 7)

    def pose(self, q):
        return q[:3], quaternion_dcm(q[3:])

    def axes(self, q):
        none = np.zeros((3, 3))
        return np.hstack([E3, none]), np.hstack([none, E3])

    def turning(self, q, v, omega):
        return cross(omega, v[3:])

    def map(self, q):
        none = np.zeros((3, 3))
        return np.block([[E3, none], [np.zeros((4, 3)), quaternion_rate_matrix(q[3:])]])

    def attitude(self, q):
        return unit_quaternion(q[3:])

    def states(self, name, q0, v0, prescribed=frozenset(), space=INERTIAL) -> States:
        text, rate_text = f"position of {name}'s frame {space.place}", f"velocity of {name}'s frame {space.motion}"
        place = State(f"{name}.position", text, "m", q0[:3], derivative=f"{name}.velocity", reinit=True)
        moving = speed_state(f"{name}.velocity", rate_text, "m/s", v0[:3], f"{name}.acceleration", "m/s2")
        quaternion, turning = _turning_states(name, space, q0[3:], v0[3:])
        return [place, quaternion], [moving, turning]
