"""Examples of the Modelica Standard Library 4.0.0, written again from its files: free bodies with constraints.

Each function gives, at the times asked for, the columns of its case's comparisons in their order. Parameters that the files leave to the library:
bars have 7700 kg/m³, a Body 0.001 kg m² about each axis, and a cylinder without a diameter a twentieth of its length.
"""

from __future__ import annotations

import numpy as np

from .plain import attracted, hung, stack
from .rigid import (
    GROUND,
    Body,
    Model,
    X,
    Y,
    Z,
    angles,
    at_axis,
    cross,
    hinge,
    in_plane,
    rod,
    solid,
    spins,
    spring,
    square,
    together,
    turn,
    upright,
)

DOWN = (0.0, -9.80665, 0.0)
STEEL = 7700.0


def box(along, width: float, start, dcm=None) -> Body:
    dcm = np.eye(3) if dcm is None else dcm
    mass, inertia = solid(STEEL, along, width, False)
    return Body(mass, inertia, start + dcm @ (0.5 * np.asarray(along)), dcm)


def cylinder(along, diameter: float, start, dcm=None) -> Body:
    dcm = np.eye(3) if dcm is None else dcm
    mass, inertia = solid(STEEL, along, diameter, True)
    return Body(mass, inertia, start + dcm @ (0.5 * np.asarray(along)), dcm)


# Pendulums


def pendulum(times):
    model = Model([Body(1.0, [1e-3] * 3, [0.5, 0, 0])], hinge((GROUND, 0 * X), (0, -0.5 * X), Z), gravity=DOWN)
    model.forces = [at_axis(GROUND, 0, Z, lambda angle, rate: -0.1 * rate)]
    run = model.run(times)
    return [stack(angles(run, GROUND, 0, Z)), stack(spins(run, GROUND, 0, Z))]


def _two_boxes(times, first: float, second: float):
    r1, r2 = turn(Z, first), turn(Z, first + second)
    elbow = r1 @ (0.5 * X)
    model = Model([box(0.5 * X, 0.06, np.zeros(3), r1), box(0.5 * X, 0.06, elbow, r2)], gravity=DOWN)
    model.rows = [*hinge((GROUND, 0 * X), (0, -0.25 * X), Z), *hinge((0, 0.25 * X), (1, -0.25 * X), Z)]
    model.forces = [at_axis(GROUND, 0, Z, lambda angle, rate: -0.1 * rate)]
    run = model.run(times)
    return [
        stack(angles(run, GROUND, 0, Z), angles(run, 0, 1, Z)),
        stack(spins(run, GROUND, 0, Z), spins(run, 0, 1, Z)),
    ]


def double_pendulum(times):
    return _two_boxes(times, 0.0, 0.0)


def double_pendulum_tip(times):
    """The tip starts at (0.7, 0.3): two links of 0.5 m, elbow bent to the left."""
    bend = np.arccos((0.7**2 + 0.3**2 - 0.5) / 0.5)
    return _two_boxes(times, np.arctan2(0.3, 0.7) - 0.5 * bend, bend)


def spring_pendulum(times):
    pivot = 0.3 * X
    model = Model([Body(1.0, [1.0] * 3, [0.8, 0, 0])], gravity=DOWN)
    model.rows = [in_plane((0, 0 * X), n, (GROUND, pivot)) for n in (Y, Z)]
    model.rows += [square((GROUND, Z), (0, X)), square((GROUND, Z), (0, Y))]
    model.redundant = True
    model.forces = [spring((GROUND, pivot), (0, 0 * X), 20.0, 0.2, 1.0)]
    run = model.run(times)
    along = [(now.R[0] @ X, now.r[0] - pivot) for now in run]
    return [
        stack([n @ d for n, d in along]),
        stack([n @ now.v[0] for (n, _), now in zip(along, run, strict=True)]),
        stack(angles(run, GROUND, 0, Z)),
        stack(spins(run, GROUND, 0, Z)),
    ]


def force_and_torque(times):
    start, end = np.array([0.0, -0.5, 0.0]), 0.5 * X
    model = Model([cylinder(X, 1.0 / 20.0, start)], [together((GROUND, start), (0, -end))], gravity=DOWN)
    model.rows.append(square((GROUND, Z), (0, Y)))
    tilted = turn(Z, np.radians(30.0))
    force, torque = tilted @ [0.0, 1000.0, 0.0], tilted @ [-100.0, 100.0, 0.0]

    def push(now, F, T):
        F[0] += force
        T[0] += np.cross(end, now.R[0].T @ force) + now.R[0].T @ torque

    model.forces = [push]
    run = model.run(times)
    R = np.array([now.R[0] for now in run])
    return [
        stack(np.unwrap(np.arctan2(-R[:, 0, 1], R[:, 1, 1])), np.unwrap(np.arctan2(-R[:, 2, 0], R[:, 2, 2]))),
        stack([now.spin(0)[2] for now in run], [now.w[0][1] for now in run]),
    ]


