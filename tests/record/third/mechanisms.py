"""Models of EXUDYN's test suite, and loops of the Modelica Standard Library, written again: free bodies with constraints, or plain equations."""

from __future__ import annotations

import numpy as np

from .orbits import kepler
from .plain import ode, stack
from .rigid import GROUND, Body, Model, X, Y, Z, angles, dcm_of, hinge, in_plane, solid, spins, turn, upright


def exudyn_bricard(times):
    """Five rods of 1 m, 1 kg and 0.1 m × 0.1 m, six hinges: how far all places and quaternions of their frames have moved, as a norm."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    right = 0.5 * np.pi
    turned = [np.eye(3), turn(Z, -right), turn(Y, -right), turn(Z, 2 * right), turn(Z, right)]
    inertia = np.array([0.02, 1.01, 1.01]) / 12.0
    model = Model([Body(1.0, inertia, p + R @ (0.5 * X), R) for p, R in zip(corners, turned, strict=False)])
    model.gravity, model.redundant = (0.0, -9.81, 0.0), True
    for i, axis in enumerate((Y, Z, X, Y, Z, X)):
        before, after = (
            (i - 1, 0.5 * X) if i else (GROUND, corners[0]),
            (i, -0.5 * X) if i < 5 else (GROUND, corners[5]),
        )
        own = [axis if body == GROUND else turned[body].T @ axis for body, _ in (before, after)]
        model.rows += hinge(before, after, *own)
    run = model.run(times, 1e-11)

    def coordinates(now):
        signs = [np.sign(q @ first) for q, first in zip(now.q, run[0].q, strict=True)]
        return np.array([[*now.point((i, -0.5 * X)), *(signs[i] * now.q[i])] for i in range(5)])

    return [stack([np.linalg.norm(coordinates(now) - coordinates(run[0])) for now in run])]


def exudyn_heavy_top(times):
    """Euler's equations about the fixed point: 15 kg, 1 m away along y; the angular velocity about y of the ground."""
    moments, start = np.array([0.234375 + 15.0, 0.46875, 0.234375 + 15.0]), [0.0, 150.0, -4.61538]

    def rates(t, y):
        q, w = y[:4], y[4:]
        up = np.array(
            [2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), 1 - 2 * (q[1] ** 2 + q[2] ** 2)]
        )
        dq = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([dq, (np.cross(Y, -15.0 * 9.81 * up) - np.cross(w, moments * w)) / moments])

    y = ode(rates, [1.0, 0, 0, 0, *start], times)
    about_y = stack([(dcm_of(q / np.linalg.norm(q)) @ w)[1] for q, w in zip(y[:, :4], y[:, 4:], strict=True)])
    return [about_y]


def exudyn_gravity(times):
    """A circular orbit of 1000 km about 10²⁰ kg: x + y."""
    mu, radius = 6.6743e-11 * 1e20, 1e6
    places, _ = kepler(mu, radius * X, np.sqrt(mu / radius) * Y, times)
    return [stack(places.sum(axis=1))]


def iftomm_four_bar(times):
    """Three cranks and two couplers, all 1 kg and 1 m; couplers do not turn: (1 + 2) θ'' = −(3/2 + 2) g cos θ from 90° at −1 rad/s."""
    y = ode(lambda t, y: [y[1], -3.5 / 3.0 * 9.81 * np.cos(y[0])], [0.5 * np.pi, -1.0], times)
    return [y[:, :1], y[:, 1:]]


def engine(times):
    """Crank with flywheel, rod and piston of Engine1a; the crank's four parts as one body that turns about x."""
    parts = [(solid(7700.0, 0.1 * X, 0.05, True), 0.05 * X), (solid(7700.0, 0.1 * X, 0.03, True), 0.15 * X + 0.1 * Y)]
    web = 7700.0 * 0.1 * 0.02 * 0.05
    parts += [((web, web / 12.0 * np.diag([0.1**2 + 0.05**2, 0.0, 0.0])), x * X + 0.05 * Y) for x in (0.1, 0.2)]
    mass = sum(m for (m, _), _ in parts)
    centre = sum(m * c for (m, _), c in parts) / mass
    about_x = sum(inertia[0, 0] + m * ((c - centre)[1] ** 2) for (m, inertia), c in parts) + 1.0
    rod = 7700.0 * 0.2 * 0.02 * 0.06
    across = rod / 12.0 * np.array([0.2**2 + 0.06**2, 0.02**2 + 0.06**2, 0.2**2 + 0.02**2])
    m, inertia = solid(7700.0, -0.1 * Y, 0.1, True)
    pin, middle = np.array([0.15, 0.1, 0.0]), np.array([0.15, 0.2, 0.0])
    model = Model(
        [Body(mass, [about_x, 1.0, 1.0], centre), Body(rod, across, middle), Body(m, inertia, [0.15, 0.35, 0.0])]
    )
    model.gravity, model.redundant = (0.0, -9.80665, 0.0), True
    model.rows = [*hinge((GROUND, 0 * X), (0, -centre), X), *hinge((0, pin - centre), (1, pin - middle), X)]
    model.rows += [*hinge((1, 0.1 * Y), (2, -0.05 * Y), X), *upright(2)]
    model.rows += [in_plane((GROUND, 0.15 * X), n, (2, 0 * X)) for n in (X, Z)]
    model.set_moving(0, X, 10.0)
    run = model.run(times)
    return [stack(angles(run, GROUND, 0, X)), stack(spins(run, GROUND, 0, X))]


CASES = {
    **{f"multibody/{each.__name__}": each for each in (exudyn_bricard, exudyn_heavy_top, iftomm_four_bar)},
    "orbit/exudyn_gravity": exudyn_gravity,
    "modelica/engine": engine,
}
