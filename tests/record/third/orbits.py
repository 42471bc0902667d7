"""Orbits, tethers and satellites: Kepler's motion in closed form, two-body equations with drag, J2 or thrust, rods and reels in orbit."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from .plain import ode, stack
from .rigid import GROUND, Body, Model, X, Z, angles, at_axis, hinge, quaternion_of

EGM, WGS = 398600.4415e9, 398600.4418e9  # gravitational parameters [m³/s²]


def kepler(mu: float, r0, v0, times):
    """Places and velocities of an ellipse by Lagrange's f and g and the difference of eccentric anomalies."""
    r0, v0 = np.asarray(r0, float), np.asarray(v0, float)
    size = np.linalg.norm(r0)
    a = 1.0 / (2.0 / size - v0 @ v0 / mu)
    n, s = np.sqrt(mu / a**3), (r0 @ v0) / np.sqrt(mu * a)

    def moved(t):
        mean = n * t
        late = lambda E: E + s * (1.0 - np.cos(E)) - (1.0 - size / a) * np.sin(E) - mean  # noqa: E731
        E = brentq(late, mean - 2.0, mean + 2.0, xtol=1e-15, rtol=1e-15) if t else 0.0
        E -= late(E) / (1.0 + s * np.sin(E) - (1.0 - size / a) * np.cos(E))
        f, g = 1.0 - a / size * (1.0 - np.cos(E)), t + (np.sin(E) - E) / n
        r = f * r0 + g * v0
        far = np.linalg.norm(r)
        return r, -np.sqrt(mu * a) / (far * size) * np.sin(E) * r0 + (1.0 - a / far * (1.0 - np.cos(E))) * v0

    both = [moved(t) for t in times]
    return np.array([r for r, _ in both]), np.array([v for _, v in both])


def stk_two_body(times):
    return kepler(EGM, [7e6, 0, 0], [0.0, 5335.865450622126, 5335.865450622126], times)


def gmat_two_body(times):
    r0 = [-1514668.94081025, -192084.1214914, 6831711.45843687]
    return kepler(EGM, r0, [-6348.079187605, 3867.582492698, -1297.176104429], times)


def _vvlh(r0, v0):
    """Place, attitude and rate of the frame with z towards the centre and y against the orbit's normal."""

    def case(times):
        places, velocities = kepler(EGM, r0, v0, times)
        attitudes, rates = [], []
        for r, v in zip(places, velocities, strict=True):
            h = np.cross(r, v)
            z, y = -r / np.linalg.norm(r), -h / np.linalg.norm(h)
            attitudes.append(quaternion_of(np.stack([np.cross(y, z), y, z], axis=1)))
            rates.append([0.0, -np.linalg.norm(h) / (r @ r), 0.0])
        return [places, np.array(attitudes), np.array(rates)]

    return case


def _drag(density: float, height: float, scale: float, radius: float, speed: float):
    """A sphere of 100 kg, 1 m² and cD = 2.1 in air that turns with the Earth and thins exponentially; start on the x axis."""

    def rates(t, y):
        r, v = y[:2], y[2:]
        wind = v - 7.292115146706979e-05 * np.array([-r[1], r[0]])
        air = density * np.exp(-(np.linalg.norm(r) - 6378137.0 - height) / scale)
        return [*v, *(-EGM * r / np.linalg.norm(r) ** 3 - 0.5 * air * 2.1 / 100.0 * np.linalg.norm(wind) * wind)]

    def case(times):
        y = ode(rates, [radius, 0.0, 0.0, speed], times)
        return [y[:, :2], y[:, 2:]]

    return case


# Satellites of Basilisk's unit tests

PLACE, VELOCITY = (
    [-4020338.690396649, 7490566.741852513, 5248299.211589362],
    [-5199.77710904224, -3436.681645356935, 1041.576797498721],
)


def basilisk_translation(times):
    return kepler(EGM, PLACE, VELOCITY, times)[:1]


def basilisk_inertial_force(times):
    push = np.array([-1.0, -0.5, 0.5]) / 750.0
    rates = lambda t, y: np.concatenate([y[3:], push - EGM * y[:3] / np.linalg.norm(y[:3]) ** 3])  # noqa: E731
    return [ode(rates, [*PLACE, *VELOCITY], times)[:, :3]]


