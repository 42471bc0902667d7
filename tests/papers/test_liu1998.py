"""[liu1998] sections 1 and 3: one body by points and vectors, against sums over its mass points and against Newton and Euler."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.natural import planar, spatial

# numbers are of order one to ten
CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def rigid_motion(rng, rho, dimension):
    """Positions, velocities and the rest of a random rigid motion of the points rho (P, d) about a moving origin."""
    origin, velocity = rng.normal(size=(2, dimension))
    if dimension == 2:
        angle, rate = rng.normal(size=2)
        R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        turn = rate * np.array([[0.0, -1.0], [1.0, 0.0]])
        return R, turn, rate, origin + rho @ R.T, velocity + rho @ R.T @ turn.T
    R = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
    omega = rng.normal(size=3)
    turn = np.array([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])
    return R, turn, omega, origin + rho @ R.T, velocity + rho @ R.T @ turn.T


class Plane:
    """A random body of mass points in the plane, its two reference points last, moving."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.m = np.append(rng.uniform(0.5, 2.0, 7), [0.0, 0.0])
        rho = rng.normal(size=(9, 2))
        center = self.m @ rho / self.m.sum()
        J = float(self.m @ np.sum((rho - center) ** 2, axis=1))
        self.body = planar.planar_body(rho[-2], rho[-1], center, self.m.sum(), J)
        self.numbers = np.array([planar.planar_body(rho[-2], rho[-1], p, 1.0, 1.0).center for p in rho])
        self.turn_matrix, self.omega, self.r, self.v = rigid_motion(rng, rho, 2)[1:]
        self.q, self.q_dot = self.r[-2:].ravel(), self.v[-2:].ravel()


class Space:
    """The same in space: points i and j last but one, u the line from i to the last point, at any angle to r_ij."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.m = np.append(rng.uniform(0.5, 2.0, 7), [0.0, 0.0, 0.0])
        rho = rng.normal(size=(10, 3))
        center = self.m @ rho / self.m.sum()
        arm = rho - center
        second = np.einsum("p,pi,pj->ij", self.m, arm, arm)
        tensor = np.trace(second) * np.eye(3) - second
        i, j, u = rho[-3], rho[-2], rho[-1] - rho[-3]
        self.body = spatial.spatial_body(i, j, u, center, self.m.sum(), tensor)
        self.numbers = np.array([spatial.spatial_body(i, j, u, p, 1.0, np.eye(3)).center for p in rho])
        self.R, self.turn_matrix, self.omega, self.r, self.v = rigid_motion(rng, rho, 3)
        self.q = np.concatenate([self.r[-3], self.r[-2], self.r[-1] - self.r[-3]])
        self.q_dot = np.concatenate([self.v[-3], self.v[-2], self.v[-1] - self.v[-3]])


@pytest.fixture(params=range(3))
def plane(request):
    return Plane(request.param)


@pytest.fixture(params=range(3))
def space(request):
    return Space(request.param)


def test_points_of_the_plane(plane):
    """(5), (7), (8): every point is a fixed combination of the two."""
    assert np.allclose([planar.point_map(c) @ plane.q for c in plane.numbers], plane.r, **CLOSE)
    assert np.allclose(planar.point_map(plane.body.center) @ plane.q, plane.m @ plane.r / plane.m.sum(), **CLOSE)


def test_momenta_of_the_plane(plane):
    """(10)–(15): Φ, G and Ψ; 'a2' of the print is a₂ in some places and a² in others."""
    cross_2 = plane.r[:, 0] * plane.v[:, 1] - plane.r[:, 1] * plane.v[:, 0]
    assert np.allclose(planar.momentum_map(plane.body) @ plane.q_dot, plane.m @ plane.v, **CLOSE)
    assert np.allclose(planar.rate_map(plane.body, plane.q) @ plane.q_dot, plane.omega, **CLOSE)
    assert np.allclose(planar.angular_momentum_map(plane.body, plane.q) @ plane.q_dot, plane.m @ cross_2, **CLOSE)
    assert np.allclose(planar.constraints(plane.body, plane.q), 0.0, **CLOSE)


def test_mass_matrix_of_the_plane(plane):
    energy = 0.5 * plane.q_dot @ planar.mass_matrix(plane.body) @ plane.q_dot
    assert energy == pytest.approx(0.5 * plane.m @ np.sum(plane.v**2, axis=1), rel=1e-13)


def test_dynamics_of_the_plane(plane):
    """(16) under a force and a moment, against Newton and Euler at the mass centre."""
    force, moment = np.array([1.3, -0.7]), 0.9
    center = plane.m @ plane.r / plane.m.sum()
    a_center = force / plane.m.sum()
    alpha = (moment - (center[0] * force[1] - center[1] * force[0])) / plane.body.inertia
    arm = plane.r[-2:] - center
    expected = a_center + alpha * arm @ np.array([[0.0, 1.0], [-1.0, 0.0]]) - plane.omega**2 * arm
    found = planar.accelerations(plane.body, plane.q, plane.q_dot, force, moment)
    assert np.allclose(found, expected.ravel(), **CLOSE)


def test_points_of_space(space):
    """(26)–(32): axes, and every point as C q; C depends on u through the auxiliary vector."""
    R = spatial.axes(space.body, space.q)
    assert np.allclose(R.T @ R, np.eye(3), **CLOSE)
    assert np.allclose([spatial.point_map(space.body, space.q, c) @ space.q for c in space.numbers], space.r, **CLOSE)
    moving = [spatial.velocity_map(space.body, space.q, c) @ space.q_dot for c in space.numbers]
    assert np.allclose(moving, space.v, **CLOSE)


def test_momenta_of_space(space):
    """(33)–(39) with the corrections: factor of Φ's first block, signs of G, Ψ̂ = RĴG."""
    body, q, q_dot = space.body, space.q, space.q_dot
    R = spatial.axes(body, q)
    assert np.allclose(spatial.momentum_map(body, q) @ q_dot, space.m @ space.v, **CLOSE)
    assert np.allclose(spatial.rate_map(body, q) @ q_dot, R.T @ space.omega, **CLOSE)
    spin = space.m @ np.cross(space.r, space.v)
    assert np.allclose(spatial.angular_momentum_map(body, q) @ q_dot, spin, **CLOSE)
    assert np.allclose(spatial.constraints(body, q), 0.0, **CLOSE)
    assert np.allclose(spatial.constraint_rows(q) @ q_dot, 0.0, **CLOSE)


