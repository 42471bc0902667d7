"""A … D by hand: equation (18) of [tkachev] linearized with sums over mass points, and FlexibleSatellite from the integrals of its bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.spacecraft import spacecraft_system
from spacefmu.dynamics.spacecraft.outputs import NodeMotion
from spacefmu.fmu_src import api
from tests.catalogue_fmus import system_of
from tests.papers.point_crafts import Table
from tests.satellite.test_closed_form import satellite

E3 = np.eye(3)
REST = 0.2  # of the hinge's spring [rad]


def tilde(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def K(a, b):
    return (a @ b) * np.eye(3) - np.outer(b, a)


@dataclass
class Points:
    """Mass points of an appendage in hub axes: masses (P,), r (P, 3) from the attachment, shapes A (P, 3, N); attachment from the hub's mass centre."""

    attachment: np.ndarray
    mass: np.ndarray
    r: np.ndarray
    A: np.ndarray

    def __post_init__(self):
        m, r, A = self.mass, self.r, self.A
        self.m, self.c = m.sum(), m @ r
        self.J = sum(mass * K(x, x) for mass, x in zip(m, r, strict=True))
        self.L = np.einsum("p,pin->in", m, A)
        self.Lambda = sum(mass * tilde(x) @ a for mass, x, a in zip(m, r, A, strict=True))
        self.M = np.einsum("p,pim,pin->mn", m, A, A)


def points_of(table: Table, link, center, turned=E3):
    """A table's points on the satellite, turned by the hinge."""
    dcm = link.mount @ turned
    shapes = np.einsum("ij,mpj->pim", dcm, table.phi)
    return Points(link.place.position - center, table.mass, table.rho @ dcm.T, shapes)


def matrix_18(hub_inertia, a: Points, p: Points, e, m):
    """S of (18) at rest: q = 0."""
    sigma = a.m * a.attachment + a.c + p.m * p.attachment + p.c
    J = hub_inertia - K(sigma, sigma) / m
    for x in (a, p):
        J = J + x.J + K(x.attachment, x.c) + K(x.c, x.attachment) + x.m * K(x.attachment, x.attachment)
    S_a, S_p = (tilde(x.attachment) @ x.L + x.Lambda - tilde(sigma) @ x.L / m for x in (a, p))
    S_phi = (p.J + K(p.attachment, p.c) - K(sigma, p.c) / m) @ e
    J_e = e @ (p.J - K(p.c, p.c) / m) @ e
    S_phi_a, S_phi_p = -e @ tilde(p.c) @ a.L / m, e @ (p.Lambda - tilde(p.c) @ p.L / m)
    M_a, M_p, S_ap = a.M - a.L.T @ a.L / m, p.M - p.L.T @ p.L / m, -a.L.T @ p.L / m
    S = np.block(
        [
            [J, S_phi[:, None], S_a, S_p],
            [S_phi[None], np.array([[J_e]]), S_phi_a[None], S_phi_p[None]],
            [S_a.T, S_phi_a[:, None], M_a, S_ap],
            [S_p.T, S_phi_p[:, None], S_ap.T, M_p],
        ]
    )
    return S, sigma