# Loops


def _four_bar(times, with_rod: bool):
    crank = cylinder([0.0, 0.5, 0.1], 0.05, np.zeros(3))
    slider = cylinder([0.0, 0.2, 0.0], 0.05, [1.0, 0.0, 0.0])
    model = Model([crank, slider], gravity=DOWN)
    end, pin = np.array([0.0, 0.25, 0.05]), 0.1 * Y
    model.rows = [*hinge((GROUND, 0 * X), (0, -end), X), *upright(1)]
    model.rows += [in_plane((GROUND, 1.2 * X), n, (1, -pin)) for n in (Y, Z)]
    if with_rod:
        along = np.array([-1.0, 0.3, 0.1])
        model.bodies.append(cylinder(along, 0.05, [1.0, 0.2, 0.0]))
        model.rows += [
            together((1, pin), (2, -0.5 * along)),
            square((1, Y), (2, Z)),
            together((0, end), (2, 0.5 * along)),
        ]
    else:
        model.rows.append(rod((0, end), (1, pin)))
    model.set_moving(0, X, 5.235987755982989)
    run = model.run(times)
    return [stack(angles(run, GROUND, 0, X)), stack(spins(run, GROUND, 0, X))]


def four_bar(times):
    return _four_bar(times, True)


def four_bar_rod(times):
    return _four_bar(times, False)


def planar_four_bar(times):
    r1, r2, r3 = 0.4 * X, np.array([0.1, 1.1, 0.0]), np.array([-0.15, 1.0, 0.0])
    r4 = r1 + r2 - r3
    model = Model([box(r1, 0.05, 0 * X), box(r2, 0.05, r1), box(r4, 0.05, r3)], gravity=DOWN, redundant=True)
    model.rows = [*hinge((GROUND, 0 * X), (0, -0.5 * r1), Z), *hinge((0, 0.5 * r1), (1, -0.5 * r2), Z)]
    model.rows += [*hinge((GROUND, r3), (2, -0.5 * r4), Z), *hinge((2, 0.5 * r4), (1, 0.5 * r2), Z)]
    model.forces = [at_axis(GROUND, 0, Z, lambda angle, rate: -0.1 * rate)]
    run = model.run(times)
    return [stack(angles(run, GROUND, 0, Z)), stack(spins(run, GROUND, 0, Z))]


# A body of 1 kg on springs, free or held in a turned frame


def _held(times, rows, end=(0.4, 0.0, 0.0)):
    """rows(frame, point): of the body held at (0.2, −0.3, 0.2) m in a frame turned by 10°, 55°, 68° about x, y, z."""
    frame = turn(X, np.radians(10.0)) @ turn(Y, np.radians(55.0)) @ turn(Z, np.radians(68.0))
    at, centre = np.array([0.2, -0.3, 0.2]), 0.2 * X
    model = Model([Body(1.0, [1.0] * 3, at + frame @ centre, frame)], gravity=DOWN)
    model.rows = rows(frame, (GROUND, at), (0, -centre))
    model.forces = [spring((GROUND, [0.8, 0.0, 0.3]), (0, end - centre), 20.0)]
    return model.run(times), frame, at


def revolute_joint(times):
    run, frame, _ = _held(times, lambda frame, a, b: hinge(a, b, frame @ Y, Y))
    return [stack([now.w[0][1] for now in run]), stack(angles(run, GROUND, 0, Y, frame))]


def revolute_coupling(times):
    return revolute_joint(times)[:1]


def spherical(times):
    run, *_ = _held(times, lambda frame, a, b: [together(a, b)])
    return [np.array([now.w[0] for now in run])]


def _cross(times):
    rows = lambda frame, a, b: [together(a, b), square((GROUND, frame @ Z), (0, X))]  # noqa: E731
    return _held(times, rows, np.array([0.5, 0.15, 0.2]))


def universal_coupling(times):
    return [np.array([now.w[0] for now in _cross(times)[0]])]


def universal_joint(times):
    run, frame, _ = _cross(times)
    R = np.array([frame.T @ now.R[0] for now in run])
    return [
        stack(np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0])), np.unwrap(np.arctan2(R[:, 2, 1], R[:, 2, 2]))),
        stack([now.spin(0) @ frame @ Z for now in run], [now.w[0][0] for now in run]),
    ]


def _slid(times):
    return _held(times, lambda frame, a, b: [*upright(0, frame), in_plane(a, frame @ Z, b)])


def prismatic_joints(times):
    run, frame, at = _slid(times)
    begin = (0, -0.2 * X)
    places, speeds = ([getattr(now, ask)(begin) for now in run] for ask in ("point", "velocity"))
    return [(np.array(places) - at) @ frame[:, :2], np.array(speeds) @ frame[:, :2]]


