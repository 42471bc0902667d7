"""The configurations of the four papers that the project implements, solved by their corrected equations or by mass points.

The papers print no masses (stroe: radii, cable and orbit only) and no results in numbers; other data are ours.
"""

from __future__ import annotations

import numpy as np

from .plain import ode, stack
from .points import Cloud, Tree
from .rigid import cross, dcm_of, turn

MU = 3.986004418e14  # [m³/s²]


# stroe: two cylinders on a cable of 500 m about a circular orbit of 10 500 km radius


def stroe_pair(times):
    """Plane motion in the orbital frame: (x, y, φ) of both bodies, the closed force function of second order, one multiplier."""
    radius, length = 10.5e6, 500.0
    n = np.sqrt(MU / radius**3)
    bodies = ((5000.0, 875e3 / 3.0, 250e3, 875e3 / 3.0, 10.0), (20000.0, 14e6 / 3.0, 4e6, 14e6 / 3.0, -20.0))

    def loads(m, A, B, C, x, y, phi, vx, vy):
        """Generalized forces (x, y, φ) in the turning frame: gravity, centrifugal and Coriolis."""
        X, R = radius + x, np.hypot(radius + x, y)
        psi = phi - np.arctan2(y, X)
        second = A + B + C - 3.0 * (A * np.cos(psi) ** 2 + B * np.sin(psi) ** 2)
        # −μ X/R³ + n² X = n² X (1 − (r/R)³), without a difference of large numbers: R² − r² = 2 r x + x² + y²
        e = (2.0 * radius * x + x * x + y * y) / radius**2
        pull = -n * n * np.expm1(-1.5 * np.log1p(e))
        radial = -1.5 * MU / R**4 * second
        turning = 1.5 * MU / R**3 * (A - B) * np.sin(2.0 * psi)
        fx = m * (pull * X + 2.0 * n * vy) + radial * X / R + turning * y / R**2
        fy = m * (pull * y - 2.0 * n * vx) + radial * y / R - turning * X / R**2
        return np.array([fx, fy, turning])

    M = np.repeat([b[0] for b in bodies], 3).astype(float)
    M[2], M[5] = bodies[0][3], bodies[1][3]

    def solve(y):
        q, v = y[:6].reshape(2, 3), y[6:].reshape(2, 3)
        f = np.concatenate([loads(*b[:4], *q[i], *v[i, :2]) for i, b in enumerate(bodies)])
        arms = [b[4] * np.array([np.cos(q[i, 2]), np.sin(q[i, 2])]) for i, b in enumerate(bodies)]
        J = [np.hstack([np.eye(2), [[-arm[1]], [arm[0]]]]) for arm in arms]
        d = q[1, :2] + arms[1] - q[0, :2] - arms[0]
        rate = J[1] @ v[1] - J[0] @ v[0]
        bias = arms[0] * v[0, 2] ** 2 - arms[1] * v[1, 2] ** 2  # of the rims' difference
        g = np.concatenate([-d @ J[0], d @ J[1]])
        right = -(rate @ rate + d @ bias)
        multiplier = (right - g @ (f / M)) / (g @ (g / M))
        return (f + multiplier * g) / M, -multiplier * length

    angle = np.deg2rad(40.0)
    way = np.array([np.cos(angle), np.sin(angle)])
    q0 = np.concatenate([-424.0 * way, [angle], 106.0 * way, [angle]])
    y = ode(lambda t, y: np.concatenate([y[6:], solve(y)[0]]), np.concatenate([q0, np.zeros(6)]), times)
    return [y[:, [0, 1, 3, 4]], stack([solve(row)[1] for row in y])]


# liu1998: arms that float free, whose joints move as given; momenta are zero


def _floating(times, hub, links, axes, start, swing):
    """Place and attitude of the hub: six momenta are zero at any time, linear in its velocity and angular velocity.

    links: (mass, inertia (3,), mass centre, place of its joint on the body before). Joints: start + swing (1 − cos t).
    """

    def momenta(q, t):
        """(6, 6) of the hub's rates (space axes), (6,) of the joints'."""
        angles, rates = start + swing * (1.0 - np.cos(t)), swing * np.sin(t)
        A, r = dcm_of(q[3:] / np.linalg.norm(q[3:])), np.array(q[:3])
        own, given = np.zeros((6, 6)), np.zeros(6)

        def add(mass, inertia, center, dcm, V, W, v, w):
            J = dcm @ np.diag(inertia) @ dcm.T
            own[:3] += mass * V
            own[3:] += mass * cross(center) @ V + J @ W
            given[:3] += mass * v
            given[3:] += mass * np.cross(center, v) + J @ w

        base = np.hstack([np.eye(3), np.zeros((3, 3))])
        spin = np.hstack([np.zeros((3, 3)), np.eye(3)])
        add(hub[0], hub[1], r, A, base, spin, np.zeros(3), np.zeros(3))
        at, place, v, w = np.array(r), np.zeros(3), np.zeros(3), np.zeros(3)
        for (mass, inertia, center, on), axis, angle, rate in zip(links, axes, angles, rates, strict=True):
            arm = A @ np.asarray(on)
            v = v + np.cross(w, arm)
            at = at + arm
            w = w + A @ axis * rate
            A = A @ turn(axis, angle)
            place = at + A @ np.asarray(center)
            V = base - cross(place - r) @ spin
            add(mass, inertia, place, A, V, spin, v + np.cross(w, place - at), w)
        return own, given

    def flow(t, q):
        own, given = momenta(q, t)
        u = np.linalg.solve(own, -given)
        w, x, y, z = q[3:]
        E = np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]])  # of ω in space axes
        return np.concatenate([u[:3], 0.5 * E @ u[3:]])

    y = ode(flow, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], times)
    return [y[:, :3], y[:, 3:]]