def test_mass_matrix_of_space(space):
    energy = 0.5 * space.q_dot @ spatial.mass_matrix(space.body, space.q) @ space.q_dot
    assert energy == pytest.approx(0.5 * space.m @ np.sum(space.v**2, axis=1), rel=1e-13)


def test_dynamics_of_space(space):
    """(40), (41) under a force and a moment, against Newton and Euler at the mass centre."""
    force, moment = np.array([1.3, -0.7, 0.4]), np.array([0.9, 0.2, -0.5])
    center = space.m @ space.r / space.m.sum()
    R = spatial.axes(space.body, space.q)
    J = R @ space.body.inertia @ R.T
    alpha = np.linalg.solve(J, moment - np.cross(center, force) - np.cross(space.omega, J @ space.omega))

    def acceleration(arm):
        return np.cross(alpha, arm) + np.cross(space.omega, np.cross(space.omega, arm))

    i, j, end = space.r[-3:] - center
    a_center = force / space.m.sum()
    expected = np.concatenate([a_center + acceleration(i), a_center + acceleration(j), acceleration(end - i)])
    found = spatial.accelerations(space.body, space.q, space.q_dot, force, moment)
    assert np.allclose(found, expected, **CLOSE)


def test_the_print_is_wrong_where_we_say_so(space):
    """(35) and (37) as printed miss by numbers of order one: the comparisons above could not pass with them."""
    body, q, q_dot = space.body, space.q, space.q_dot
    R = spatial.axes(body, q)
    printed = R @ body.inertia @ R.T @ spatial.rate_map(body, q)
    center = spatial.point_map(body, q, body.center) @ q
    spin = printed @ q_dot + np.cross(center, spatial.momentum_map(body, q) @ q_dot)
    assert np.max(np.abs(spin - space.m @ np.cross(space.r, space.v))) > 0.1