def test_a_satellite_of_mass_points():
    """A and B of attitude, hinge and modes, C and D of the panel's tip (displacement and acceleration): to 1e-11 of the largest."""
    craft = satellite()
    _, antenna_link, panel_link = craft.tree.links
    tip = panel_link.body.nodes["tip"]
    craft = replace(craft, sensors=(NodeMotion(2, "panel", tip),))
    model = api.linearize(spacecraft_system(craft), values={"panel.angle": REST}, outputs=["panel.tip.displacement", "panel.tip.acceleration"])  # fmt: skip
    assert np.max(np.abs(model.x_dot)) < 1e-12

    # the same by hand
    center, hub_inertia, hub_mass = np.array([0.1, -0.2, 0.05]), np.diag([9.0, 11.0, 13.0]), 40.0
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    turned = Rotation.from_rotvec(REST * axis).as_matrix()
    tables = Table(2, 3), Table(3, 2)
    a, p = points_of(tables[0], antenna_link, center), points_of(tables[1], panel_link, center, turned)
    e, m = panel_link.mount @ axis, hub_mass + a.m + p.m
    S, sigma = matrix_18(hub_inertia, a, p, e, m)
    na, n = 3, 9  # modes of the antenna; entries of z = (ω̇, φ̈, q̈_a, q̈_p)
    zero_a, zero_p = np.zeros((3, 3)), np.zeros((2, 3))

    def on_z(arm, at_hinge, modal_a, modal_p, spin_a=zero_a, spin_p=zero_p, moment=(0.0, 0.0, 0.0)):
        """Rows of N (9, 6) for a force and a torque in hub axes at `arm` from the hub's mass centre; F/m falls with the whole."""
        force = np.vstack(
            [tilde(arm - sigma / m), at_hinge - e @ tilde(p.c) / m, modal_a - a.L.T / m, modal_p - p.L.T / m]
        )
        torque = np.vstack([np.eye(3), np.asarray(moment), spin_a, spin_p])
        return np.hstack([force, torque])

    none = np.zeros(3)
    nozzle = on_z(np.array([0.3, 0.1, -0.4]) - center, none, zero_a, zero_p)
    tip_a, tip_p = a.r[-1], p.r[-1]
    dcm_a, dcm_p = antenna_link.mount, panel_link.mount @ turned
    antenna = on_z(a.attachment + tip_a, none, a.A[-1].T, zero_p, spin_a=(dcm_a @ tables[0].tip.turn).T)
    panel = on_z(
        p.attachment + tip_p, e @ tilde(tip_p), zero_a, p.A[-1].T, spin_p=(dcm_p @ tables[1].tip.turn).T, moment=e
    )
    loads = {"hub.nozzle": (nozzle, np.eye(3)), "antenna.tip": (antenna, dcm_a), "panel.tip": (panel, dcm_p)}

    def rate(name):
        """Row of z that a state's or a rate's name belongs to."""
        kind, _, rest = name.partition(".")
        if kind == "hub":
            return int(rest[-2]) - 1
        if rest in ("angle", "rate"):
            return 3
        return 4 + int(rest[5]) - 1 + (na if kind == "panel" else 0)

    stiffness, damping = np.zeros((n, n)), np.zeros((n, n))
    stiffness[3, 3], damping[3, 3] = -3.0, -0.1
    for table, first in zip(tables, (4, 4 + na), strict=True):  # −(ΣmAᵀA)(Ω q + D q̇), of unreduced ΣmAᵀA
        w = 2.0 * np.pi * table.frequency
        at = np.arange(first, first + len(w))
        stiffness[at, at], damping[at, at] = -table.modal * w**2, -2.0 * table.damping * table.modal * w
    z_q, z_v = np.linalg.solve(S, stiffness), np.linalg.solve(S, damping)
    names = [state.name for state in model.states]
    kept = [i for i, name in enumerate(names) if not name.startswith(("hub.position", "hub.velocity"))]
    is_rate = {i: names[i].endswith("rate") or "angular_velocity" in names[i] for i in kept}
    A = np.array([[(z_v if is_rate[j] else z_q)[rate(names[i]), rate(names[j])] if is_rate[i] else float(is_rate[j] and rate(names[i]) == rate(names[j]))
                   for j in kept] for i in kept])  # fmt: skip
    assert_close(model.A[np.ix_(kept, kept)], A)
    z_u = np.hstack([np.linalg.solve(S, rows @ np.kron(np.eye(2), axes)) for rows, axes in loads.values()])
    assert [i.name for i in model.inputs] == [f"{load}.{kind}[{k}]" for load in loads for kind in ("force", "torque") for k in (1, 2, 3)]  # fmt: skip
    rows = [i for i in kept if is_rate[i]]
    assert_close(model.B[rows], np.array([z_u[rate(names[i])] for i in rows]))

    # the tip: displacement Φq in the panel's axes; acceleration R̈_s + ω̇ × (p₁ + r) + φ̈ e × r + A q̈ with R̈_s of (9)
    C = np.array([[tables[1].tip.shape[k, rate(names[j]) - 4 - na] if names[j].startswith("panel.mode") and not is_rate[j] else 0.0
                   for j in kept] for k in range(3)])  # fmt: skip
    assert_close(model.C[:3, kept], C)
    relative = np.hstack([-tilde(sigma), (tilde(e) @ p.c)[:, None], a.L, p.L]) / m
    of_tip = (
        np.hstack([-tilde(p.attachment + tip_p), (tilde(e) @ tip_p)[:, None], np.zeros((3, na)), p.A[-1]]) - relative
    )
    pushed = np.hstack([np.hstack([axes / m, np.zeros((3, 3))]) for _, axes in loads.values()])
    assert_close(model.D[3:], of_tip @ z_u + pushed)
    assert_close(
        model.C[3:, kept], np.array([of_tip @ (z_v if is_rate[j] else z_q)[:, rate(names[j])] for j in kept]).T
    )


