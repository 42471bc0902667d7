"""Sensors, distribution of torques, drives and burns: each against NumPy, SciPy or a published number."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.blocks.actuation import ThrusterModulator, WheelDistribution
from spacefmu.dynamics.blocks.drives import JointController, OrbitBurns, ReelController, SunDrive
from spacefmu.dynamics.blocks.partner import partner_system
from spacefmu.dynamics.blocks.sensors import Gyro, Magnetometer, StarTracker, SunSensor, TetherSensor
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.recording import recorded


def samples(partner, inputs, count):
    """Outputs by name (count, …) at the first samples; inputs(t) → dict of arrays."""
    system = recorded(partner_system(partner))
    table, period = system.signals, partner.sample_time.start

    def u(t):
        values = np.array(table.starts("inputs"))
        for name, value in inputs(t).items():
            values[table.where("inputs", name)] = value
        return values

    x, _, k, d = evaluate.start(system, u=u(0.0))
    rows = []
    for n in range(count):
        t = n * period
        _, d = evaluate.settle(system, t, x, u(t), k, d)
        rows.append(evaluate.motion(system, t, x, u(t), k, d)[1])
    rows = np.array(rows)
    names = dict.fromkeys(e.name.split("[")[0] for e in table.outputs)
    return {name: rows[:, table.where("outputs", name)] for name in names}


def test_gyro_has_the_noise_and_the_walk_it_states():
    """Deviation σ_v/√T about the bias; the walk's steps have σ_u √T. Another seed gives other numbers, the same one the same."""
    T, rate = 0.25, np.array([0.01, -0.02, 0.03])
    noisy = samples(
        Gyro(name="G", sample_time=T, bias=(1e-3, 0.0, 0.0), noise=1e-4, seed=5),
        lambda t: {"angular_velocity": rate},
        2000,
    )["rate"]
    error = noisy - rate - [1e-3, 0.0, 0.0]
    assert error.std(axis=0) == pytest.approx(1e-4 / np.sqrt(T), rel=0.06)
    assert np.abs(error.mean(axis=0)).max() < 4 * 2e-4 / np.sqrt(2000)
    walk = samples(Gyro(name="G", sample_time=T, drift=1e-5, seed=5), lambda t: {}, 2000)["rate"]
    assert np.diff(walk, axis=0).std(axis=0) == pytest.approx(1e-5 * np.sqrt(T), rel=0.06)
    again, other = (samples(Gyro(name="G", sample_time=T, noise=1e-4, seed=s), lambda t: {}, 3)["rate"] for s in (5, 6))
    assert np.array_equal(again, samples(Gyro(name="G", sample_time=T, noise=1e-4, seed=5), lambda t: {}, 3)["rate"])
    assert not np.array_equal(again, other)


def attitude(t):
    x, y, z, w = Rotation.from_rotvec([0.1 * t, 0.2 * t, -0.05 * t]).as_quat()
    return np.array([w, x, y, z])


def test_star_tracker_is_late_and_noisy_as_stated():
    clean = samples(StarTracker(name="S", sample_time=0.5, delay=3), lambda t: {"quaternion": attitude(t)}, 8)
    assert clean["valid"].tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    for n in range(3, 8):
        assert np.abs(clean["attitude"][n] - attitude(0.5 * (n - 3))).max() < 1e-15
    noisy = samples(
        StarTracker(name="S", sample_time=0.5, noise=(1e-5, 1e-5, 1e-4)), lambda t: {"quaternion": attitude(t)}, 1500
    )["attitude"]
    turns = []
    for n, q in enumerate(noisy):
        w, x, y, z = attitude(0.5 * n)
        turns.append((Rotation.from_quat([x, y, z, w]).inv() * Rotation.from_quat([*q[1:], q[0]])).as_rotvec())
    assert np.std(turns, axis=0) == pytest.approx([1e-5, 1e-5, 1e-4], rel=0.07)
    nothing = samples(StarTracker(name="S"), lambda t: {"quaternion": np.zeros(4)}, 2)
    assert not nothing["valid"].any()
    assert np.array_equal(nothing["attitude"][1], [1, 0, 0, 0])


