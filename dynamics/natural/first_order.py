"""Torque-free systems as first-order equations: momenta and constraint rates give q̇ at once, [liu1998] sections 2 and 4.

Bodies share points and vectors, so the coordinates q of the system hold those of body b at `where[b]`, eq. (17), (42), (47); the rows
of Φ and Ψ add up there, eq. (49). With momentum zero (O₀ at the mass centre) and angular momentum H₀,

    A q̇ = B,   A = (Ψ, Φ, constraint rates),   B = (H₀, 0, 0)                           eq. (22), (23), (52), (53)

has fewer rows than unknowns: 6 of 8 in the plane, 15 of 18 in space. The missing ones are what is *given*: the path of the gripper
(the inverse problem) or rates of the joints. Each is a row times q̇ with a value, and there must be as many as are missing.
Proved by tests/papers/test_liu1998_arms.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType

import numpy as np

from ..algebra.rotation import cross
from . import planar, spatial


@dataclass(frozen=True)
class SharedCoordinates:
    """Bodies of the plane or of space (`kind` is the module that they are from), and where[b], the places of body b's own q in the system's.

    `perpendicular`: pairs (first point, second point, vector), each the place of its first coordinate: the line through two points and a
    vector that no single body has both of, as the two axes of a universal joint.
    """

    kind: ModuleType
    bodies: tuple
    where: tuple[np.ndarray, ...]
    size: int
    perpendicular: tuple[tuple[int, int, int], ...] = ()

    def _summed(self, rows_of, q):
        total = 0.0
        for b, place in enumerate(self.where):
            total = total + self._placed(rows_of(self.bodies[b], q[place]), place)
        return total

    def _placed(self, rows, place):
        full = np.zeros((len(rows), self.size))
        full[:, place] = rows
        return full

    def momentum_map(self, q):
        """Φ (2 or 3, size), eq. (19), (48)."""
        return self._summed(self.kind.momentum_map, q)

    def angular_momentum_map(self, q):
        """Ψ (1 or 3, size) about O₀, eq. (20), (21), (48)."""
        return self._summed(self.kind.angular_momentum_map, q)

    def rate_map(self, q, b: int):
        """G (1 or 3, size): angular velocity of body b, in space in its own axes."""
        return self._placed(self.kind.rate_map(self.bodies[b], q[self.where[b]]), self.where[b])

    def constraints(self, q):
        """Quadratic conditions on points and vectors, each once however many bodies share it: eq. (18), (51)."""
        own = [self.kind.constraints(body, q[place])[keep] for body, place, keep in self._kept()]
        shared = [(q[j : j + 3] - q[i : i + 3]) @ q[v : v + 3] for i, j, v in self.perpendicular]
        return np.concatenate([*own, shared])

    def constraint_rows(self, q):
        """Their rates are these rows times q̇."""
        rows = [self._placed(self.kind.constraint_rows(q[place])[keep], place) for _, place, keep in self._kept()]
        for i, j, v in self.perpendicular:
            row = np.zeros((1, self.size))
            row[0, i : i + 3], row[0, j : j + 3] = -q[v : v + 3], q[v : v + 3]
            row[0, v : v + 3] = q[j : j + 3] - q[i : i + 3]
            rows.append(row)
        return np.vstack(rows)

    def _kept(self):
        """(body, its places, which of its constraints are not another body's already): lengths of shared vectors count once."""
        seen: set[int] = set()
        for body, place in zip(self.bodies, self.where, strict=True):
            again = len(place) == 9 and int(place[6]) in seen
            seen.update([int(place[6])] if len(place) == 9 else [])
            yield body, place, [0, 2] if again else slice(None)

    def equations(self, q):
        """A of eq. (23), (53): angular momentum, momentum, constraint rates."""
        return np.vstack([self.angular_momentum_map(q), self.momentum_map(q), self.constraint_rows(q)])

    def rates(self, q, angular_momentum, given_rows, given):
        """q̇ of a system with momentum zero: A q̇ = B closed by given_rows q̇ = given.

        `ValueError` states how many rows are missing or too many, or that the given motion is singular.
        """
        A = self.equations(q)
        missing = self.size - len(A)
        if len(given) != missing:
            raise ValueError(
                f"{len(given)} motions are given, expected {missing}: {len(A)} equations for {self.size} coordinates"
            )
        H = np.atleast_1d(angular_momentum)
        B = np.concatenate([H, np.zeros(len(A) - len(H)), given])
        whole = np.vstack([A, given_rows])
        scaled = whole / np.linalg.norm(whole, axis=1)[:, None]
        if np.linalg.matrix_rank(scaled, tol=1e-10) < self.size:
            raise ValueError("the given motions do not determine the rates: the configuration is singular for them")
        return np.linalg.solve(whole, B)


def planar_arm(base_inertia, base_mass, base_length, rods) -> SharedCoordinates:
    """The paper's planar arm, table 1: a base with its mass centre at point 1, and thin rods [(mass, length), …] from point 2 on."""
    bodies = [planar.PlanarBody(base_length, np.zeros(2), base_mass, base_inertia)]
    bodies += [planar.PlanarBody(length, np.array([0.5, 0.0]), m, m * length**2 / 12.0) for m, length in rods]
    where = tuple(np.arange(2 * b, 2 * b + 4) for b in range(len(bodies)))
    return SharedCoordinates(planar, tuple(bodies), where, 2 * len(bodies) + 2)


def spatial_arm(base_inertia, base_mass, base_length, upper, fore) -> SharedCoordinates:
    """The paper's spatial arm, table 2: q = (r₁, r₂, r₃, r₄, u, v), 18 coordinates and the 9 conditions of eq. (51).

    base_inertia (3,) principal; upper and fore are (mass, length) of thin rods. A universal joint at point 2 turns about r₁₂ and v, a
    revolute joint at point 3 about v; |u| = l₁, |v| = l₂.
    """
    (m2, l2), (m3, l3) = upper, fore
    rod = np.diag([0.0, 1.0, 1.0]) / 12.0
    half = np.array([0.5, 0.0, 0.0])
    bodies = (
        spatial.SpatialBody(base_length, base_length, 1.0, 0.0, np.zeros(3), base_mass, np.diag(base_inertia)),
        spatial.SpatialBody(l2, l2, 1.0, 0.0, half, m2, m2 * l2**2 * rod),
        spatial.SpatialBody(l3, l2, 1.0, 0.0, half, m3, m3 * l3**2 * rod),
    )
    point = np.arange(18).reshape(6, 3)
    where = tuple(point[list(own)].ravel() for own in ((0, 1, 4), (1, 2, 5), (2, 3, 5)))
    return SharedCoordinates(spatial, bodies, where, 18, ((0, 3, 15),))


def planar_joint_angles(q):
    """Angles of the joints between successive lines [rad], eq. (24) by atan2 instead of arcsin: right beyond ±90°."""
    lines = np.diff(np.reshape(q, (-1, 2)), axis=0)
    return np.array([np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in pairwise(lines)])


def spatial_joint_angles(q):
    """θ₁, θ₂ of the universal joint and θ₃ of the revolute one [rad]: the scalars that eq. (54) means, by atan2.

    sin θ₁ = r₁₂·(u×v)/(l₁²l₂), sin θ₂ = v·(r₁₂×r₂₃)/(l₁l₂²), sin θ₃ = v·(r₂₃×r₃₄)/(l₂²l₃); the cosines are those of u and v, and of the lines.
    """
    r1, r2, r3, r4, u, v = np.reshape(q, (6, 3))
    r12, r23, r34 = r2 - r1, r3 - r2, r4 - r3
    about = [(r12, u, v), (v, r12, r23), (v, r23, r34)]
    return np.array([np.arctan2(axis @ cross(a, b), np.sqrt(axis @ axis) * (a @ b)) for axis, a, b in about])