def prismatic_coupling(times):
    run, *_ = _slid(times)
    return [np.array([getattr(now, ask)((0, -0.2 * X)) for now in run]) for ask in ("point", "velocity")]


def free_body(times):
    ten = np.radians(10.0)
    frame, centre = turn(X, ten) @ turn(Y, ten) @ turn(Z, ten), 0.2 * X
    model = Model([Body(1.0, [1.0] * 3, [0.2, -0.5, 0.1] + frame @ centre, frame)], gravity=DOWN)
    model.forces = [spring((GROUND, 0 * X), (0, -centre), 20.0), spring((GROUND, 0.8 * X), (0, centre), 20.0)]
    run = model.run(times)
    place, speed = (np.array([getattr(now, ask)((0, -centre)) for now in run]) for ask in ("point", "velocity"))
    return [place, np.array([now.w[0] for now in run]), speed]


def spring_damper_system(times):
    """The second body is a mass on a spring: s = 0.1 + (g/30)(1 − cos √30 t)."""
    centre, rate = -0.2 * Y, 0.03490658503988659
    begin = np.array([0.3, -0.2, 0.0])
    model = Model([Body(1.0, [0.1] * 3, begin + centre, velocity=rate * np.cross(Z, centre), rate=rate * Z)])
    model.gravity, model.forces = DOWN, [spring((GROUND, 0.3 * X), (0, -centre), 30.0, 0.1, 2.0)]
    run = model.run(times)
    place, speed = (np.array([getattr(now, ask)((0, -centre)) for now in run]) for ask in ("point", "velocity"))
    s, v = hung(times, 1.0, 1.0, 30.0, 0.1, 0.1)
    return [stack(place[:, 0], place[:, 1], s), stack(speed[:, 0], speed[:, 1], v), stack([now.w[0][2] for now in run])]


# Central gravity


def six_masses(times):
    arms = np.concatenate([np.eye(3), -np.eye(3)])
    model = Model([Body(6.0, [4.0] * 3, 2.0 * X, velocity=-Z)])

    def attract(now, F, T):
        pulls = attracted(now.r[0] + arms @ now.R[0].T, 5.0)
        F[0] += pulls.sum(axis=0)
        T[0] += now.R[0].T @ np.cross(arms @ now.R[0].T, pulls).sum(axis=0)

    model.forces = [attract]
    run = model.run(times)
    return [np.array([getattr(now, each)[0] for now in run]) for each in ("r", "v", "w")]


# Rotors


def gyroscopic_body(times):
    tilted = turn(Y, np.radians(45.0))
    rotor = cylinder(0.2 * X, 0.1, 0.25 * X - 0.1 * (tilted @ X), tilted)
    rotor.rate = 10.0 * X
    model = Model([cylinder(0.25 * X, 0.05, 0 * X), rotor], gravity=DOWN)
    model.rows = [together((GROUND, 0 * X), (0, -0.125 * X)), *hinge((0, 0.125 * X), (1, 0 * X), tilted @ X, X)]
    run = model.run(times)
    return [
        np.array([np.concatenate([now.w[0], now.w[1]]) for now in run]),
        stack(angles(run, 0, 1, X, tilted)),
        stack(spins(run, 0, 1, X)),
    ]


def rolling_wheel(times):
    """A wheel that rolls on its edge: the material point at the contact has no velocity, v + Ω × p = 0."""
    radius = 0.3

    def contact(now):
        """p from the centre to the contact, and its rate; the wheel's axis is y."""
        e, swing = now.vector((0, Y)), now.swing((0, Y))
        u, rate = Z - e[2] * e, -swing[2] * e - e[2] * swing
        n = np.linalg.norm(u)
        return -radius * u / n, -radius * (rate / n - u * (u @ rate) / n**3)

    def rows(now):
        p, rate = contact(now)
        spin = now.spin(0)
        return np.hstack([np.eye(3), -cross(p) @ now.R[0]]), -np.cross(spin, rate)

    wheel = Body(2.0, [0.12, 0.06, 0.12], [0.2, 0.2, radius], rate=[1.0, 5.0, 0.0])
    wheel.velocity = np.cross([1.0, 5.0, 0.0], [0.0, 0.0, radius])
    run = Model([wheel], [rows], gravity=(0.0, 0.0, -9.80665)).run(times)
    return [np.array([now.r[0][:2] for now in run])]


CASES = {
    f"modelica/{each.__name__}": each
    for each in (
        *(pendulum, double_pendulum, double_pendulum_tip, spring_pendulum, force_and_torque, four_bar, four_bar_rod),
        *(planar_four_bar, revolute_joint, revolute_coupling, universal_coupling, universal_joint, prismatic_joints),
        *(prismatic_coupling, free_body, spring_damper_system, six_masses, gyroscopic_body, rolling_wheel),
    )
} | {
    "modelica/four_bar_joint": four_bar_rod,
    "modelica/spherical_joint": spherical,
    "modelica/spherical_coupling": spherical,
}
