"""Points and vectors that carry the bodies of a tree, and the quadratic conditions between them: [liu1998] sections 3, 4 for any tree.

The coordinates are rows of X (n, 3) in N: points, and unit vectors fixed in bodies. The frame of every body, its origin and its three axes
as the rows of a (4, 3) array, is a linear form of them, W X + fixed, with numbers W (4, n) that follow from the geometry. Points and axes shared at a joint
need no further coordinates: a hinge's point and axis are linear forms of the inner body's coordinates, eq. (42)–(47), and the outer body adds the rest of a
point and three orthogonal vectors. So each body has a constant mass matrix (dynamics.py), where the paper's
auxiliary vector r_ij×u makes it vary.

Conditions are products a·b − c of two linear forms: unit lengths and right angles of new vectors, the angle between the axes of a
universal joint, the line of a slider. Their gradients are linear in X. Proved by tests/natural/test_coordinates.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..joints.kinds import AxesJoint, FreeJoint, SphericalJoint, SpinJoint
from ..tree.topology import Tree


@dataclass(frozen=True)
class Form:
    """weights (n,) and fixed (3,): the point or vector weights @ X + fixed, in N."""

    weights: np.ndarray
    fixed: np.ndarray

    def __call__(self, X):
        return self.weights @ X + self.fixed

    def rate(self, X_dot):
        return self.weights @ X_dot

    def plus(self, other: Form, factor=1.0) -> Form:
        return Form(self.weights + factor * other.weights, self.fixed + factor * other.fixed)


@dataclass(frozen=True)
class CarriedFrame:
    """A body's origin and axes x, y, z as forms."""

    origin: Form
    axes: tuple[Form, ...]

    def direction(self, components) -> Form:
        """The vector with the given components (3,) in the body's axes."""
        x, y, z = self.axes
        zero = Form(0.0 * x.weights, 0.0 * x.fixed)
        return zero.plus(x, components[0]).plus(y, components[1]).plus(z, components[2])

    def point(self, position) -> Form:
        """The point at `position` (3,) of the body's frame."""
        return self.origin.plus(self.direction(position))


@dataclass(frozen=True)
class DotCondition:
    """a·b = c, of two forms."""

    a: Form
    b: Form
    c: float
    body: int

    def residual(self, X):
        return self.a(X) @ self.b(X) - self.c

    def row(self, X):
        """Gradient (3n,): the condition's rate is row @ Ẋ."""
        a, b = self.a(X), self.b(X)
        return (self.a.weights[:, None] * b + self.b.weights[:, None] * a).reshape(-1)

    def bias(self, X_dot):
        """Its second derivative at Ẍ = 0: 2 ȧ·ḃ."""
        return 2.0 * (self.a.rate(X_dot) @ self.b.rate(X_dot))


@dataclass(frozen=True)
class Carrier:
    """One row of X: the origin of a body (direction None), or a unit vector fixed in it (components in its axes)."""

    body: int
    direction: np.ndarray | None


def square_basis(axis) -> np.ndarray:
    """(3, 3): columns are the unit vector `axis` and two more that form a right-handed orthonormal basis with it."""
    e = np.asarray(axis, float)
    other = np.eye(3)[np.argmin(np.abs(e))]
    f = np.cross(e, other)
    f /= np.linalg.norm(f)
    return np.column_stack([e, f, np.cross(e, f)])


@dataclass(frozen=True)
class Share:
    """The coordinates and conditions of the outer body of a joint of one kind.

    point      the outer body has its own origin (else the joint's point is shared)
    vectors    number of its own vectors: 0 (it keeps the inner body's attitude), 2 (in addition to the shared axis) or 3
    basis      the outer body's vectors, columns (3, 3) in its axes; the first is the shared axis where vectors = 2
    conditions (components in J, components in C, c): pairs of vectors whose product is kept, beside lengths and right angles
    blocked    directions (r, 3) in J along which the outer body's own origin stays where the joint's point is
    """

    point: bool
    vectors: int
    basis: np.ndarray = field(default_factory=lambda: np.eye(3))
    conditions: tuple = ()
    blocked: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))


