"""Rigid bodies in Cartesian coordinates with constraints and multipliers, by NumPy and SciPy alone: the third solution of most cases.

Each body has its place r [m], its quaternion q (scalar first), its velocity v [m/s] and its angular velocity ω in body axes [rad/s].
Newton–Euler's equations with the constraints' second derivatives, M a − Gᵀλ = f, G a = γ, are one linear system; DOP853 integrates
at 1e-12. Constraints are not stabilized: their drift stays below 1e-10 over these runs. Nothing here is from spacefmu.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp

GROUND = -1
X, Y, Z = np.eye(3)


def cross(a) -> np.ndarray:
    """The matrix [a]×."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn(axis, angle: float) -> np.ndarray:
    """Rotation matrix by Rodrigues' formula [rad]."""
    k = cross(np.asarray(axis, float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


def dcm_of(q) -> np.ndarray:
    """Rotation matrix of a quaternion, body axes to ground."""
    w, v = q[0], q[1:]
    return (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * cross(v)


def quaternion_of(dcm) -> np.ndarray:
    """Quaternion of a rotation matrix, by the largest of its four squares."""
    m = np.asarray(dcm, float)
    squares = np.array([1 + np.trace(m), *(1 + 2 * m[i, i] - np.trace(m) for i in range(3))])
    i = int(np.argmax(squares))
    pairs = np.array(
        [
            [squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], squares[1], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], squares[2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[3]],
        ]
    )
    return pairs[i] / np.linalg.norm(pairs[i])


@dataclass
class Body:
    """place: of the mass centre. inertia (3, 3) or (3,) about it, in body axes. rate: in body axes."""

    mass: float
    inertia: np.ndarray | Sequence[float]
    place: Sequence[float]
    dcm: np.ndarray = field(default_factory=lambda: np.eye(3))
    velocity: Sequence[float] = (0.0, 0.0, 0.0)
    rate: Sequence[float] = (0.0, 0.0, 0.0)


def solid(density: float, along, width: float, round_: bool) -> tuple[float, np.ndarray]:
    """Mass and inertia about its centre of a square or round bar of the length |along|, whose direction that is."""
    along = np.asarray(along, float)
    length = np.linalg.norm(along)
    mass = density * length * (np.pi / 4.0 if round_ else 1.0) * width**2
    axial = mass * width**2 / (8.0 if round_ else 6.0)
    across = mass * (length**2 + (0.75 if round_ else 1.0) * width**2) / 12.0
    n = along / length
    return mass, across * np.eye(3) + (axial - across) * np.outer(n, n)


class Now:
    """Bodies at an instant; a point is (body, place from its mass centre in body axes), on the ground (GROUND, place)."""

    def __init__(self, model: Model, t: float, y: np.ndarray):
        self.t, self.n = t, len(model.bodies)
        r, q, v, w = np.split(y, np.cumsum([3 * self.n, 4 * self.n, 3 * self.n]))
        self.r, self.q, self.v, self.w = r.reshape(-1, 3), q.reshape(-1, 4), v.reshape(-1, 3), w.reshape(-1, 3)
        self.R = [dcm_of(each / np.linalg.norm(each)) for each in self.q]

    def point(self, at) -> np.ndarray:
        body, s = at
        return np.asarray(s, float) if body == GROUND else self.r[body] + self.R[body] @ s

    def velocity(self, at) -> np.ndarray:
        body, s = at
        return np.zeros(3) if body == GROUND else self.v[body] + self.R[body] @ np.cross(self.w[body], s)

    def vector(self, at) -> np.ndarray:
        body, u = at
        return np.asarray(u, float) if body == GROUND else self.R[body] @ u

    def swing(self, at) -> np.ndarray:
        """Rate of a vector that is fixed in a body."""
        body, u = at
        return np.zeros(3) if body == GROUND else self.R[body] @ np.cross(self.w[body], u)

    def spin(self, body: int) -> np.ndarray:
        """Angular velocity in ground axes."""
        return np.zeros(3) if body == GROUND else self.R[body] @ self.w[body]

    def jacobian(self, at, moves: bool) -> tuple[np.ndarray, np.ndarray]:
        """ẍ = J (a, α of all bodies) + b of a point (moves) or of a vector."""
        body, s = at
        J, b = np.zeros((3, 6 * self.n)), np.zeros(3)
        if body != GROUND:
            if moves:
                J[:, 6 * body : 6 * body + 3] = np.eye(3)
            J[:, 6 * body + 3 : 6 * body + 6] = -self.R[body] @ cross(s)
            b = self.R[body] @ np.cross(self.w[body], np.cross(self.w[body], s))
        return J, b


Rows = Callable[[Now], tuple[np.ndarray, np.ndarray]]


def together(a, b) -> Rows:
    """Two points coincide."""

    def rows(now: Now):
        (Ja, ba), (Jb, bb) = now.jacobian(a, True), now.jacobian(b, True)
        return Jb - Ja, ba - bb

    return rows


def square(a, b) -> Rows:
    """Two vectors stay at a right angle."""

    def rows(now: Now):
        (Ja, ba), (Jb, bb), A, B = now.jacobian(a, False), now.jacobian(b, False), now.vector(a), now.vector(b)
        return (B @ Ja + A @ Jb)[None], -(B @ ba + A @ bb + 2.0 * now.swing(a) @ now.swing(b))[None]

    return rows


def in_plane(a, normal, b) -> Rows:
    """Point b stays in the plane through point a whose normal is fixed in a's body."""

    def rows(now: Now):
        (Ja, ba), (Jb, bb), (Jn, bn) = now.jacobian(a, True), now.jacobian(b, True), now.jacobian((a[0], normal), False)
        d, rate = now.point(b) - now.point(a), now.velocity(b) - now.velocity(a)
        N, swing = now.vector((a[0], normal)), now.swing((a[0], normal))
        return (N @ (Jb - Ja) + d @ Jn)[None], -(N @ (bb - ba) + d @ bn + 2.0 * swing @ rate)[None]

    return rows


def rod(a, b) -> Rows:
    """Two points keep their distance."""

    def rows(now: Now):
        (Ja, ba), (Jb, bb) = now.jacobian(a, True), now.jacobian(b, True)
        d, rate = now.point(b) - now.point(a), now.velocity(b) - now.velocity(a)
        return (d @ (Jb - Ja))[None], -(d @ (bb - ba) + rate @ rate)[None]

    return rows


def hinge(a, b, axis, axis_b=None) -> list[Rows]:
    """A revolute joint: points together, the axis of a square to two vectors across that of b."""
    axis_b = np.asarray(axis if axis_b is None else axis_b, float)
    across = np.cross(axis_b, X if abs(axis_b[0]) < 0.9 * np.linalg.norm(axis_b) else Y)
    return [
        together(a, b),
        square((a[0], axis), (b[0], across)),
        square((a[0], axis), (b[0], np.cross(axis_b, across))),
    ]


def upright(body: int, dcm=None) -> list[Rows]:
    """The attitude of a body stays as it is in `dcm` (ground to body columns: its axes in the ground)."""
    axes = np.eye(3) if dcm is None else np.asarray(dcm).T  # rows: axes of the body in the ground
    return [square((GROUND, axes[i]), (body, np.eye(3)[j])) for i, j in ((0, 1), (1, 2), (2, 0))]


@dataclass
class Model:
    """forces: functions (now, F (n, 3) in ground axes at mass centres, T (n, 3) in body axes), which they add to.

    redundant: rows may depend on each other.
    """

    bodies: list[Body]
    rows: list[Rows] = field(default_factory=list)
    forces: list[Callable] = field(default_factory=list)
    gravity: Sequence[float] = (0.0, 0.0, 0.0)
    redundant: bool = False

    def start(self) -> np.ndarray:
        parts = [
            np.array([b.place for b in self.bodies], float),
            np.array([quaternion_of(b.dcm) for b in self.bodies]),
            np.array([b.velocity for b in self.bodies], float),
            np.array([b.rate for b in self.bodies], float),
        ]
        return np.concatenate([part.ravel() for part in parts])

    def set_moving(self, body: int, axis, rate: float) -> None:
        """Start with a body's angular velocity about an axis of it, and what the constraints make of that."""
        n = len(self.bodies)
        wanted = np.zeros(6 * n)
        wanted[6 * body + 3 : 6 * body + 6] = axis
        now = Now(self, 0.0, self.start())
        G = np.concatenate([*(rows(now)[0] for rows in self.rows), wanted[None]])
        right = np.append(np.zeros(len(G) - 1), rate)
        found, *_ = np.linalg.lstsq(G, right, rcond=1e-12)
        assert np.linalg.matrix_rank(G) == 6 * n  # one degree of freedom
        assert np.allclose(G @ found, right)
        for each, own in zip(self.bodies, found.reshape(n, 6), strict=True):
            each.velocity, each.rate = own[:3], own[3:]

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        now = Now(self, t, y)
        n = now.n
        F = np.array([b.mass * np.asarray(self.gravity, float) for b in self.bodies])
        T, M = np.zeros((n, 3)), np.zeros((6 * n, 6 * n))
        for force in self.forces:
            force(now, F, T)
        f = np.zeros(6 * n)
        for i, b in enumerate(self.bodies):
            inertia = np.diag(b.inertia) if np.ndim(b.inertia) == 1 else np.asarray(b.inertia)
            M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = b.mass * np.eye(3)
            M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertia
            f[6 * i : 6 * i + 3], f[6 * i + 3 : 6 * i + 6] = F[i], T[i] - np.cross(now.w[i], inertia @ now.w[i])
        a = self._solved(M, f, [rows(now) for rows in self.rows]).reshape(n, 6)
        dq = 0.5 * np.array([[-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))] for q, w in zip(now.q, now.w, strict=True)])
        return np.concatenate([now.v.ravel(), dq.ravel(), a[:, :3].ravel(), a[:, 3:].ravel()])

    def _solved(self, M, f, rows) -> np.ndarray:
        if not rows:
            return np.linalg.solve(M, f)
        G, gamma = np.concatenate([row for row, _ in rows]), np.concatenate([right for _, right in rows])
        m = len(G)
        K = np.block([[M, G.T], [G, np.zeros((m, m))]])
        right = np.concatenate([f, gamma])
        found = np.linalg.lstsq(K, right, rcond=1e-10)[0] if self.redundant else np.linalg.solve(K, right)
        return found[: len(f)]

    def run(self, times, tolerance: float = 1e-12) -> list[Now]:
        """The model at `times`, from 0 s on."""
        times = np.asarray(times, float)
        end = float(times[-1])
        found = solve_ivp(
            self.rates, (0.0, end), self.start(), "DOP853", times, rtol=tolerance, atol=tolerance, max_step=end / 20.0
        )
        assert found.success, found.message
        return [Now(self, t, y) for t, y in zip(found.t, found.y.T, strict=True)]