def basilisk_body_torque(times):
    inertia, torque = np.array([900.0, 800.0, 600.0]), np.array([-1.0, 1.0, -1.0])
    sigma = np.array([0.1, 0.2, -0.3])  # modified Rodrigues parameters
    start = np.array([1.0 - sigma @ sigma, *(2.0 * sigma)]) / (1.0 + sigma @ sigma)

    def rates(t, y):
        q, w = y[:4], y[4:]
        dq = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([dq, (torque - np.cross(w, inertia * w)) / inertia])

    q = ode(rates, [*start, 0.001, -0.01, 0.03], times)[:, :4]
    return [q / np.linalg.norm(q, axis=1, keepdims=True)]


def basilisk_hinged_panels(times):
    """Forces in hub axes that push it: from 0 to 5 s and from 11 to 18 s."""
    model = Model([Body(750.0, [900.0, 800.0, 600.0], [0.0, 0.0, 0.0])])
    for side in (1.0, -1.0):
        number, edge = len(model.bodies), np.array([0.5 * side, 1.0, 0.0])
        model.bodies.append(Body(100.0, [100.0, 50.0, 50.0], edge + 1.5 * side * X))
        model.rows += hinge((0, edge), (number, -1.5 * side * X), Z)
        model.forces.append(at_axis(0, number, Z, lambda angle, rate: -5000.0 * angle - 75.0 * rate))

    def push(now, F, T):
        force, torque = (
            ([0.2, 0.7, 0.0], 0.035) if push.first else ([0.0, 1.0, 0.0], -0.03) if push.second else (0 * X, 0)
        )
        F[0] += now.R[0] @ force
        T[0] += torque * Z

    model.forces.append(push)
    found = {}
    for begin, end, push.first, push.second in ((0, 5, 1, 0), (5, 11, 0, 0), (11, 18, 0, 1), (18, 20, 0, 0)):
        asked = [t - begin for t in times if begin < t < end]
        run = model.run([0.0, *asked, float(end - begin)])
        found.update({begin + now.t: now for now in run})
        for i, body in enumerate(model.bodies):
            last = run[-1]
            body.place, body.dcm, body.velocity, body.rate = last.r[i], last.R[i], last.v[i], last.w[i]
    run = [found[min(found, key=lambda at: abs(at - t))] for t in times]
    return [
        np.array([now.r[0][:2] for now in run]),
        stack(angles(run, GROUND, 0, Z)),
        stack(angles(run, 0, 1, Z), angles(run, 0, 2, Z)),
    ]


# In the frame of a circular orbit of 6871 km: x outward, y along track

RADIUS = 6871e3
MOTION = np.sqrt(WGS / RADIUS**3)


def clohessy_wiltshire(times):
    """A chaser on its own ellipse, seen from the turning frame of its target."""
    place, drift = np.array([100.0, 200.0, 50.0]), np.array([0.02, -2 * MOTION * 100.0, 0.05])
    spin = MOTION * Z
    r, _ = kepler(WGS, RADIUS * X + place, drift + np.cross(spin, RADIUS * X + place), times)
    seen = [_turned(-MOTION * t) @ each - RADIUS * X for t, each in zip(times, r, strict=True)]
    return [np.array(seen)]


def _turned(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])


def _pair(times, upper, rate, length):
    """Upper one of two masses of 100 kg at a given distance l(t), each attracted by Kepler's force, in the orbital frame.

    The tension is what keeps d² = l²: d · d'' + d'² = l l'' + l'².
    """

    def rates(t, y):
        r, v = y[:4].reshape(2, 2), y[4:].reshape(2, 2)
        a = -WGS * r / np.linalg.norm(r, axis=1, keepdims=True) ** 3
        d, w = r[0] - r[1], v[0] - v[1]
        size, speed, change = length(t)
        share = (size * change + speed**2 - w @ w - d @ (a[0] - a[1])) / (2.0 * d @ d)
        return np.concatenate([v.ravel(), (a + share * np.array([d, -d])).ravel()])

    spin = np.array([[0.0, -MOTION], [MOTION, 0.0]])
    upper, rate = np.asarray(upper), np.asarray(rate)
    places = [RADIUS * X[:2] + sign * upper for sign in (1.0, -1.0)]
    speeds = [sign * rate + spin @ place for sign, place in zip((1.0, -1.0), places, strict=True)]
    y = ode(rates, np.concatenate([*places, *speeds]), times)
    return [np.array([_turned(-MOTION * t)[:2, :2] @ r for t, r in zip(times, y[:, :2], strict=True)]) - RADIUS * X[:2]]


