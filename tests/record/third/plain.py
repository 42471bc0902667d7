"""Examples of the Modelica Standard Library 4.0.0 that need no constraints, written again from its files as plain equations or closed forms."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from .rigid import X, Y, dcm_of, solid, turn


def ode(rates, start, times):
    """y(times) (n, k) of plain equations."""
    found = solve_ivp(rates, (0.0, times[-1]), start, "DOP853", times, rtol=1e-13, atol=1e-13, max_step=times[-1] / 50)
    return found.y.T


def stack(*columns) -> np.ndarray:
    return np.stack(columns, axis=1)


# Masses on springs


def hung(times, mass, weight, stiffness, length, start):
    """Length and its rate of a spring from which a mass hangs, in closed form; weight: what is carried [kg]."""
    rest, omega = length + weight * 9.80665 / stiffness, np.sqrt(stiffness / mass)
    return (
        rest + (start - rest) * np.cos(omega * np.array(times)),
        -omega * (start - rest) * np.sin(omega * np.array(times)),
    )


def spring_mass(times):
    s, v = hung(times, 1.0, 1.0, 30.0, 0.1, 0.1)
    return [stack(s, s), stack(v, v)]


def spring_with_mass(times):
    """Half a kilogram in the middle of the spring moves half as much: a quarter of it in the mass, a half in the weight."""
    s, v = hung(times, 1.0 + 0.125, 1.0 + 0.25, 40.0, 0.2, 0.3)
    return [stack(-s), stack(-v)]


# Points in central gravity


def attracted(r, mu: float):
    return -mu * r / np.linalg.norm(r, axis=-1, keepdims=True) ** 3


def _points(times, r, v, force):
    """Places and velocities (n, 4) of two points in a plane."""
    shape = np.shape(r)
    start = np.concatenate([np.ravel(r), np.ravel(v)])
    y = ode(lambda t, y: np.concatenate([y[4:], force(y[:4].reshape(shape)).ravel()]), start, times)
    return [y[:, :4], y[:, 4:]]


def point_gravity(times):
    return _points(times, [[0.0, 0.6], [0.6, 0.6]], [[1.0, 0.0], [0.6, 0.0]], lambda r: attracted(r, 1.0))


def point_masses(times):
    def force(r):
        pull = 10.0 * (r[1] - r[0])
        return attracted(r, 1.0) + np.array([pull, -pull])

    return _points(times, [[0.0, 0.8], [0.3, 0.8]], [[0.6, 0.0], [0.6, 0.0]], force)


# Rotors and linear drives


def gyroscopic_wheel(times):
    """The arm with the cylinder welded to it, and a rotor: I ω' + J e s' + ω × (I ω + J e s) = τ, s' + e · ω' = 0."""
    tilted = turn(Y, np.radians(45.0))
    (m1, i1), (m2, i2) = solid(7700.0, 0.25 * X, 0.05, True), solid(7700.0, 0.2 * X, 0.1, True)
    e, spin = tilted @ X, i2[0, 0]
    steiner = m1 * 0.125**2 + m2 * 0.25**2
    inertia = i1 + tilted @ i2 @ tilted.T + steiner * (np.eye(3) - np.outer(X, X))
    K = np.block([[inertia, spin * e[:, None]], [e[None], np.ones((1, 1))]])

    def rates(t, y):
        q, w, s = y[:4], y[4:7], y[7]
        moment = (m1 * 0.125 + m2 * 0.25) * np.cross(X, dcm_of(q / np.linalg.norm(q)).T @ [0.0, -9.80665, 0.0])
        right = np.append(moment - np.cross(w, inertia @ w + spin * e * s), 0.0)
        dq = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([dq, np.linalg.solve(K, right)])

    y = ode(rates, [1.0, 0, 0, 0, 0, 0, 0, 10.0], times)
    return [y[:, 4:7], y[:, 7:]]


def actuated_drive(times):
    t = np.array(times)
    return [
        stack(t / (4 * np.pi) - np.sin(2 * np.pi * t) / (8 * np.pi**2)),
        stack((1.0 - np.cos(2 * np.pi * t)) / (4 * np.pi)),
    ]


def drive_train(times):
    """Shaft with the motor behind a gear of 10 (2 + 0.1 · 10² kg m²), spring, load."""

    def rates(t, y):
        shaft, load, v, w = y
        torque = 1e4 * (load - shaft)
        return [v, w, (100.0 * np.sin(10 * np.pi * t) + torque - 10.0 * v) / 12.0, -torque / 2.0]

    y = ode(rates, np.zeros(4), times)
    return [y[:, :1], y[:, 2:]]


def oscillator(times):
    def rates(t, y):
        force = np.sin(31.831 * np.pi * t)
        return [y[2], y[3], force - 1e4 * y[0], force - 1e4 * y[1] - 10.0 * y[3]]

    y = ode(rates, np.zeros(4), times)
    return [y[:, :2], y[:, 2:]]


def two_masses(times):
    def rates(t, y):
        x, r, v, w = y
        link = 111.0 * r + w
        a = link - 1e3 * (x - 0.5)
        return [v, w, a, -link - a]

    y = ode(rates, np.zeros(4), times)
    return [y[:, :2], y[:, 2:]]


CASES = {
    f"modelica/{each.__name__}": each
    for each in (
        *(spring_mass, spring_with_mass, point_gravity, point_masses, gyroscopic_wheel, actuated_drive, drive_train),
        *(oscillator, two_masses),
    )
}
