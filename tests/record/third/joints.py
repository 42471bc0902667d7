"""Project Chrono's pendulums, which MSC ADAMS ran, and EXUDYN's test models, written again: free bodies with constraints, or plain equations."""

from __future__ import annotations

import numpy as np

from .plain import ode, stack
from .rigid import (
    GROUND,
    Body,
    Model,
    X,
    Y,
    Z,
    angles,
    dcm_of,
    hinge,
    quaternion_of,
    rod,
    square,
    together,
    turn,
)

WEIGHT = (0.0, 0.0, -9.80665)
# A bar of 1 kg: 0.04 kg m² along it, 0.1 kg m² across it, its mass centre 2 m from the joint
ALONG_X, ALONG_Y, ALONG_Z = [0.04, 0.1, 0.1], [0.1, 0.04, 0.1], [0.1, 0.1, 0.04]


def _bar(times, inertia, place, dcm, rows, forces=()):
    """Place, velocity, attitude and angular velocity in ground axes of a bar that falls."""
    run = Model([Body(1.0, inertia, place, dcm)], rows, list(forces), WEIGHT).run(times)
    return [
        np.array([now.r[0] for now in run]),
        np.array([now.v[0] for now in run]),
        np.array([now.q[0] / np.linalg.norm(now.q[0]) for now in run]),
        np.array([now.spin(0) for now in run]),
    ]


def distance_2(times):
    return _bar(times, ALONG_X, [-1.0, 4.0, 3.0], np.eye(3), [rod((GROUND, [1.0, 2.0, 3.0]), (0, 2.0 * X))])


def distance_3(times):
    return _bar(times, ALONG_X, [0.0, 4.0, 0.0], turn(Z, -np.pi / 2), [rod((GROUND, 0 * X), (0, 2.0 * X))])


def _on_link(times, at, axis):
    """A massless link of 2 m turns about an axis and carries the bar by a ball joint: it keeps its length and stays square to the axis."""
    at, axis, end = np.asarray(at, float), np.asarray(axis, float), (0, -2.0 * Y)

    def across(now):
        J, b = now.jacobian(end, True)
        return (axis @ J)[None], -(axis @ b)[None]

    return _bar(times, ALONG_Y, at + 2.0 * X + 2.0 * Y, np.eye(3), [rod((GROUND, at), end), across])


def revolute_spherical_1(times):
    return _on_link(times, [0.0, 0.0, 0.0], Z)


def revolute_spherical_2(times):
    return _on_link(times, [1.0, 2.0, 3.0], (Y + Z) / np.sqrt(2.0))


def _sprung_hinge(times, torque):
    """(0.1 + 1 · 2²) φ'' = 2 g cos φ − torque(φ) − 10 φ' about y, from the horizontal."""
    y = ode(
        lambda t, y: [y[1], (2 * 9.80665 * np.cos(y[0]) - torque(y[0]) - 10.0 * y[1]) / 4.1],
        [0.0, 0.0],
        times,
    )
    place = [2.0 * (turn(Y, phi) @ X) for phi in y[:, 0]]
    velocity = [rate * np.cross(Y, r) for r, rate in zip(place, y[:, 1], strict=True)]
    attitude = [quaternion_of(turn(Y, phi) @ turn(X, -np.pi / 2)) for phi in y[:, 0]]
    return [np.array(place), np.array(velocity), np.array(attitude), np.outer(y[:, 1], Y)]


def rotational_spring(times):
    return _sprung_hinge(times, lambda phi: 200.0 * phi)


def rotational_spring_2(times):
    return _sprung_hinge(times, lambda phi: (50.0 + 10.0 * abs(phi)) * phi)


def _on_stiffening_spring(times, ground, place, dcm):
    """The end of a bar hangs on a spring of 2 m: 50 δ + 10 |δ| δ + 5 δ'."""
    end = (0, 2.0 * X)

    def pull(now, F, T):
        d = now.point(end) - ground
        length = np.linalg.norm(d)
        n, stretch = d / length, length - 2.0
        force = -(50.0 * stretch + 10.0 * abs(stretch) * stretch + 5.0 * (n @ now.velocity(end))) * n
        F[0] += force
        T[0] += np.cross(end[1], now.R[0].T @ force)

    return _bar(times, ALONG_X, place, dcm, [], [pull])


def spring_3(times):
    return _on_stiffening_spring(times, np.array([1.0, 2.0, 3.0]), [-1.0, 4.0, 3.0], np.eye(3))