def test_sun_sensor_sees_what_is_in_its_field():
    sensor = SunSensor(name="S", boresight=(1.0, 0.0, 0.0), across=(0.0, 1.0, 0.0), field_of_view=0.6)
    directions = [(1.0, 0.2, 0.1), (1.0, 0.0, 0.9), (-1.0, 0.0, 0.0)]
    found = [samples(sensor, lambda t, s=s: {"sun_direction": np.array(s) / np.linalg.norm(s)}, 1) for s in directions]
    assert [bool(f["seen"][0]) for f in found] == [True, False, False]
    assert found[0]["angles"][0] == pytest.approx([np.arctan(0.2), np.arctan(0.1)], abs=1e-15)
    hidden = samples(sensor, lambda t: {"sun_direction": np.array([1.0, 0, 0]), "sunlit": 0.0}, 1)
    assert not hidden["seen"][0]


def test_magnetometer_has_its_errors_and_its_range():
    true = np.array([2e-5, -3e-5, 9e-5])
    sensor = Magnetometer(name="M", sample_time=0.1, bias=(1e-6, 0.0, 0.0), noise=1e-7, range=5e-5)
    found = samples(sensor, lambda t: {"magnetic_field": true}, 1500)
    error = found["field"][:, :2] - true[:2] - [1e-6, 0.0]
    assert error.std(axis=0) == pytest.approx(1e-7, rel=0.07)
    assert np.abs(error.mean(axis=0)).max() < 4e-7 / np.sqrt(1500)
    assert (found["field"][:, 2] == 5e-5).all()  # at the end of its range, and says so
    assert found["saturated"].all()
    below = samples(sensor, lambda t: {"magnetic_field": 0.5 * true}, 3)
    assert not below["saturated"].any()


def test_tether_sensor_sees_a_turning_and_growing_line():
    """b − a = L (cos β cos θ, cos β sin θ, sin β), its ends moving by the derivative of that: θ, θ̇, L, L̇ come back in every quadrant."""
    table = (system := partner_system(TetherSensor(name="T"))).signals
    beta, beta_rate, theta_rate, length, growth = 0.2, 3e-4, -1.3e-3, 750.0, 0.4
    a, a_rate = np.array([3.0, -40.0, 7.0]), np.array([0.1, -0.2, 0.3])
    for theta in (0.3, 2.0, -2.5, -0.7):
        along = np.array([np.cos(beta) * np.cos(theta), np.cos(beta) * np.sin(theta), np.sin(beta)])
        turning = theta_rate * np.array([-along[1], along[0], 0.0]) + beta_rate * np.array(
            [-np.sin(beta) * np.cos(theta), -np.sin(beta) * np.sin(theta), np.cos(beta)]
        )
        ends = {
            "position_a": a,
            "velocity_a": a_rate,
            "position_b": a + length * along,
            "velocity_b": a_rate + growth * along + length * turning,
        }
        u = np.concatenate([ends[quantity.name] for quantity in table.quantities("inputs")])
        y = evaluate.motion(system, 0.0, *evaluate.start(system, u=u))[1]
        found = dict(zip((entry.name for entry in table.outputs), y, strict=True))
        assert found == pytest.approx(
            {"angle": theta, "angle_rate": theta_rate, "distance": length, "distance_rate": growth}, rel=1e-12
        )
    nowhere = np.zeros(system.nu)  # both ends at one place, as some masters start: numbers all the same
    assert np.array_equal(evaluate.motion(system, 0.0, *evaluate.start(system, u=nowhere))[1], np.zeros(4))


PYRAMID = np.array([[1, 1, 1], [1, -1, 1], [-1, -1, 1], [-1, 1, 1.0]]) / np.sqrt(3.0)


def test_wheels_share_a_torque_as_numpy_s_pseudo_inverse_does():
    rng = np.random.default_rng(2)
    torque, speed, bias = rng.normal(size=3), 100.0 * rng.normal(size=4), np.full(4, 50.0)
    wheels = WheelDistribution(name="W", axes=PYRAMID, spin_inertia=0.02, bias_speed=bias, bias_rate=0.1)
    found = samples(wheels, lambda t: {"torque": torque, "speed": speed}, 1)
    null = (np.eye(4) - np.linalg.pinv(PYRAMID.T) @ PYRAMID.T) @ (0.02 * 0.1 * (bias - speed))
    assert found["wheel_torque"][0] == pytest.approx(-np.linalg.pinv(PYRAMID.T) @ torque + null, abs=1e-14)
    assert -PYRAMID.T @ found["wheel_torque"][0] == pytest.approx(torque, abs=1e-14)  # the bias turns no body
    assert found["momentum"][0] == pytest.approx(PYRAMID.T @ (0.02 * speed), abs=1e-14)