def _libration(degrees: float):
    """From the vertical, with the rate √3 n sin θmax that reaches the amplitude."""
    rate = np.sqrt(3.0) * MOTION * np.sin(np.radians(degrees))
    return lambda times: _pair(times, [5.0, 0.0], [0.0, 5.0 * rate], lambda t: (10.0, 0.0, 0.0))


def _reeled(start: float, angle: float):
    """Length that grows as exp(c t) with c = −(3/4) n sin 2θ, at the constant angle θ."""
    c = -0.75 * MOTION * np.sin(2.0 * np.radians(angle))
    out = 0.5 * start * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])

    def length(t):
        size = start * np.exp(c * t)
        return size, c * size, c * c * size

    return lambda times: _pair(times, out, c * out, length)


# NASA's check cases


def dropped_sphere(times):
    """Central gravity and J2; dropped at rest in the air of the turning Earth."""
    mu, size, j2 = WGS, 6378137.0, 0.00108262982

    def rates(t, y):
        r = y[:3]
        far = np.linalg.norm(r)
        z = r[2] ** 2 / far**2
        factors = 1.0 + 1.5 * j2 * (size / far) ** 2 * (np.array([1.0, 1.0, 3.0]) - 5.0 * z)
        return np.concatenate([y[3:], -mu / far**3 * factors * r])

    return [ode(rates, [6387281.0, 0.0, 0.0, 0.0, 465.76787589315, 0.0], times)[:, :3]] * 3


def tumbling_brick(times):
    """Euler's equations; moments of inertia in slug ft²."""
    inertia = 1.3558179483314004 * np.array([0.001894220, 0.006211019, 0.007194665])
    w = ode(lambda t, w: -np.cross(w, inertia * w) / inertia, np.radians([10.0, 20.0, 30.0]), times)
    return [w] * 5


CASES = {
    "orbit/stk_two_body": stk_two_body,
    "orbit/gmat_two_body": gmat_two_body,
    "orbit/gmat_day": gmat_two_body,
    "orbit/stk_vvlh_1": _vvlh([7e6, 0, 0], [0.0, 7546.053287267836, 0.0]),
    "orbit/stk_vvlh_2": _vvlh([7e6, 0, 0], [0.0, 5335.865450622126, 5335.865450622126]),
    "orbit/stk_vvlh_3": _vvlh(
        [3607105.091490086, 4317224.055878743, 3625268.4959298363],
        [-6467.082890311416, 2601.669219824156, 3685.141177179613],
    ),
    "orbit/orekit_drag_320km": _drag(2.418e-11, 300e3, 53628.0, 6698137.0, 7714.21741368),
    "orbit/orekit_drag_500km": _drag(6.967e-13, 500e3, 63822.0, 6878137.0, 7612.60817036),
    "orbit/basilisk_translation": basilisk_translation,
    "orbit/basilisk_inertial_force": basilisk_inertial_force,
    "orbit/basilisk_body_torque": basilisk_body_torque,
    "orbit/basilisk_hinged_panels": basilisk_hinged_panels,
    "orbit/clohessy_wiltshire": clohessy_wiltshire,
    **{f"orbit/dumbbell_libration_{degrees}": _libration(degrees) for degrees in (20, 45, 60)},
    "orbit/tether_deployment": _reeled(10.0, -30.0),
    "orbit/tether_retrieval": _reeled(80.0, 30.0),
    "nesc/dropped_sphere": dropped_sphere,
    "nesc/tumbling_brick": tumbling_brick,
}
