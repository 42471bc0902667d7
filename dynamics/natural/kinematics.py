"""Kinematics of bodies and joints in fully Cartesian coordinates.

A frame is W X + fixed, so its velocity is W Ẋ and its acceleration W Ẍ, whatever the motion: with e₁, e₂, e₃ the body's axes

    v = Rᵀ ȯ,   ω = ½ (e₃·ė₂ − e₂·ė₃, e₁·ė₃ − e₃·ė₁, e₂·ė₁ − e₁·ė₂)                      [liu1998] eq. (34)

in body axes are V(X) Ẋ, and the acceleration (a, α) is V(X) Ẍ without any bias: of RᵀR̈ + ṘᵀṘ only the first has an antisymmetric part.
Speeds are Ẋ, flat, then the speeds of the wheels, which turn on without coordinates. Proved by tests/natural/test_coordinates.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import cross, dcm_quaternion
from ..joints.kinds import AxesJoint, FreeJoint, SphericalJoint, SpinJoint
from ..tree.kinematics import SPACE, Moving, Space, carried, posed
from .carriers import CarriedFrame, Carriers, DotCondition
from .layout import CartesianLayout


@dataclass(frozen=True)
class Joined:
    """One joint in motion: its q and v, and rows (nv_j, nv) and rest (nv_j,) with v̇_j = rows z + rest; z the rates of all speeds."""

    q: np.ndarray
    v: np.ndarray
    rows: np.ndarray
    rest: np.ndarray


@dataclass(frozen=True)
class Motion:
    """All bodies and joints at one instant. V[i] (6, nv) and B[i] (6,): (v, ω) = V v, (a, α) = V v̇ + B of body i in its axes."""

    X: np.ndarray
    X_dot: np.ndarray
    frames: list[CarriedFrame]
    conditions: list[DotCondition]
    bodies: list[Moving]
    V: list[np.ndarray]
    B: list[np.ndarray]
    joints: list[Joined]


def move_at(layout: CartesianLayout, q, v, k, space: Space = SPACE) -> Motion:
    """All bodies and joints at coordinates q and speeds v; k the constants."""
    X, X_dot, spins = layout.split(q, v)
    places = [link.place.position if link.moved_place is None else k[link.moved_place] for link in layout.links]
    return move(
        layout.carriers, X, X_dot, spins, places, [link.body.integrals(k) for link in layout.links], space, layout.axes
    )


def move(carriers: Carriers, X, X_dot, spins, places, integrals, space: Space = SPACE, axes: int = 0) -> Motion:
    """X, Ẋ (n, 3), spins (wheels,); places (bodies, 3) of the joints on their parents; integrals of all bodies; `axes` speeds stand
    between Ẋ and the spins."""
    tree = carriers.tree
    speeds = np.concatenate([X_dot.reshape(-1), np.zeros(axes), spins])
    base = np.vstack([np.zeros(3), space.dcm_NS.T])
    frames, conditions = carriers.frames_and_conditions(places, base)
    bodies: list[Moving] = []
    V: list[np.ndarray] = []
    B: list[np.ndarray] = []
    joints: list[Joined] = []
    wheel = 0
    for i, (link, frame) in enumerate(zip(tree.links, frames, strict=True)):
        origin, dcm_NB = _pose(frame, X)
        rows, bias = _velocity_rows(frame, dcm_NB, axes + len(spins)), np.zeros(6)
        if isinstance(link.joint, SpinJoint):
            axis = np.array(link.joint.axis)
            turning = rows[3:] @ speeds
            rows = rows + np.outer(np.concatenate([np.zeros(3), axis]), np.eye(rows.shape[1])[X.size + axes + wheel])
            bias = np.concatenate([np.zeros(3), spins[wheel] * cross(turning, axis)])
            wheel += 1
        twist = rows @ speeds
        inner = space if link.parent < 0 else bodies[link.parent].frame
        s, dcm_JC = _in_joint(inner, link, places[i], origin, dcm_NB)
        q = joint_coordinates(link.joint, s, dcm_JC)
        at_rest = np.zeros(link.joint.nv)
        omega, T, _, H = carried(inner, link.place, places[i], link.mount, link.joint, q, at_rest)
        velocity = posed(inner, T, H, at_rest)[2]
        v = _along(link.joint, H, twist - np.concatenate([velocity, omega]))
        _, T, beta, H = carried(inner, link.place, places[i], link.mount, link.joint, q, v)
        own, rest = rows, bias - beta
        if link.parent >= 0:
            own, rest = rows - T.motion(V[link.parent]), rest - T.motion(B[link.parent])
        joints.append(Joined(q, v, _along(link.joint, H, own), _along(link.joint, H, rest)))
        none = np.zeros(0)
        bodies.append(Moving(origin, dcm_NB, twist[:3], twist[3:], none, none, T, beta, H, integrals[i]))
        V.append(rows)
        B.append(bias)
    return Motion(X, X_dot, frames, conditions, bodies, V, B, joints)


def _along(joint, H, right_side):
    """The v of H v = right_side, which lies in the range of H (6, nv): HᵀH holds products of the joint's axes, and never changes."""
    return np.linalg.inv(_products(joint)) @ (H.T @ right_side)