def spring_4(times):
    return _on_stiffening_spring(times, np.zeros(3), [0.0, 4.0, 0.0], turn(Z, -np.pi / 2))


def spherical_1(times):
    return _bar(times, ALONG_X, 2.0 * X, np.eye(3), [together((GROUND, 0 * X), (0, -2.0 * X))])


def _universal(times, dcm):
    """The first axis is x of the frame at the start, in the ground; the second is y of the bar."""
    rows = [together((GROUND, 0 * X), (0, 2.0 * Z)), square((GROUND, dcm @ X), (0, Y))]
    return _bar(times, ALONG_Z, dcm @ (-2.0 * Z), dcm, rows)


def universal_1(times):
    return _universal(times, turn(X, np.pi / 2))


def universal_2(times):
    return _universal(times, turn(Y, np.pi / 2))


def universal_3(times):
    return _universal(times, dcm_of(np.array([np.sqrt(0.5), 0.5, -0.5, 0.0])))


# EXUDYN: one value each, after 1 s


def exudyn_distance(times):
    """A mass on a rod of 1 m, let go level: φ'' = −9.81 cos φ."""
    return [stack(np.cos(ode(lambda t, y: [y[1], -9.81 * np.cos(y[0])], [0.0, 0.0], times)[:, 0]))]


def exudyn_double_pendulum(times):
    down = -9.81 / np.sqrt(2.0) * (X + Y)
    out = 0.8 / np.sqrt(2.0) * (X - Y)
    model = Model([Body(2.5, [1.0] * 3, out), Body(2.5, [1.0] * 3, 2 * out)], gravity=down)
    model.rows = [rod((GROUND, 0 * X), (0, 0 * X)), rod((0, 0 * X), (1, 0 * X))]
    return [stack([now.r[0][0] for now in model.run(times)])]


def _pushed(times):
    """x'' + 20 x' + 2000 x = 1 from rest."""
    t, decay, omega = np.array(times), 10.0, np.sqrt(2000.0 - 100.0)
    return [stack((1.0 - np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))) / 2000.0)]


def exudyn_spring_damper(times):
    """x'' + x' + 100 (x − 1) = 0 from 1.05 m."""
    t, decay, omega = np.array(times), 0.5, np.sqrt(100.0 - 0.25)
    return [stack(1.0 + 0.05 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t)))]


def exudyn_pendulum(times):
    """(0.841667 + 10 · 0.25) φ'' = −10 · 9.81 · 0.5 cos φ."""
    inertia = 10.0 * (1.0 + 0.01) / 12.0 + 2.5
    return [ode(lambda t, y: [y[1], -49.05 * np.cos(y[0]) / inertia], [0.0, 0.0], times)[:, :1]]


def exudyn_tree(times):
    """Five bars of 2 m, 20 kg and 0.1 m × 0.1 m hang on each other by hinges about their z axes, each turned against the last."""
    up, over = turn(X, np.pi / 2), turn(Y, np.pi / 4)
    turned = [np.eye(3), up @ over, up @ over, over, up @ over]
    inertia = 20.0 / 12.0 * np.array([0.02, 4.01, 4.01])
    model, dcm, start = Model([], gravity=(0.0, -10.0, 0.0)), np.eye(3), np.zeros(3)
    for i, relative in enumerate(turned):
        dcm = dcm @ relative
        model.bodies.append(Body(20.0, inertia, start + dcm @ X, dcm))
        before = (i - 1, X) if i else (GROUND, 0 * X)
        model.rows += hinge(before, (i, -X), relative @ Z, Z)
        start = start + 2.0 * (dcm @ X)
    run = model.run([0.0, *np.linspace(0.1, times[-1], 10)])
    total = sum(angles(run, i - 1 if i else GROUND, i, Z, relative)[-1] for i, relative in enumerate(turned))
    return [np.array([[total]])]


CASES = {
    **{f"adams/{each.__name__}": each for each in (distance_2, distance_3, revolute_spherical_1, revolute_spherical_2)},
    **{
        f"adams/{each.__name__}": each
        for each in (rotational_spring, rotational_spring_2, spring_3, spring_4, spherical_1)
    },
    **{f"adams/{each.__name__}": each for each in (universal_1, universal_2, universal_3)},
    **{f"multibody/{each.__name__}": each for each in (exudyn_distance, exudyn_double_pendulum, exudyn_spring_damper)},
    **{f"multibody/{each.__name__}": each for each in (exudyn_pendulum, exudyn_tree)},
    "multibody/exudyn_linear_spring": _pushed,
    "multibody/exudyn_torsional_spring": _pushed,
}