def test_unloading_begins_and_ends_with_hysteresis():
    axes = np.eye(3)
    wheels = WheelDistribution(
        name="W", axes=axes, spin_inertia=0.1, unload_above=2.0, unload_below=0.5, unload_rate=0.2, unload_limit=0.3
    )
    speeds = [10.0, 25.0, 15.0, 8.0, 4.0, 8.0]  # momenta 1, 2.5, 1.5, 0.8, 0.4, 0.8
    found = samples(wheels, lambda t: {"speed": [speeds[round(t / 0.1)], 0.0, 0.0]}, 6)["unloading"][:, 0]
    assert found == pytest.approx([0.0, -0.3, -0.3, -0.16, 0.0, 0.0], abs=1e-14)


ARMS = np.vstack([np.diag([0.5, 0.7, 0.9]), -np.diag([0.5, 0.7, 0.9])])


def test_pulses_have_the_mean_of_the_wanted_torque():
    """Over many periods the impulse is the wanted one within one resolution of one thruster; pulses are whole and not shorter than stated."""
    torque = np.array([0.13, -0.31, 0.004])
    modulator = ThrusterModulator(name="M", sample_time=0.02, period=10, shortest=2, arms=ARMS, thrust=1.0)
    force = samples(modulator, lambda t: {"torque": torque}, 2000)["force"]
    assert set(np.unique(force)) == {0.0, 1.0}
    impulse, wanted = 0.02 * (force @ ARMS).sum(axis=0), torque * 2000 * 0.02
    assert np.abs(impulse - wanted).max() < 2 * 0.02 * 0.9  # the shortest pulse of the longest arm
    for thruster in force.reshape(200, 10, 6).sum(axis=1).T:
        assert np.all((thruster == 0) | (thruster >= 2))


def test_sun_drive_follows_the_short_way_at_its_rate():
    drive = SunDrive(name="D", sample_time=1.0, rate=0.1)

    def sun(t):
        angle = 3.0 + 0.05 * t  # passes π: the command goes on, it does not jump
        return {"sun_direction": np.array([np.sin(angle), 0.0, np.cos(angle)])}

    found = samples(drive, sun, 80)
    assert np.diff(found["angle_command"]) == pytest.approx(
        np.clip(np.diff(found["angle_command"]), 0.0, 0.1), abs=1e-12
    )
    assert found["angle_command"][-1] == pytest.approx(3.0 + 0.05 * 79, abs=1e-12)
    assert found["angle_command"][-1] > np.pi
    dark = samples(drive, lambda t: sun(t) | {"sunlit": 0.0}, 5)
    assert np.all(dark["angle_command"] == 0.0)


def test_computed_torque_makes_a_linear_oscillator_of_a_joint():
    """M q̈ = τ with an error of 0.1 rad: the error is that of ë + D ė + K e = 0, sampled finely."""
    controller = JointController(
        name="J",
        sample_time=0.002,
        start_angle=(0.4,),
        end_angle=(1.0,),
        duration=1.5,
        stiffness=9.0,
        damping=4.0,
        inertia=(3.0,),
    )
    system = recorded(partner_system(controller))
    x, _, k, d = evaluate.start(system, u=np.array(system.signals.starts("inputs")))
    q, v, times, errors = 0.5, 0.0, [], []
    for n in range(1000):
        t = 0.002 * n
        u = np.array(system.signals.starts("inputs"))
        u[system.signals.where("inputs", "angle[1]")], u[system.signals.where("inputs", "speed[1]")] = q, v
        _, d = evaluate.settle(system, t, x, u, k, d)
        y = evaluate.motion(system, t, x, u, k, d)[1]
        a = y[system.signals.where("outputs", "torque[1]")] / 3.0
        q, v = q + 0.002 * v + 0.5 * 0.002**2 * a, v + 0.002 * a
        times.append(t)
        errors.append(y[system.signals.where("outputs", "error[1]")])
    exact = solve_ivp(
        lambda t, e: [e[1], -9.0 * e[0] - 4.0 * e[1]], (0.0, 2.0), [0.1, 0.0], t_eval=times, rtol=1e-9, atol=1e-12
    ).y[0]
    assert np.abs(np.array(errors) - exact).max() < 1e-3  # of 0.1: the hold of 2 ms
    follows = samples(
        JointController(name="J", start_angle=(0.0,), inertia=(2.0,), stiffness=5.0, damping=1.0, follows=True),
        lambda t: {"reference.angle": 0.3, "reference.speed": 0.1, "angle": 0.2, "speed": 0.0, "feedforward": 0.7},
        1,
    )
    assert follows["torque"][0] == pytest.approx(0.7 + 2.0 * (1.0 * 0.1 + 5.0 * 0.1), abs=1e-14)