def _products(joint):
    """HᵀH (nv, nv): of slides, and of turns, whose angle with each other stays."""
    if not isinstance(joint, AxesJoint):
        return np.eye(joint.nv)
    slides, turns = np.array(joint.translations).reshape(-1, 3), np.array(joint.rotations).reshape(-1, 3)
    none = np.zeros((len(slides), len(turns)))
    return np.block([[slides @ slides.T, none], [none.T, turns @ turns.T]])


def _pose(frame: CarriedFrame, X):
    """Origin (3,) in N and dcm_NB (3, 3)."""
    return frame.origin(X), np.array([axis(X) for axis in frame.axes]).T


def _velocity_rows(frame: CarriedFrame, dcm_NB, others: int):
    """V (6, 3n + others): (v, ω) in body axes = V (Ẋ, other speeds)."""
    e, w = dcm_NB.T, [axis.weights for axis in frame.axes]  # rows e₁, e₂, e₃
    moving = [_product(frame.origin.weights, e[a]) for a in range(3)]
    turning = [0.5 * (_product(w[b], e[c]) - _product(w[c], e[b])) for b, c in ((1, 2), (2, 0), (0, 1))]
    return np.hstack([np.array(moving + turning), np.zeros((6, others))])


def _product(weights, direction):
    """(3n,): the row of direction · (weights Ẋ)."""
    return (weights[:, None] * direction).reshape(-1)


def _in_joint(inner, link, place, origin, dcm_NB):
    """Where the child is in its joint frame J: s (3,) and dcm_JC."""
    if link.parent < 0:
        center, dcm_NP = np.zeros(3), inner.dcm_NS
    else:
        center, dcm_NP = inner.position_N, inner.dcm_NB
    dcm_JN = (dcm_NP @ link.mount).T
    return dcm_JN @ (origin - center - dcm_NP @ place), dcm_JN @ dcm_NB


def joint_coordinates(joint, s, dcm_JC):
    """q of a joint from where C is in J: the inverse of its `pose`. Angles in (−π, π], quaternions with a scalar part ≥ 0."""
    return _COORDINATES[type(joint)](joint, s, dcm_JC)


def _axes_coordinates(joint, s, dcm):
    slides = np.array(joint.translations).reshape(-1, 3)
    along = np.linalg.pinv(slides).T @ s if len(slides) else []
    turns = [np.array(axis) for axis in joint.rotations]
    if len(turns) == 2:
        first, second = turns
        return np.array([_turn(first, second, dcm @ second), -_turn(second, first, dcm.T @ first)])
    across = [np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))]) for axis in turns]
    return np.array([*along, *(_turn(axis, a, dcm @ a) for axis, a in zip(turns, across, strict=True))])


def _turn(axis, before, after):
    """Angle about the unit vector `axis` that rotates the part of `before` perpendicular to it to that of `after`, by atan2."""
    return np.arctan2(axis @ cross(before, after), before @ after - (axis @ before) * (axis @ after))


_COORDINATES = {
    AxesJoint: _axes_coordinates,
    SpinJoint: lambda joint, s, dcm: np.zeros(0),
    SphericalJoint: lambda joint, s, dcm: dcm_quaternion(dcm),
    FreeJoint: lambda joint, s, dcm: np.concatenate([s, dcm_quaternion(dcm)]),
}
