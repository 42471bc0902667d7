"""Joint kinematics against numerical differentiation of poses: axes, rates and the bias left at v̇ = 0."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.algebra.rotation import axis_angle_dcm, skew
from spacefmu.dynamics.joints import AxesJoint, FreeJoint, ScrewJoint, SphericalJoint, SpinJoint, TurningAxesJoint
from tests.algebra.test_rotation import derivative, q_of

A1, A2, A3 = ((1.0, 2.0, 2.0), (2.0, -2.0, 1.0), (-2.0, 3.0, 6.0))
A1, A2, A3 = (tuple(np.array(a) / np.linalg.norm(a)) for a in (A1, A2, A3))


@pytest.fixture
def rng():
    """Numbers of its own for every test, whichever ran before."""
    return np.random.default_rng(3)


Q1 = q_of(Rotation.from_rotvec([0.4, -1.1, 0.7]))

JOINTS = {
    "fixed": (AxesJoint(), np.zeros(0)),
    "revolute": (AxesJoint((), (A1,)), np.array([0.7])),
    "prismatic": (AxesJoint((A2,), ()), np.array([0.3])),
    "cylindrical": (AxesJoint((A1,), (A1,)), np.array([0.3, -0.9])),
    "screw": (ScrewJoint(A1, -0.4), np.array([0.7])),
    "universal": (AxesJoint((), (A1, A2)), np.array([0.7, -1.2])),
    "gimbal": (AxesJoint((), (A1, A2, A3)), np.array([0.7, -1.2, 2.0])),
    "six axes": (AxesJoint((A1, A2, A3), (A3, A1, A2)), np.array([0.1, 0.2, -0.3, 0.7, -1.2, 2.0])),
    "turn, then slide": (TurningAxesJoint((A2,), (A1,)), np.array([0.3, -0.9])),
    "six axes, turns first": (TurningAxesJoint((A1, A2, A3), (A3, A1, A2)), np.array([0.1, 0.2, -0.3, 0.7, -1.2, 2.0])),
    "spherical": (SphericalJoint(), Q1),
    "free": (FreeJoint(), np.concatenate([[0.1, -0.2, 0.3], Q1])),
}


def coasting(joint, q, v):
    """q(t) with constant speeds v: q̇ = T(q) v by Runge–Kutta steps of 1e-4 (error ~1e-16 over four steps of 1e-3)."""

    def at(t, steps=10):
        now, h = np.array(q), t / steps
        for _ in range(steps):
            k1 = joint.map(now) @ v
            k2 = joint.map(now + 0.5 * h * k1) @ v
            k3 = joint.map(now + 0.5 * h * k2) @ v
            k4 = joint.map(now + h * k3) @ v
            now = now + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return now

    return at


@pytest.mark.parametrize("name", JOINTS)
def test_axes_are_the_rates_of_the_pose(name, rng):
    """ṡ = g v in J, and (dcm)˙ = dcm (l v)~ with l in C. Measured 5e-12."""
    joint, q = JOINTS[name]
    v = rng.normal(size=joint.nv)
    move = coasting(joint, q, v)
    g, l_axes = joint.axes(q)
    assert np.allclose(derivative(lambda t: joint.pose(move(t))[0]), g @ v, rtol=0.0, atol=1e-10)
    dcm_dot = derivative(lambda t: joint.pose(move(t))[1])
    assert np.allclose(dcm_dot, joint.pose(q)[1] @ skew(l_axes @ v), rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("name", JOINTS)
def test_origins_bend_where_slides_turn(name, rng):
    """s̈ at v̇ = 0 by central differences of ṡ = g v."""
    joint, q = JOINTS[name]
    v = rng.normal(size=joint.nv)
    move = coasting(joint, q, v)
    s_dot = lambda t: joint.axes(move(t))[0] @ v  # noqa: E731
    assert np.allclose(derivative(s_dot), joint.bent(q, v), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("name", JOINTS)
def test_bias_is_the_angular_acceleration_left(name, rng):
    """[jin1991] (15): the axes move, so at v̇ = 0 the child still accelerates; J itself turns at constant ω_J.

    The child's ω in N is R_J(t) (ω_J + dcm(t) l(t) v) with R_J = exp(ω̃_J t); its rate at t = 0 is dcm times the bias. Measured 4e-12.
    """
    joint, q = JOINTS[name]
    v, omega_J = rng.normal(size=joint.nv), rng.normal(size=3)
    move = coasting(joint, q, v)
    speed = np.linalg.norm(omega_J)

    def omega_N(t):
        turned, now = axis_angle_dcm(omega_J / speed, speed * t), move(t)
        return turned @ (omega_J + joint.pose(now)[1] @ joint.axes(now)[1] @ v)

    dcm = joint.pose(q)[1]
    bias = joint.turning(q, v, dcm.T @ omega_N(0.0))
    assert np.allclose(derivative(omega_N), dcm @ bias, rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("name", ["spherical", "free"])
def test_speeds_are_in_child_axes(name, rng):
    """The angular velocity of a ball joint in its own axes is the speed itself."""
    joint, q = JOINTS[name]
    v = rng.normal(size=joint.nv)
    assert np.array_equal(joint.axes(q)[1] @ v, v[-3:])


def test_spin_joint():
    """A rotor's frame does not turn with it; its axis does, with the host: bias v ω×a."""
    joint, v, omega_J = SpinJoint(A1), np.array([40.0]), np.array([0.1, 0.2, -0.3])
    s, dcm = joint.pose(np.zeros(0))
    g, l_axes = joint.axes(np.zeros(0))
    bias = joint.turning(np.zeros(0), v, omega_J + l_axes @ v)
    assert np.array_equal(dcm, np.eye(3))
    assert not np.any(s)
    assert not np.any(g)
    assert np.array_equal(l_axes[:, 0], A1)
    assert np.allclose(bias, 40.0 * np.cross(omega_J, A1), rtol=0.0, atol=1e-12)
