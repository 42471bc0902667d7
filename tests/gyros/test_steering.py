"""Steering of control-moment gyros: torque of its rates, null motion, singularities, and a slew through one."""

import numpy as np
import pytest

from spacefmu.dynamics.blocks.gyro_steering import adjugate, null_rates, robust_rates
from spacefmu.dynamics.description import DescriptionError, load, load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.fmu_src import api
from spacefmu.fmu_src.catalogue import SYSTEMS

RATES = SYSTEMS / "parts" / "GyroRates.toml"
BETA = np.radians(54.73)


def pyramid(angles):
    """A (3, 4) and H/h (3,) of the pyramid, written out as in [wie2001]."""
    (s1, s2, s3, s4), (c1, c2, c3, c4), cb, sb = np.sin(angles), np.cos(angles), np.cos(BETA), np.sin(BETA)
    A = np.array([[-cb * c1, s2, cb * c3, -s4], [-s1, -cb * c2, s3, cb * c4], [sb * c1, sb * c2, sb * c3, sb * c4]])
    H = np.array([-cb * s1 - c2 + cb * s3 + c4, c1 - cb * s2 - c3 + cb * s4, sb * (s1 + s2 + s3 + s4)])
    return A, H


def commanded(angles, torque, omega=(0.0, 0.0, 0.0), **parameters):
    """Gimbal rates (4,) and the measure of the block at t = 0."""
    system = load(RATES)
    p = np.array(system.signals.starts("parameters"))
    for name, value in parameters.items():
        p[system.signals.where("parameters", name)] = value
    u = np.concatenate([torque, omega, angles])
    x, u, p, d = evaluate.start(system, u=u, p=p)
    y = evaluate.motion(system, 0.0, x, u, evaluate.constants(system, p), d)[1]
    return y[:4], y[4]


def test_rates_give_the_torque():
    """Far from singularities: −h A γ̇ − ω×H is the wanted torque to 1e-12 with λ = 0; null motion changes the rates and not the torque."""
    angles, torque, omega = np.array([0.3, -0.5, 0.9, 0.2]), np.array([1.0, -2.0, 0.7]), np.array([0.02, 0.01, -0.03])
    A, H = pyramid(angles)
    rates, measure = commanded(angles, torque, omega, robustness=0.0)
    assert -25.0 * A @ rates - np.cross(omega, 25.0 * H) == pytest.approx(torque, rel=1e-12)
    assert measure == pytest.approx(np.linalg.det(A @ A.T), rel=1e-13)
    led, _ = commanded(angles, torque, omega, robustness=0.0, null_gain=0.3)
    assert np.linalg.norm(led - rates) > 0.05
    assert A @ (led - rates) == pytest.approx(np.zeros(3), abs=1e-15)
    wish = np.radians([0.0, 60.0, -60.0, 0.0]) - angles
    assert (led - rates) @ wish > 0.0


def test_null_motion_is_exact_at_singularities():
    """det(A Aᵀ) 1 − Aᵀ adj(A Aᵀ) A is h² times the projector; where A Aᵀ is singular it is still exactly null."""
    A, _ = pyramid(np.radians([90.0, 0.0, -90.0, 0.0]))
    B = A @ A.T
    assert abs(np.linalg.det(B)) < 1e-15
    assert B @ adjugate(B) == pytest.approx(np.zeros((3, 3)), abs=1e-15)
    assert A @ null_rates(A, np.array([0.3, -0.2, 0.5, 0.9])) == pytest.approx(np.zeros(3), abs=1e-15)
    A, _ = pyramid(np.array([0.3, -0.5, 0.9, 0.2]))
    wish = np.array([0.3, -0.2, 0.5, 0.9])
    projected = wish - np.linalg.pinv(A) @ (A @ wish)
    assert null_rates(A, wish) == pytest.approx(np.linalg.det(A @ A.T) * projected, rel=1e-12)


def test_robust_inverse_leaves_an_elliptic_singularity():
    """At (90, 0, −90, 0) degrees a torque about x gets no rates from the diagonal inverse, and finite ones that move the gyros with ε."""
    A, _ = pyramid(np.radians([90.0, 0.0, -90.0, 0.0]))
    x = np.array([1.0, 0.0, 0.0])
    assert robust_rates(A, x, 0.01, np.zeros(3)) == pytest.approx(np.zeros(4), abs=1e-12)
    shaken = robust_rates(A, x, 0.01, np.array([0.0, 0.1, 0.1]))
    assert 1e-3 < np.linalg.norm(shaken) < 10.0


def test_rates_are_cut_by_one_factor():
    """A torque that needs more than the largest rate: the direction of the rates stays."""
    angles, torque = np.array([0.3, -0.5, 0.9, 0.2]), np.array([100.0, -200.0, 70.0])
    cut, whole = commanded(angles, torque)[0], commanded(angles, torque, rate_limit=1e3)[0]
    assert np.max(np.abs(cut)) == pytest.approx(1.5, rel=1e-14)
    assert cut / np.linalg.norm(cut) == pytest.approx(whole / np.linalg.norm(whole), rel=1e-13)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("spin_axes = [[0.0, 1.0, 0.0], ", "spin_axes = [", "spin_axes is '3 axes', expected one per gimbal axis, 4"),
        (
            "shake = 0.1",
            "shake = 0.6",
            "shake is 0.6, expected less than 0.5, so that A Aᵀ \\+ λ E is positive definite",
        ),
        ('"60 deg", "-60 deg"', '"60 deg"', "preferred_angle is '3 angles', expected one per gyro, 4"),
        ("[[0.0, 1.0, 0.0], ", "[[1.0, 0.0, 0.0], ", "spin_axes is .* expected a right angle to its gimbal axis"),
    ],
)
def test_bad_input(old, new, sentence):
    text = RATES.read_text("utf-8")
    assert old in text
    with pytest.raises(DescriptionError, match=sentence):
        load_text(text.replace(old, new))


@pytest.mark.ci
def test_slew_through_a_singularity():
    """GyroSlew: the gyros pass within 1e-3 of a singularity; the robust inverse keeps the slew within 2 degrees, the pseudo-inverse loses it by more than 5."""
    robust = api.cosimulate("GyroSlew")
    plain = api.cosimulate("GyroSlew", start_values={"steering.robustness": 0.0, "steering.shake": 0.0})
    assert np.min(robust["steering.singularity"]) < 1e-3
    errors = [np.degrees(np.abs(run["controller.error[1]"])) for run in (robust, plain)]
    assert np.max(errors[0]) < 2.0
    assert errors[0][-1] < 1e-3
    assert np.max(errors[1]) > 5.0