def share_of(joint) -> Share | None:
    """The Share of a joint, or None where points and vectors can't express it."""
    if isinstance(joint, SpinJoint):
        return Share(False, 0)
    if isinstance(joint, SphericalJoint):
        return Share(False, 3)
    if isinstance(joint, FreeJoint):
        return Share(True, 3)
    if type(joint) is not AxesJoint:
        return None
    slides, turns = np.array(joint.translations).reshape(-1, 3), np.array(joint.rotations).reshape(-1, 3)
    if len(turns) > 2 or (len(slides) and len(turns) == 2):
        return None
    own_point = bool(len(slides))
    blocked = np.linalg.svd(slides)[2][len(slides) :] if own_point else np.zeros((0, 3))  # perpendicular to all slides
    if len(turns) == 0:
        return Share(own_point, 0, blocked=blocked)
    if len(turns) == 1:
        return Share(own_point, 2, square_basis(turns[0]), blocked=blocked)
    return Share(False, 3, square_basis(turns[1]), ((turns[0], turns[1], float(turns[0] @ turns[1])),))


@dataclass(frozen=True)
class Carriers:
    """The layout of X for a tree; `ValueError` names a joint that it does not support."""

    tree: Tree
    names: tuple[str, ...]
    rows: tuple[Carrier, ...] = field(init=False, compare=False)
    shares: tuple[Share, ...] = field(init=False, compare=False)

    def __post_init__(self):
        rows: list[Carrier] = []
        shares: list[Share] = []
        for i, (link, name) in enumerate(zip(self.tree.links, self.names, strict=True)):
            share = share_of(link.joint)
            if share is None:
                raise ValueError(f"joint {name} can't be made of shared points and vectors")
            shares.append(share)
            rows += [Carrier(i, None)] if share.point else []
            first = 3 - share.vectors
            rows += [Carrier(i, share.basis[:, b]) for b in range(first, 3)] if share.vectors else []
        object.__setattr__(self, "rows", tuple(rows))
        object.__setattr__(self, "shares", tuple(shares))

    @property
    def count(self) -> int:
        return len(self.rows)

    def frames_and_conditions(self, places, space=None) -> tuple[list[CarriedFrame], list[DotCondition]]:
        """Frames of all bodies, and all conditions. places (bodies, 3): where each joint sits on its parent.

        space (4, 3): origin and axes of the frame that joints to space start from, in N; default N itself.
        """
        still = np.zeros(self.count)
        base = np.vstack([np.zeros(3), np.eye(3)]) if space is None else space
        ground = CarriedFrame(Form(still, base[0]), tuple(Form(still, base[a]) for a in (1, 2, 3)))
        frames: list[CarriedFrame] = []
        conditions: list[DotCondition] = []
        new = (Form(unit, np.zeros(3)) for unit in np.eye(self.count))
        for i, (link, share) in enumerate(zip(self.tree.links, self.shares, strict=True)):
            inner = ground if link.parent < 0 else frames[link.parent]
            joint = CarriedFrame(inner.point(places[i]), tuple(inner.direction(link.mount[:, a]) for a in range(3)))
            origin = next(new) if share.point else joint.origin
            if share.vectors == 0:
                frame = CarriedFrame(origin, joint.axes)
            else:
                shared = [joint.direction(share.basis[:, 0])] if share.vectors == 2 else []
                own = [next(new) for _ in range(share.vectors)]
                basis = shared + own
                conditions += _square(basis, len(shared), i)
                to_axes = CarriedFrame(origin, tuple(basis))
                frame = CarriedFrame(origin, tuple(to_axes.direction(share.basis[a]) for a in range(3)))
            for on_joint, on_body, c in share.conditions:
                conditions.append(DotCondition(joint.direction(on_joint), frame.direction(on_body), c, i))
            if share.point:
                away = origin.plus(joint.origin, -1.0)
                conditions += [DotCondition(away, joint.direction(n), 0.0, i) for n in share.blocked]
            frames.append(frame)
        return frames, conditions

    def values(self, bodies):
        """X (n, 3) and Ẋ (n, 3) of moving bodies (tree.kinematics.Moving)."""
        places, rates = [], []
        for carrier in self.rows:
            body = bodies[carrier.body]
            if carrier.direction is None:
                places.append(body.position_N)
                rates.append(body.dcm_NB @ body.velocity)
            else:
                places.append(body.dcm_NB @ carrier.direction)
                rates.append(body.dcm_NB @ np.cross(body.omega, carrier.direction))
        return np.array(places).reshape(-1, 3), np.array(rates).reshape(-1, 3)


def _square(basis: list[Form], shared: int, body: int) -> list[DotCondition]:
    """Unit lengths and right angles of a basis; those of its first `shared` vectors are already conditions."""
    return [DotCondition(basis[a], basis[b], float(a == b), body) for b in range(shared, 3) for a in range(b + 1)]