def assert_close(found, expected, share=1e-11):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=share * np.max(np.abs(expected)))


# ---- FlexibleSatellite: wheels, a servo in the hinge, a dish with inertia; speeds (v, ω, φ̇, q̇_p, q̇_a, Ω) and their kinetic energy by blocks

WHEELS = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0], "skew": np.ones(3) / np.sqrt(3.0)}
SPIN = 0.0255
CASES = {
    "spinning wheels": ((-100.0, 40.0, 30.0, 120.0), 0.0),
    "wheels at rest in their bearings' oil": ((0.0, 0.0, 0.0, 0.0), 2e-6),
}


@pytest.mark.parametrize("case", CASES)
def test_flexible_satellite(case):
    """All of A and B, and D of the tip's acceleration, from masses, moments and modal integrals: to 1e-9 of the largest."""
    speeds, oil = CASES[case]
    values = {f"wheel.{w}.speed": speed for w, speed in zip(WHEELS, speeds, strict=True)}
    values |= {f"wheel.{w}.{word}": number for w in WHEELS for word, number in (("damping", oil), ("friction", 0.0))}
    system = system_of("FlexibleSatellite")
    model = api.linearize(system, values=values, outputs=["panel.tip.acceleration"])
    craft = system.made_by[1]
    bodies = {link.body.name: link.body for link in craft.tree.links}
    parameters = {parameter.name: parameter.start for parameter in system.signals.parameters}
    inertia = np.array([[230.0, 2.5, -1.5], [2.5, 240.0, 3.0], [-1.5, 3.0, 200.0]])

    # M of the speeds (v, ω | φ̇ | q̇_p (4) | q̇_a (2) | Ω (4)): each body's own matrix, moved to the hub's frame
    hinge, modes, spins = 6, {"panel": slice(7, 11), "antenna": slice(11, 13)}, slice(13, 17)
    M = np.zeros((17, 17))
    M[:3, :3], M[3:6, 3:6] = 460.0 * np.eye(3), inertia
    maps = {}
    for name, place in (("panel", [0.0, 0.8, 0.0]), ("antenna", [0.8, 0.0, 0.2])):
        own = bodies[name].integrals_at_build
        n = len(own.modal_mass)
        V = np.zeros((6 + n, 17))  # (v, ω, q̇) of its frame, whose axes are the hub's at the start
        V[:3, :3], V[:3, 3:6], V[3:6, 3:6], V[6:, modes[name]] = np.eye(3), -tilde(place), np.eye(3), np.eye(n)
        if name == "panel":
            V[4, hinge] = 1.0
        first = tilde(own.first)
        block = np.block(
            [[own.mass * np.eye(3), -first, own.s1], [first, own.inertia, own.h1.T], [own.s1.T, own.h1, own.modal_mass]]
        )
        M, maps[name] = M + V.T @ block @ V, V
    axes = np.array(list(WHEELS.values()))
    for k, axis in enumerate(axes):
        turn = np.zeros(17)
        turn[3:6], turn[13 + k] = axis, 1.0
        M = M + SPIN * np.outer(turn, turn)

    stiffness, damping = np.zeros((17, 17)), np.zeros((17, 17))
    for name, span in modes.items():
        at = np.arange(span.start, span.stop)
        w, zeta = (
            np.array([parameters[f"{name}.mode[{k + 1}].{word}"] for k in range(len(at))])
            for word in ("frequency", "damping")
        )
        w, mu = 2.0 * np.pi * w, np.diag(bodies[name].integrals_at_build.modal_mass)
        stiffness[at, at], damping[at, at] = -mu * w**2, -2.0 * zeta * mu * w
    damping[spins, spins] = -oil * np.eye(4)
    damping[3:6, 3:6] = tilde(SPIN * np.array(speeds) @ axes)  # −ω × H = H × ω
    w, z = 2.0 * np.pi * 0.05, 0.9
    servo_q, servo_v = np.zeros(17), np.zeros(17)
    servo_q[hinge], servo_v[hinge] = -(w**2), -2.0 * z * w

    def answered(forces, servo):
        """v̇ (17, n) of generalized forces, the hinge moving as its servo says: M z = Q, φ̈ known."""
        others = [i for i in range(17) if i != hinge]
        found = np.zeros(forces.shape)
        found[hinge] = servo
        found[others] = np.linalg.solve(M[np.ix_(others, others)], forces[others] - np.outer(M[others, hinge], servo))
        return found

    z_q, z_v = answered(stiffness, servo_q), answered(damping, servo_v)
    pushes, commands = np.zeros((17, len(model.inputs))), np.zeros(len(model.inputs))
    for column, signal in enumerate(model.inputs):
        kind, *rest = signal.name.replace("[", ".").replace("]", "").split(".")
        if kind == "sadm":
            commands[column] = w**2
        elif kind == "wheel":
            pushes[13 + list(WHEELS).index(rest[0]), column] = 1.0
        elif kind == "hub":
            pushes[(0 if rest[0] == "force" else 3) + int(rest[1]) - 1, column] = 1.0
        else:
            place, along = THRUSTERS[rest[0]]
            pushes[:3, column], pushes[3:6, column] = along, np.cross(place, along)
    z_u = answered(pushes, commands)
    order = [*range(3), *range(3, 6), hinge, *range(7, 13)]  # coordinates; the wheels' angles are not states
    A = np.block([[np.zeros((13, 13)), np.eye(13, 17)], [z_q[:, order], z_v]])
    assert [state.name for state in model.states[13:19]] == [*(f"hub.velocity[{i}]" for i in (1, 2, 3)), *(f"hub.angular_velocity[{i}]" for i in (1, 2, 3))]  # fmt: skip
    assert_close(model.A, A, 1e-9)
    assert_close(model.B, np.vstack([np.zeros((13, len(commands))), z_u]), 1e-9)
    tip = bodies["panel"].nodes["tip"]
    of_tip = np.hstack([np.eye(3), -tilde(tip.position), tip.shape]) @ maps["panel"]
    assert_close(model.D, of_tip @ z_u, 1e-9)
    assert_close(model.C, of_tip @ A[13:], 1e-9)


THRUSTERS = {
    "roll_p1": ([0.0, 0.75, -0.9], [0, 0, 1]), "roll_p2": ([0.0, -0.75, 0.9], [0, 0, -1]),
    "roll_m1": ([0.0, -0.75, -0.9], [0, 0, 1]), "roll_m2": ([0.0, 0.75, 0.9], [0, 0, -1]),
    "pitch_p1": ([-0.8, 0.0, -0.9], [0, 0, 1]), "pitch_p2": ([0.8, 0.0, 0.9], [0, 0, -1]),
    "pitch_m1": ([0.8, 0.0, -0.9], [0, 0, 1]), "pitch_m2": ([-0.8, 0.0, 0.9], [0, 0, -1]),
    "yaw_p1": ([0.8, -0.75, 0.0], [0, 1, 0]), "yaw_p2": ([-0.8, 0.75, 0.0], [0, -1, 0]),
    "yaw_m1": ([-0.8, -0.75, 0.0], [0, 1, 0]), "yaw_m2": ([0.8, 0.75, 0.0], [0, -1, 0]),
}  # fmt: skip
