"""Attitude: against SciPy's Rotation, numerical differentiation, and the matrices that [stroe] prints."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.algebra import rotation as rot
from tests.algebra.on_symbols import on_symbols, slopes

RNG = np.random.default_rng(1)
ATTITUDES = list(Rotation.random(20, random_state=2))
STEP = 1e-3


def q_of(attitude: Rotation) -> np.ndarray:
    """Scalar first, as this project has it."""
    return attitude.as_quat(scalar_first=True)


def derivative(function, t=0.0):
    """d/dt by a five-point stencil of step 1e-3: error ~ h⁴ f⁽⁵⁾/30 ≈ 1e-12 for rates of 1 rad/s, round-off 1e-13."""
    h = STEP
    near = function(t + h) - function(t - h)
    far = function(t + 2 * h) - function(t - 2 * h)
    return (8.0 * near - far) / (12.0 * h)


def same_on_symbols(function, *arguments, tolerance=1e-15):
    expected = np.ravel(np.concatenate([np.ravel(part) for part in np.atleast_1d(function(*arguments))]))
    assert np.allclose(on_symbols(function, *arguments), expected, rtol=0.0, atol=tolerance)


def test_skew_and_cross():
    a, b = RNG.normal(size=(2, 3))
    assert np.array_equal(rot.cross(a, b), np.cross(a, b))
    assert np.allclose(rot.skew(a) @ b, np.cross(a, b), rtol=0.0, atol=1e-15)
    same_on_symbols(rot.cross, a, b)


@pytest.mark.parametrize("attitude", ATTITUDES)
def test_quaternion_dcm(attitude):
    """The matrix maps B to N as SciPy's does; measured 3e-16."""
    assert np.allclose(rot.quaternion_dcm(q_of(attitude)), attitude.as_matrix(), rtol=0.0, atol=1e-15)
    same_on_symbols(rot.quaternion_dcm, q_of(attitude))


def test_quaternion_product_and_conjugate():
    """a ∘ b turns by b first; the conjugate undoes. Measured 4e-16."""
    a, b = ATTITUDES[0], ATTITUDES[1]
    dcm = rot.quaternion_dcm(rot.quaternion_product(q_of(a), q_of(b)))
    assert np.allclose(dcm, (a * b).as_matrix(), rtol=0.0, atol=1e-15)
    one = rot.quaternion_product(q_of(a), rot.quaternion_conjugate(q_of(a)))
    assert np.allclose(one, [1.0, 0.0, 0.0, 0.0], rtol=0.0, atol=1e-15)
    same_on_symbols(rot.quaternion_product, q_of(a), q_of(b))


@pytest.mark.parametrize("attitude", ATTITUDES[:5])
def test_quaternion_rate(attitude):
    """q̇ = ½ q ∘ (0, ω) of a turn at constant ω in body axes, differentiated numerically. Measured 6e-14."""
    omega = np.array([0.3, -0.8, 0.5])
    moving = lambda t: q_of(attitude * Rotation.from_rotvec(omega * t))  # noqa: E731
    sign = np.sign(moving(0.0) @ q_of(attitude))
    assert np.allclose(derivative(moving), sign * rot.quaternion_rate(q_of(attitude), omega), rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.7, -2.0, np.pi])