def liu_planar(times):
    """A hub and two thin links of 1 m that turn about z."""
    links = [
        (4.0, [0.0, 0.333, 0.333], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
        (3.0, [0.0, 0.25, 0.25], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]),
    ]
    axes = np.array([[0.0, 0.0, 1.0]] * 2)
    hub = (40.0, [6.667, 6.667, 6.667])
    return _floating(times, hub, links, axes, np.array([1.0, -1.2]), np.array([0.8, 1.1]))


def liu_spatial(times):
    """A hub and three links that turn about x, y and y."""
    links = [
        (5.0, [0.2, 0.2, 0.05], [0.0, 0.0, 0.25], [0.0, 0.0, 0.6]),
        (4.0, [0.01, 0.34, 0.34], [0.5, 0.0, 0.0], [0.0, 0.0, 0.5]),
        (3.0, [0.01, 0.25, 0.25], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]),
    ]
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    hub = (60.0, [8.0, 9.0, 7.0])
    return _floating(times, hub, links, axes, np.array([0.2, -0.5, 0.9]), np.array([0.7, 0.9, -1.2]))


# Clouds of points with two modes each; the shapes are orthogonal with their masses


def box(mass, half):
    """Six points on the axes: a rigid body."""
    points = np.concatenate([np.diag(half), -np.diag(half)])
    return Cloud(points, np.full(6, mass / 6.0), np.zeros((0, 6, 3)))


def wing(axis, length, mass, frequency, **joint):
    """Six points in three rows along an axis, ±0.4 m beside it; modes: bending out of the plane, torsion."""
    along, beside, out = np.roll(np.eye(3), -axis, axis=0)
    points, bending, torsion = [], [], []
    for row in (1, 2, 3):
        for side in (-1, 1):
            points.append(length * row / 3.0 * along + 0.4 * side * beside)
            bending.append(row**2 / 9.0 * out)
            torsion.append(0.4 * side * row / 3.0 * out)
    return Cloud(np.array(points), np.full(6, mass / 6.0), np.array([bending, torsion]), frequency, **joint)


def tkachev_clouds():
    """A hub, an antenna fixed to it, a panel on a hinge."""
    hub = box(460.0, np.array([0.9, 0.8, 1.0]))
    antenna = wing(0, 2.5, 10.0, (9.0, 14.0), parent=0, place=(0.8, 0.0, 0.2))
    panel = wing(1, 4.5, 28.0, (2.2, 5.0), parent=0, place=(0.0, 0.8, 0.0), turns=[np.array([0.0, 1.0, 0.0])])
    return [hub, antenna, panel]


TKACHEV_START = ([0.0] * 3, [0.05, -0.08, 0.06], [0.3], [0.1], [0.0, 0.0, 0.1, 0.02])  # v, ω, hinge, its rate, modes


def tkachev_satellite(times):
    tree = Tree(tkachev_clouds())
    v, omega, hinge, rate, modes = TKACHEV_START
    y = tree.run(times, np.array([0.0, 0, 0, 1, 0, 0, 0, *hinge, *modes]), np.array([*v, *omega, *rate, *np.zeros(4)]))
    return [y[:, :3], y[:, 3:7], y[:, 7:8], y[:, 8:12]]


def jin_clouds():
    """Four flexible bodies: joints of (1 translation, 2 rotations), (0, 3), (2, 0) on the first, the second and the first body."""
    x, y, z = np.eye(3)
    return [
        wing(0, 3.0, 90.0, (6.0, 11.0)),
        wing(1, 2.0, 24.0, (8.0, 13.0), parent=0, place=(1.5, 0.4, 0.0), slides=[y], turns=[x, z]),
        wing(2, 1.5, 15.0, (7.0, 12.0), parent=1, place=(0.3, 1.5, 0.0), turns=[z, x, y]),
        wing(2, 1.2, 12.0, (9.0, 15.0), parent=0, place=(2.5, 0.0, 0.3), slides=[x, z]),
    ]


JIN_JOINTS = [0.1, 0.3, -0.4, 0.2, 0.5, -0.3, 0.05, -0.1]
JIN_RATES = [0.1, -0.2, 0.3, 0.4, -0.3, 0.2, 0.1, 0.05]
JIN_OMEGA = [0.2, -0.1, 0.3]
JIN_SPRINGS = [200.0, 30.0, 40.0, 10.0, 15.0, 12.0, 150.0, 120.0]


def jin_tree(times):
    tree = Tree(jin_clouds(), JIN_SPRINGS)
    q = np.array([0.0, 0, 0, 1, 0, 0, 0, *JIN_JOINTS, *np.zeros(8)])
    y = tree.run(times, q, np.array([0.0, 0, 0, *JIN_OMEGA, *JIN_RATES, *np.zeros(8)]))
    return [y[:, :3], y[:, 3:7], y[:, 7:15], y[:, 15:23]]


CASES = {f"papers/{each.__name__}": each for each in (stroe_pair, liu_planar, liu_spatial, tkachev_satellite, jin_tree)}
