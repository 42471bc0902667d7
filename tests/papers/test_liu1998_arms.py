"""[liu1998] sections 2 and 4: first-order equations of free-floating arms, and the motion of the base that they give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.natural.first_order import planar_arm, planar_joint_angles, spatial_arm, spatial_joint_angles

# A free-floating arm: hub of 40 kg, two thin links of 1 m; and the same with the inertia of the first link rounded to 0.333 kg m²,
# for which the holonomy is known
ARM = planar_arm(base_inertia=6.667, base_mass=40.0, base_length=0.5, rods=[(4.0, 1.0), (3.0, 1.0)])
ROUNDED = replace(ARM, bodies=(ARM.bodies[0], replace(ARM.bodies[1], inertia=0.333), ARM.bodies[2]))


def planar_points(base_angle, angles, lengths=(0.5, 1.0, 1.0), masses=(40.0, 4.0, 3.0)):
    """q of the arm with its mass centre at the origin."""
    directions = np.cumsum([base_angle, *angles])
    points = np.vstack(
        [
            [0.0, 0.0],
            np.cumsum(
                [length * np.array([np.cos(a), np.sin(a)]) for length, a in zip(lengths, directions, strict=True)],
                axis=0,
            ),
        ]
    )
    centers = [points[0], *(points[1:-1] + points[2:]) / 2.0]
    return (points - np.average(centers, axis=0, weights=masses)).ravel()


def joint_rate_rows(arm, q):
    """Rates of the joints are differences of the links' angular velocities, (2, 8)."""
    G = [arm.rate_map(q, b)[0] for b in range(3)]
    return np.array([G[1] - G[0], G[2] - G[1]])


def test_planar_equations_as_printed():
    """(19), (21), (23): the rows, with Ĵ₁ where the print of Ψ₁ has Ĵ₁₁."""
    q = np.random.default_rng(1).normal(size=8)
    x, y = q[0::2], q[1::2]
    m1, m2, m3, j = 40.0, 4.0, 3.0, 6.667 / 0.25
    psi = [
        -(j + m1) * y[0] + j * y[1],
        (j + m1) * x[0] - j * x[1],
        j * y[0] - (j + m2 / 3) * y[1] - m2 / 6 * y[2],
        -j * x[0] + (j + m2 / 3) * x[1] + m2 / 6 * x[2],
        -m2 / 6 * y[1] - (m2 + m3) / 3 * y[2] - m3 / 6 * y[3],
        m2 / 6 * x[1] + (m2 + m3) / 3 * x[2] + m3 / 6 * x[3],
        -m3 / 6 * (y[2] + 2 * y[3]),
        m3 / 6 * (x[2] + 2 * x[3]),
    ]
    A = ARM.equations(q)
    assert A.shape == (6, 8)
    assert np.allclose(A[0], psi, rtol=1e-13)
    assert np.allclose(A[1, ::2], [m1, m2 / 2, (m2 + m3) / 2, m3 / 2], rtol=1e-14)
    assert np.allclose(A[3, :4], 2.0 * np.array([x[0] - x[1], y[0] - y[1], x[1] - x[0], y[1] - y[0]]), rtol=1e-13)


def swung(loop, loop_rate, turns=1.0):
    """q before and after joint angles have gone round loop(t), t from 0 to 2π, without momentum."""
    start = planar_points(0.0, loop(0.0))

    def rates(t, q):
        return ROUNDED.rates(q, 0.0, joint_rate_rows(ROUNDED, q), loop_rate(t))

    run = solve_ivp(rates, (0.0, 2.0 * np.pi * turns), start, method="DOP853", rtol=1e-12, atol=1e-13)
    return start, run.y[:, -1]


def test_zero_momentum_holonomy():
    """Joints round a closed loop turn the base by −0.057937 rad and shift it by (−0.00716, 0.00348) m.

    The numbers are those of an independent integration of the angular momentum's condition; measured here: −0.0579375, (−0.007156, 0.003477).
    """
    start, end = swung(
        lambda t: (1 + 0.5 * np.cos(t), 1 + 0.5 * np.sin(t)), lambda t: (-0.5 * np.sin(t), 0.5 * np.cos(t))
    )
    line = end[2:4] - end[:2]
    assert np.arctan2(line[1], line[0]) == pytest.approx(-0.057937, abs=1e-6)
    assert end[:2] - start[:2] == pytest.approx([-0.00716, 0.00348], abs=1e-5)
    assert planar_joint_angles(end) == pytest.approx([1.5, 1.0], abs=1e-10)
    assert np.max(np.abs(ARM.constraints(end))) < 1e-10


