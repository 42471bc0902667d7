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


def dampers(times):
    """Distance from 1 m at −10 m/s: x'' = −25 x', and x'' = −25 x' − (x − 1) with its two decays."""
    t = np.array(times)
    slow, fast = np.roots([1.0, 25.0, 1.0])[::-1]
    share = -10.0 / (fast - slow)
    free, held = 1.0 - 0.4 * (1.0 - np.exp(-25.0 * t)), 1.0 + share * (np.exp(fast * t) - np.exp(slow * t))
    rate = share * (fast * np.exp(fast * t) - slow * np.exp(slow * t))
    return [stack(free, held, held), stack(-10.0 * np.exp(-25.0 * t), rate, rate)]


def arrows(times):
    """x'' = −11 (x + 0.9) from rest at 0."""
    t, omega = np.array(times), np.sqrt(11.0)
    return [stack(-0.9 * (1.0 - np.cos(omega * t))), stack(-0.9 * omega * np.sin(omega * t))]


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


def pushed_mass(times):
    """x'' = 10 sin 8πt from rest."""
    t, omega = np.array(times), 8 * np.pi
    return [stack(10.0 / omega * (t - np.sin(omega * t) / omega)), stack(10.0 / omega * (1.0 - np.cos(omega * t)))]


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


# Two wheels on an axle that roll


def _wheel_set(times, load):
    """Axle with a body 0.2 m before it: forward speed u and turning rate w; load(t, φ): force forward [N] and moment [N m].

    3.01 u' = F + m d w², 0.2289 w' = N − m d u w, with m d = 0.01 · 0.2; masses with what the wheels' spin adds.
    """
    wheel, near, arm = 0.01 / 0.1**2, 0.25, 0.01 * 0.2
    mass = 2 * 0.5 + 0.01 + 2 * wheel
    inertia = 2 * (0.02 + 0.5 * near**2) + 0.001 + 0.01 * 0.2**2 + 2 * wheel * near**2

    def rates(t, y):
        phi, u, w = y[2], y[5], y[6]
        force, moment = load(t, phi)
        turned = [u * np.cos(phi), u * np.sin(phi), w, (u - near * w) / 0.1, (u + near * w) / 0.1]
        return [*turned, (force + arm * w**2) / mass, (moment - arm * u * w) / inertia]

    y = ode(rates, [0.1, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0], times)
    u, w = y[:, 5], y[:, 6]
    return [y[:, :2], y[:, 2:3], y[:, 3:5], stack((u - near * w) / 0.1, (u + near * w) / 0.1)]


def wheel_set_driven(times):
    """Torques −2 sin 2πt and −2 cos 2πt on the wheels."""

    def load(t, _phi):
        first, second = -2.0 * np.sin(2 * np.pi * t), -2.0 * np.cos(2 * np.pi * t)
        return (first + second) / 0.1, 0.25 * (second - first) / 0.1

    return _wheel_set(times, load)


def wheel_set_pulled(times):
    """A force on the body, fixed in space: 1 N along x, from 1 to 2 s turned into 2 N along y."""

    def load(t, phi):
        share = np.clip(t - 1.0, 0.0, 1.0)
        x, y = 1.0 - share, 2.0 * share
        return x * np.cos(phi) + y * np.sin(phi), 0.2 * (y * np.cos(phi) - x * np.sin(phi))

    return _wheel_set(times, load)


CASES = {
    f"modelica/{each.__name__}": each
    for each in (
        *(
            spring_mass,
            spring_with_mass,
            dampers,
            arrows,
            point_gravity,
            point_masses,
            gyroscopic_wheel,
            actuated_drive,
            drive_train,
        ),
        *(oscillator, two_masses, wheel_set_driven, wheel_set_pulled, pushed_mass),
    )
}