def test_axis_angle(angle):
    axis = np.array([1.0, -2.0, 2.0]) / 3.0
    expected = Rotation.from_rotvec(angle * axis).as_matrix()
    assert np.allclose(rot.axis_angle_dcm(axis, angle), expected, rtol=0.0, atol=1e-15)
    assert np.allclose(rot.quaternion_dcm(rot.axis_angle_quaternion(axis, angle)), expected, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("attitude", [*ATTITUDES, *Rotation.from_rotvec(np.pi * np.eye(3)), Rotation.identity()])
def test_dcm_quaternion(attitude):
    """Back from the matrix, half turns included; the scalar part is not negative. Measured 5e-16."""
    q = rot.dcm_quaternion(attitude.as_matrix())
    assert q[0] >= 0.0
    assert np.allclose(rot.quaternion_dcm(q), attitude.as_matrix(), rtol=0.0, atol=1e-15)


def stroe_10(phi_1, phi_2, phi_3):
    """[A_i0] of [stroe] eq. (10), written out: N to B for turns φ1, φ2, φ3 about x, y, z in this order."""
    c1, c2, c3 = np.cos([phi_1, phi_2, phi_3])
    s1, s2, s3 = np.sin([phi_1, phi_2, phi_3])
    return np.array(
        [
            [c2 * c3, c1 * s3 + s1 * s2 * c3, s1 * s3 - c1 * s2 * c3],
            [-c2 * s3, c1 * c3 - s1 * s2 * s3, s1 * c3 + c1 * s2 * s3],
            [s2, -s1 * c2, c1 * c2],
        ]
    )


def stroe_11(angles, rates):
    """ω in body axes of [stroe] eq. (11)."""
    (_, p2, p3), (r1, r2, r3) = angles, rates
    return np.array(
        [
            r1 * np.cos(p2) * np.cos(p3) + r2 * np.sin(p3),
            -r1 * np.cos(p2) * np.sin(p3) + r2 * np.cos(p3),
            r1 * np.sin(p2) + r3,
        ]
    )


ANGLES = [np.array([0.3, -0.5, 1.2]), np.array([-2.5, 1.4, 3.0]), np.zeros(3)]


@pytest.mark.parametrize("angles", ANGLES)
def test_euler_123_stroe_10(angles):
    """[stroe] (10): its matrix is dcm_BN, and euler_123 gives its angles back. Measured 2e-16."""
    dcm_BN = stroe_10(*angles)
    assert np.allclose(dcm_BN.T, Rotation.from_euler("XYZ", angles).as_matrix(), rtol=0.0, atol=1e-15)
    assert np.allclose(rot.euler_123(dcm_BN.T), angles, rtol=0.0, atol=1e-14)
    same_on_symbols(rot.euler_123, dcm_BN.T)


@pytest.mark.parametrize("angles", ANGLES)
def test_angular_velocity_stroe_11(angles):
    """[stroe] (11) gives the ω that the quaternion kinematics give for the same motion. Measured 2e-13."""
    rates = np.array([0.4, -0.2, 0.7])
    q = rot.dcm_quaternion(stroe_10(*angles).T)

    def moving(t):
        other = rot.dcm_quaternion(stroe_10(*(angles + rates * t)).T)
        return other * np.sign(other @ q)

    omega = 2.0 * rot.quaternion_product(rot.quaternion_conjugate(q), derivative(moving))[1:]
    assert np.allclose(omega, stroe_11(angles, rates), rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("angles", ANGLES)
def test_euler_321(angles):
    """Yaw, pitch, roll against SciPy's intrinsic ZYX. Measured 4e-16."""
    dcm_NB = Rotation.from_euler("ZYX", angles).as_matrix()
    assert np.allclose(rot.euler_321(dcm_NB), angles, rtol=0.0, atol=1e-14)
    same_on_symbols(rot.euler_321, dcm_NB)


@pytest.mark.parametrize("order, euler", [("XYZ", rot.euler_123), ("ZYX", rot.euler_321)])
@pytest.mark.parametrize("middle", [np.pi / 2, -np.pi / 2])
def test_euler_angles_at_gimbal_lock(order, euler, middle):
    """The attitude comes back from angles at ±90°, and no derivative is NaN: other outputs' ones would fail with it."""
    dcm = Rotation.from_euler(order, [0.4, middle, -1.1]).as_matrix()
    angles = euler(dcm)
    assert np.allclose(Rotation.from_euler(order, angles).as_matrix(), dcm, rtol=0.0, atol=1e-15)
    assert np.all(np.isfinite(slopes(euler, dcm)))


THETAS = [np.zeros(3), np.array([1e-9, -2e-9, 1e-9]), np.array([0.05, 0.02, -0.01]), np.array([0.6, -0.7, 0.3]),
          np.array([0.58, 0.58, 0.573]), np.array([1.5, -1.0, 2.0])]  # fmt: skip


@pytest.mark.parametrize("theta", THETAS)
def test_rotation_vector(theta):
    """R = exp(θ̃); ω = Γθ̇ in the old axes (Ṙ = ω̃R); Γ̇ along a curved path θ(t). Measured 2e-15, 3e-13, 3e-13.

    θ on both sides of s = θ² = 1, where the power series hands over to the quotients.
    """
    rate, curve = np.array([0.4, -0.3, 0.8]), np.array([0.2, 0.5, -0.4])
    path = lambda t: theta + rate * t + 0.5 * curve * t * t  # noqa: E731
    R, gamma, gamma_dot = rot.rotation_vector(theta, rate)
    assert np.allclose(R, expm(rot.skew(theta)), rtol=0.0, atol=5e-15)
    R_dot = derivative(lambda t: rot.rotation_vector(path(t), rate)[0])
    assert np.allclose(R_dot, rot.skew(gamma @ rate) @ R, rtol=0.0, atol=2e-11)
    assert np.allclose(derivative(lambda t: rot.rotation_vector(path(t), rate)[1]), gamma_dot, rtol=0.0, atol=2e-11)
    same_on_symbols(
        lambda a, b: np.concatenate([m.ravel() for m in rot.rotation_vector(a, b)]), theta, rate, tolerance=4e-16
    )


def test_rotation_coefficients_are_continuous():
    """Series and quotients meet at θ² = 1: A, B, C, dB, dC agree on both sides. Measured 6e-17."""
    left, right = np.nextafter(1.0, 0.0), 1.0
    assert np.allclose(rot.rotation_coefficients(left), rot.rotation_coefficients(right), rtol=0.0, atol=1e-15)