def test_a_loop_about_the_centre_turns_nothing():
    """A loop that its mirror image undoes: the curvature is odd in the angles, so its integral over the centred disc vanishes."""
    _, end = swung(lambda t: (0.8 * np.cos(t), 0.8 * np.sin(t)), lambda t: (-0.8 * np.sin(t), 0.8 * np.cos(t)))
    line = end[2:4] - end[:2]
    assert np.arctan2(line[1], line[0]) == pytest.approx(0.0, abs=1e-9)


def test_gripper_path_gives_joint_angles():
    """The paper's inverse problem: x₄, y₄ given, the rest follows; momenta stay zero on the way."""
    start = planar_points(0.2, (0.9, -1.2))
    velocity = np.array([0.05, -0.08])
    rows = np.eye(8)[6:]

    run = solve_ivp(
        lambda t, q: ARM.rates(q, 0.0, rows, velocity), (0.0, 4.0), start, method="DOP853", rtol=1e-12, atol=1e-13
    )
    end = run.y[:, -1]
    assert end[6:] == pytest.approx(start[6:] + 4.0 * velocity, abs=1e-11)
    q_dot = ARM.rates(end, 0.0, rows, velocity)
    assert ARM.momentum_map(end) @ q_dot == pytest.approx(0.0, abs=1e-12)
    assert ARM.angular_momentum_map(end) @ q_dot == pytest.approx(0.0, abs=1e-12)
    assert np.max(np.abs(ARM.constraints(end))) < 1e-11


def test_what_is_missing_is_counted():
    q = planar_points(0.2, (0.9, -1.2))
    with pytest.raises(ValueError, match="1 motions are given, expected 2: 6 equations for 8 coordinates"):
        ARM.rates(q, 0.0, np.eye(8)[6:7], [0.1])


def test_a_stretched_arm_is_singular():
    with pytest.raises(ValueError, match="singular"):
        ARM.rates(planar_points(0.0, (0.0, 0.0)), 0.0, np.eye(8)[6:], [0.1, 0.0])


# ---- in space: table 2

LENGTHS, MASSES, PRINCIPAL = (0.6, 1.1, 0.9), (30.0, 3.0, 2.0), (2.0, 3.0, 4.0)
SPATIAL = spatial_arm(PRINCIPAL, MASSES[0], LENGTHS[0], (MASSES[1], LENGTHS[1]), (MASSES[2], LENGTHS[2]))


def spatial_points(R, angles):
    """q = (r₁, r₂, r₃, r₄, u, v) for base axes R and the angles of the joints, mass centre at the origin.

    v is u turned about r₁₂ by θ₁; r₂₃ is the line of r₁₂ turned about v by θ₂, r₃₄ turned on by θ₃.
    """
    l1, l2, l3 = LENGTHS
    x, y, _ = R.T
    v = Rotation.from_rotvec(angles[0] * x).apply(y)
    r23 = Rotation.from_rotvec(angles[1] * v).apply(x)
    r34 = Rotation.from_rotvec((angles[1] + angles[2]) * v).apply(x)
    r1 = np.zeros(3)
    r2 = r1 + l1 * x
    r3 = r2 + l2 * r23
    r4 = r3 + l3 * r34
    center = np.average([r1, (r2 + r3) / 2, (r3 + r4) / 2], axis=0, weights=MASSES)
    return np.concatenate([r1 - center, r2 - center, r3 - center, r4 - center, l1 * y, l2 * v])


@pytest.fixture
def pose():
    return Rotation.random(random_state=3).as_matrix(), np.array([0.7, -0.5, 1.1])


def test_spatial_coordinates_and_angles(pose):
    """(47), (51), (54): 18 coordinates, 9 conditions, and the joint angles back from them."""
    q = spatial_points(*pose)
    assert np.allclose(SPATIAL.constraints(q), 0.0, atol=1e-14)
    assert len(SPATIAL.constraints(q)) == 9
    assert np.allclose(spatial_joint_angles(q), pose[1], atol=1e-14)
    assert SPATIAL.equations(q).shape == (15, 18)
    assert np.linalg.matrix_rank(SPATIAL.equations(q)) == 15


