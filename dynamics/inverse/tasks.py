"""What is given of a motion: a node's position, its attitude, or a joint axis. Each asks for rows of the accelerations,

    J v̇ = ẍ_path + 2w (ẋ_path − ẋ) + w² (x_path − x) − J̇ v

exact on the path, and bringing back at w [rad/s] what integration or held inputs have left of an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algebra.rotation import cross, rotation_vector
from ..bodies.body import Node
from ..constraints.grip import End, grip
from ..tree.kinematics import Space
from .paths import NoPath


@dataclass(frozen=True)
class Asked:
    """J (r, nv) and γ (r,) of J v̇ = γ; the errors (r,) of value and rate: path less motion."""

    jacobian: np.ndarray
    gamma: np.ndarray
    error: np.ndarray
    rate_error: np.ndarray


def _following(jacobian, bias, error, rate_error, acceleration, correction) -> Asked:
    gamma = acceleration + 2.0 * correction * rate_error + correction * correction * error - bias
    return Asked(jacobian, gamma, error, rate_error)


def _from_space(space: Space, value, rate, second):
    """Acceleration in N of a point with the given motion relative to S."""
    bent = second + 2.0 * cross(space.omega, rate) + cross(space.alpha, value)
    bent = bent + cross(space.omega, cross(space.omega, value))
    return space.dcm_NS @ bent


def _into_space(space: Space, position_N, velocity_N):
    """Position and velocity relative to S, in S."""
    position = space.dcm_NS.T @ position_N
    return position, space.dcm_NS.T @ velocity_N - cross(space.omega, position)


def _spread(own, given, along):
    """`own` (3,) with the given components in place of some."""
    parts = [own[0], own[1], own[2]]
    for axis, value in zip(along, given, strict=True):
        parts[axis] = value
    return np.array(parts)


@dataclass(frozen=True)
class NodePosition:
    """A node's place follows a path in the frame of the roots (N, or O on an orbit), along some or all of its axes; a row each."""

    name: str
    body: int
    node: Node
    path: Any
    along: tuple[int, ...] = (0, 1, 2)
    unit = "m"
    quantity = "position"

    @property
    def rows(self) -> int:
        return len(self.along)

    def jacobian(self, instant):
        return (instant.space.dcm_NS.T @ instant.grip(self.body, self.node).rows[:3])[list(self.along)]

    def asked(self, instant, correction) -> Asked:
        held, space, along = instant.grip(self.body, self.node), instant.space, list(self.along)
        # components that are not given take the motion's own, so that the frame's turning is right for those that are
        own, own_rate = _into_space(space, held.position, held.velocity)
        value, rate, second = self.path.at(instant.t, instant.u)
        place, speed, bend = (
            _spread(own, value, along),
            _spread(own_rate, rate, along),
            _spread(0.0 * own, second, along),
        )
        error, rate_error = (place - own)[along], (speed - own_rate)[along]
        bend_N = _from_space(space, own, own_rate, bend)
        to_space = space.dcm_NS.T
        return _following(
            (to_space @ held.rows[:3])[along],
            (to_space @ held.bias[:3])[along],
            error,
            rate_error,
            (to_space @ bend_N)[along],
            correction,
        )


@dataclass(frozen=True)
class NodeAttitude:
    """A node's axes follow R = exp(θ̃) relative to the frame of the roots, θ(t) a rotation vector [rad]; 3 rows."""

    name: str
    body: int
    node: Node
    path: Any
    rows = 3
    unit = "rad"
    quantity = "rotation"

    def jacobian(self, instant):
        return instant.grip(self.body, self.node).rows[3:]

    def asked(self, instant, correction) -> Asked:
        held, space = instant.grip(self.body, self.node), instant.space
        theta, theta_dot, theta_ddot = self.path.at(instant.t, instant.u)
        R, gamma, gamma_dot = rotation_vector(theta, theta_dot)
        turning, bending = gamma @ theta_dot, gamma @ theta_ddot + gamma_dot @ theta_dot  # of R relative to S, in S
        omega = space.dcm_NS @ (space.omega + turning)
        alpha = space.dcm_NS @ (space.alpha + bending + cross(space.omega, turning))
        wanted = space.dcm_NS @ R
        error = 0.5 * sum(cross(held.dcm[:, a], wanted[:, a]) for a in range(3))
        return _following(held.rows[3:], held.bias[3:], error, omega - held.omega, alpha, correction)


@dataclass(frozen=True)
class JointAxis:
    """One axis of a joint follows a path; 1 row."""

    name: str
    coordinate: int
    speed: int
    path: Any
    unit: str = "rad"
    rows = 1

    @property
    def quantity(self):
        return "angle" if self.unit == "rad" else "position"

    def jacobian(self, instant):
        return np.eye(len(instant.v))[self.speed].reshape(1, -1)

    def asked(self, instant, correction) -> Asked:
        value, rate, second = self.path.at(instant.t, instant.u)
        row = self.jacobian(instant)
        error = value - instant.q[self.coordinate]
        return _following(row, np.zeros(1), error, rate - instant.v[self.speed], second, correction)


@dataclass(frozen=True)
class NoTurn:
    """A body does not turn about some or all axes of N: what a reactionless arm keeps of its base; one row each, on rates only.

    Joints that leave it alone are the null space of the coupling inertia between them and the base's turning, of dimension n − 3 (n − 1 in a plane).
    """

    name: str
    body: int
    node: Node
    about: tuple[int, ...] = (0, 1, 2)
    path: NoPath = field(default_factory=lambda: NoPath())
    unit = "rad/s"
    quantity = "turning"

    @property
    def rows(self) -> int:
        return len(self.about)

    def jacobian(self, instant):
        return instant.grip(self.body, self.node).rows[3:][list(self.about)]

    def asked(self, instant, correction) -> Asked:
        held, about = instant.grip(self.body, self.node), list(self.about)
        turning = held.omega[about]
        return Asked(held.rows[3:][about], -held.bias[3:][about] - correction * turning, -turning, -turning)


@dataclass(frozen=True)
class TaskInstant:
    """What tasks see: time, inputs, q, v, the frame of the roots, and the grips of nodes."""

    t: object
    u: object
    q: np.ndarray
    v: np.ndarray
    space: Space
    bodies: list
    V: object
    B: list

    def grip(self, body: int, node: Node):
        return grip(End(body, node), self.bodies, self.space, self.V, self.B, len(self.v))