def spring(a, b, stiffness: float, length: float = 0.0, damping: float = 0.0) -> Callable:
    """A spring with a damper along the line between two points; of zero length, its force is k times the distance."""

    def force(now: Now, F, T):
        d, rate = now.point(b) - now.point(a), now.velocity(b) - now.velocity(a)
        if length or damping:
            n = d / np.linalg.norm(d)
            pull = (stiffness * (np.linalg.norm(d) - length) + damping * (rate @ n)) * n
        else:
            pull = stiffness * d
        for (body, s), sign in ((a, 1.0), (b, -1.0)):
            if body != GROUND:
                F[body] += sign * pull
                T[body] += np.cross(s, now.R[body].T @ (sign * pull))

    return force


def at_axis(a: int, b: int, axis, moment: Callable) -> Callable:
    """A moment about an axis fixed in b, on b and against it on a: moment(angle, rate), angle of b against a about it."""

    def force(now: Now, F, T):
        n = now.vector((b, axis))
        rate = n @ (now.spin(b) - now.spin(a))
        m = moment(angle(now, a, b, axis), rate) * n
        T[b] += now.R[b].T @ m
        if a != GROUND:
            T[a] -= now.R[a].T @ m

    return force


def angle(now: Now, a: int, b: int, axis, dcm=None) -> float:
    """Angle of b against a about an axis of both (frame of a turned by `dcm`), within ±π."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    u = np.cross(axis, X if abs(axis[0]) < 0.9 else Y)
    relative = (np.eye(3) if a == GROUND else now.R[a]).T @ now.R[b]
    relative = relative if dcm is None else np.asarray(dcm).T @ relative
    return float(np.arctan2(np.cross(axis, u) @ relative @ u, u @ relative @ u))


def angles(run: list[Now], a: int, b: int, axis, dcm=None) -> np.ndarray:
    """The same over time; whole turns by the rates in between."""
    found, rate = np.array([angle(now, a, b, axis, dcm) for now in run]), spins(run, a, b, axis)
    expected = np.append(0.0, np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff([now.t for now in run])))
    return found + 2.0 * np.pi * np.round((found[0] + expected - found) / (2.0 * np.pi))


def spins(run: list[Now], a: int, b: int, axis) -> np.ndarray:
    """Rate of b against a about an axis fixed in b."""
    return np.array([now.vector((b, axis)) @ (now.spin(b) - now.spin(a)) for now in run])