def test_spatial_constraint_rows_are_the_gradient(pose):
    q, step = spatial_points(*pose), 1e-6
    columns = [(SPATIAL.constraints(q + step * e) - SPATIAL.constraints(q - step * e)) / (2 * step) for e in np.eye(18)]
    assert np.allclose(SPATIAL.constraint_rows(q), np.transpose(columns), atol=1e-9)


def momenta_by_points(R, omega, angles, rates):
    """Angular momentum about the mass centre by Gauss points along rods and principal masses of the base: no formula of the paper.

    Velocities by central differences of positions, error of the order 1e-9.
    """
    step = 1e-5

    def at(t):
        turned = Rotation.from_rotvec(omega * t).as_matrix() @ R
        r1, r2, r3, r4, _, _ = spatial_points(turned, angles + rates * t).reshape(6, 3)
        nodes, weights = np.polynomial.legendre.leggauss(4)
        s = (nodes + 1.0) / 2.0
        rods = [r2 + a * (r3 - r2) for a in s] + [r3 + a * (r4 - r3) for a in s]
        a, b, c = PRINCIPAL  # six masses at distance 1 from the base's mass centre have its inertia
        on_axes = np.array([b + c - a, a + c - b, a + b - c]) / 4.0
        hull = [r1 + sign * turned[:, i] for i in range(3) for sign in (1.0, -1.0)]
        mass = [MASSES[1] * w / 2 for w in weights] + [MASSES[2] * w / 2 for w in weights]
        mass += [on_axes[i] for i in range(3) for _ in range(2)]
        mass.append(MASSES[0] - 2.0 * on_axes.sum())
        return np.array([*rods, *hull, r1]), np.array(mass)

    (r, m), (before, _), (after, _) = at(0.0), at(-step), at(step)
    v = (after - before) / (2.0 * step)
    return m @ v, m @ np.cross(r, v)


def test_spatial_momenta_by_mass_points(pose):
    """(48), (49) with the corrected (45), (46), against mass points; joint rates and base rate are random."""
    R, angles = pose
    rng = np.random.default_rng(5)
    omega, rates, step = rng.normal(size=3), rng.normal(size=3), 1e-5
    ends = [spatial_points(Rotation.from_rotvec(omega * t).as_matrix() @ R, angles + rates * t) for t in (-step, step)]
    q, q_dot = spatial_points(R, angles), (ends[1] - ends[0]) / (2 * step)
    momentum, spin = momenta_by_points(R, omega, angles, rates)
    assert np.allclose(SPATIAL.momentum_map(q) @ q_dot, momentum, atol=1e-8)
    assert np.allclose(SPATIAL.angular_momentum_map(q) @ q_dot, spin, atol=1e-8)


def test_spatial_gripper_path_keeps_the_angular_momentum(pose):
    """(53) with r₄(t) given and H₀ ≠ 0: constraints and momenta are kept by the equations themselves."""
    start, H0, velocity = spatial_points(*pose), np.array([0.3, -0.2, 0.4]), np.array([-0.04, 0.05, -0.03])
    rows = np.eye(18)[9:12]

    run = solve_ivp(
        lambda t, q: SPATIAL.rates(q, H0, rows, velocity), (0.0, 3.0), start, method="DOP853", rtol=1e-12, atol=1e-13
    )
    end = run.y[:, -1]
    q_dot = SPATIAL.rates(end, H0, rows, velocity)
    assert end[9:12] == pytest.approx(start[9:12] + 3.0 * velocity, abs=1e-11)
    assert np.max(np.abs(SPATIAL.constraints(end))) < 1e-11
    assert np.allclose(SPATIAL.angular_momentum_map(end) @ q_dot, H0, atol=1e-12)
    omega = SPATIAL.rate_map(end, 0) @ q_dot
    rates = np.array([spatial_joint_angles(end + h * q_dot) for h in (-1e-6, 1e-6)])
    base = (
        np.array([end[3:6] - end[:3], end[12:15], np.cross(end[3:6] - end[:3], end[12:15]) / LENGTHS[0]]).T / LENGTHS[0]
    )
    _, spin = momenta_by_points(base, base @ omega, spatial_joint_angles(end), (rates[1] - rates[0]) / 2e-6)
    assert np.allclose(spin, H0, atol=1e-7)