def test_reel_damps_libration_by_its_ratio():
    """θ̈ + 2(L̇/L)(θ̇ + n) + 3n² sin θ cos θ = 0 with the sampled reel: small librations decay as e^(−k_θ n t)."""
    n, gain, T = 1e-3, 0.3, 5.0
    controller = ReelController(
        name="R",
        sample_time=T,
        start_length=1000.0,
        end_length=1000.0,
        duration=1.0,
        libration_gain=gain,
        time_constant=T,
    )
    system = recorded(partner_system(controller))
    x, _, k, d = evaluate.start(system)
    state, peaks = np.array([0.02, 0.0, 1000.0, 0.0]), []

    def rates(t, s, a):
        theta, omega, length, rate = s
        return [omega, -2.0 * rate / length * (omega + n) - 3.0 * n**2 * np.sin(theta) * np.cos(theta), rate, a]

    for i in range(2200):
        u = np.array([state[2], state[3], state[1]])
        _, d = evaluate.settle(system, i * T, x, u, k, d)
        a = evaluate.motion(system, i * T, x, u, k, d)[1][0]
        new = solve_ivp(rates, (0.0, T), state, args=(a,), rtol=1e-8, atol=1e-12, method="DOP853").y[:, -1]
        if state[1] * new[1] < 0.0:
            peaks.append((i * T, abs(new[0])))
        state = new
    (t1, first), (t2, last) = peaks[0], peaks[3]
    assert np.log(first / last) / (t2 - t1) == pytest.approx(gain * n, rel=0.05)
    assert len(peaks) > 3


def test_burns_give_their_delta_v_exactly():
    """1.23 m/s on 500 kg by 20 N takes 30.75 samples of a second: 30 full ones and one of 15 N; the second burn waits for its start."""
    burns = OrbitBurns(name="B", burn_start=(5.0, 100.0), delta_v=(1.23, 0.5), thrust=20.0, mass=500.0)
    force = samples(burns, lambda t: {}, 130)["force"]
    assert force[:5].sum() == 0.0
    assert force[5:35] == pytest.approx(20.0)
    assert force[35] == pytest.approx(15.0, abs=1e-9)
    assert force[36:100].sum() == pytest.approx(0.0, abs=1e-9)
    assert force.sum() / 500.0 == pytest.approx(1.73, abs=1e-12)


def test_descriptions_of_partners():
    """Keys are the fields; wrong ones have one sentence."""
    gyro = load_text('kind = "gyro"\nname = "G"\nsample_time = 0.5\nbias = [0.1, 0.2, 0.3]')
    assert gyro.signals.starts("parameters")[gyro.signals.where("parameters", "bias[2]")] == 0.2
    with pytest.raises(DescriptionError, match="sample_time is missing"):
        load_text('kind = "gyro"\nname = "G"')
    with pytest.raises(DescriptionError, match="did you mean 'noise'"):
        load_text('kind = "gyro"\nname = "G"\nsample_time = 1.0\nnoice = 1.0')
    with pytest.raises(DescriptionError, match="expected its opposite among the arms"):
        load_text(
            'kind = "thruster_modulator"\nname = "M"\nsample_time = 0.1\nthrust = 1.0\narms = [[1, 0, 0], [0, 1, 0]]'
        )
