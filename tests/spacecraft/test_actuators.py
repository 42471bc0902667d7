"""Limits, lags and valves in front of a plant: closed forms of one axis, and the plant itself untouched."""

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.recording import recorded
from spacefmu.dynamics.system.reference import integrate

TEXT = """
name = "Craft"
[bodies.hub]
mass = 10.0
inertia = [4.0, 5.0, 6.0]
[wheels.z]
body = "hub"
axis = "z"
spin_inertia = 0.02
{wheel}
[thrusters.x]
body = "hub"
place = [0.0, 0.0, 0.0]
direction = "x"
{thruster}
"""


def craft(wheel="", thruster=""):
    return recorded(load_text(TEXT.format(wheel=wheel, thruster=thruster)))


def run(system, times, inputs, **more):
    table = system.signals

    def u(t):
        values = np.array(table.starts("inputs"))
        for name, of_time in inputs.items():
            values[table.where("inputs", name)] = of_time(t)
        return values

    result = integrate(system, times, u=u, **more)
    return lambda name: (
        result.x[:, table.where("states", name)]
        if name.split("[")[0] in [s.name.split("[")[0] for s in table.states]
        else result.y[:, table.where("outputs", name)]
    )


def test_motor_lag_and_torque_limit():
    """τ Ṫ = T_limit − T from rest: T = 0.1 (1 − e^(−t/τ)), and the rotor's momentum is its integral."""
    times = np.linspace(0.0, 3.0, 7)
    found = run(craft("torque_limit = 0.1\nmotor_lag = 0.5"), times, {"wheel.z.torque": lambda t: 7.0})
    torque = 0.1 * (1.0 - np.exp(-times / 0.5))
    assert found("wheel.z.motor_torque") == pytest.approx(torque, abs=1e-11)
    assert found("wheel.z.applied_torque") == pytest.approx(torque, abs=1e-11)
    momentum = 0.1 * (times - 0.5 * (1.0 - np.exp(-times / 0.5)))
    assert -6.0 * found("hub.angular_velocity[3]") == pytest.approx(momentum, abs=1e-10)


def test_a_wheel_at_its_largest_speed_can_only_brake():
    """The torque fades over the last 2 %, so the speed tends to its limit; the other way the whole torque is there."""
    system = craft("speed_limit = 100.0\nspeed = 97.0")
    found = run(system, np.linspace(0.0, 20.0, 3), {"wheel.z.torque": lambda t: 1.0})
    assert found("wheel.z.speed")[-1] == pytest.approx(100.0, abs=1e-6)
    assert found("wheel.z.applied_torque")[-1] < 1e-6
    back = run(system, np.linspace(0.0, 0.1, 2), {"wheel.z.torque": lambda t: -1.0}, x=None)
    assert back("wheel.z.applied_torque") == pytest.approx(-1.0)


def test_thrust_rises_and_falls_with_its_time_constants():
    """On at 0, off at 1 s: F = 2 (1 − e^(−t/0.2)), then decay with 0.5 s; a negative command is none, a large one the largest."""
    system = craft(thruster="maximum = 2.0\nrise_time = 0.2\nfall_time = 0.5")
    first = run(system, np.array([0.0, 0.4, 1.0]), {"thruster.x.force": lambda t: 9.0})
    assert first("thruster.x.thrust") == pytest.approx(
        2.0 * (1.0 - np.exp(-np.array([0.0, 0.4, 1.0]) / 0.2)), abs=1e-10
    )
    end = first("thruster.x.thrust")[-1]
    x = np.array(system.signals.starts("states"))
    x[system.signals.where("states", "thruster.x.thrust")] = end
    second = run(system, np.array([0.0, 0.7]), {"thruster.x.force": lambda t: -3.0}, x=x)
    assert second("thruster.x.thrust")[-1] == pytest.approx(end * np.exp(-0.7 / 0.5), abs=1e-10)
    impulse = 10.0 * first("hub.velocity[1]")[-1]
    assert impulse == pytest.approx(2.0 * (1.0 - 0.2 * (1.0 - np.exp(-5.0))), abs=1e-9)


def test_the_shortest_pulse_has_the_smallest_impulse():
    """A command for an instant opens the valve for minimum_impulse/maximum = 0.15 s; a longer one ends when it ends."""
    system = craft(thruster="maximum = 2.0\nminimum_impulse = 0.3")
    x, u, k, d = evaluate.start(system)
    force = system.signals.where("inputs", "thruster.x.force")
    u[force] = 2.0
    x, d = evaluate.settle(system, 0.0, x, u, k, d)
    u[force] = 0.0  # gone at once
    short = integrate(system, np.array([0.0, 0.1, 0.2, 1.0]), u=u, x=x, d=d)
    speed = short.x[:, system.signals.where("states", "hub.velocity[1]")]
    assert 10.0 * speed == pytest.approx([0.0, 0.2, 0.3, 0.3], abs=1e-9)
    assert short.events == pytest.approx([0.15])
    again = integrate(system, np.array([0.0, 0.5]), u=np.where(np.arange(system.nu) == force, 2.0, 0.0))
    assert 10.0 * again.x[-1, system.signals.where("states", "hub.velocity[1]")] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("thrust", [2.0, 1.0, 0.05])
def test_the_smallest_impulse_is_that_of_any_thrust(thrust):
    """A command of any size for an instant: 0.3 N s. Before, a pulse lasted as long as at full thrust: 0.15 N s at half of it."""
    assert impulse_of([(0.0, thrust), (0.0, 0.0)]) == pytest.approx(0.3, abs=1e-9)


def test_a_command_that_grows_within_the_pulse_ends_it_sooner():
    """0.05 N for 1 s, then 2 N for an instant: 0.05 N s are given, 0.25 follow in 0.125 s. From 0.05 N s on at 2 N for 0.4 s: 0.85."""
    assert impulse_of([(0.0, 0.05), (1.0, 2.0), (1.0, 0.0)]) == pytest.approx(0.3, abs=1e-9)
    assert impulse_of([(0.0, 0.05), (1.0, 2.0), (1.4, 0.0)]) == pytest.approx(0.85, abs=1e-9)


def impulse_of(commands) -> float:
    """Of a thruster with 2 N and 0.3 N s at least that gets these (time, command), and is then left alone for 20 s."""
    system = craft(thruster="maximum = 2.0\nminimum_impulse = 0.3")
    x, u, k, d = evaluate.start(system)
    force = system.signals.where("inputs", "thruster.x.force")
    for (time, command), (until, _) in zip(commands, [*commands[1:], (commands[-1][0] + 20.0, 0.0)], strict=True):
        u[force] = command
        x, d = evaluate.settle(system, time, x, u, k, d)
        if until > time:
            found = integrate(system, np.array([time, until]), u=u, x=x, d=d)
            x, d = found.x[-1], found.d[-1]
    return 10.0 * x[system.signals.where("states", "hub.velocity[1]")]


def test_limits_that_are_not_reached_change_nothing():
    plain, limited = craft(), craft("torque_limit = 50.0\nspeed_limit = 5000.0", "maximum = 90.0")
    times, inputs = np.linspace(0.0, 2.0, 3), {"wheel.z.torque": np.sin, "thruster.x.force": lambda t: 1.0 + np.cos(t)}
    one, other = run(plain, times, inputs), run(limited, times, inputs)
    for name in ("hub.quaternion", "hub.velocity", "wheel.z.speed", "system.work"):
        assert np.abs(one(name) - other(name)).max() < 1e-11


def test_laws_and_refusals():
    system = craft("torque_limit = 0.1")
    p = np.array(system.signals.starts("parameters"))
    p[system.signals.where("parameters", "wheel.z.torque_limit")] = -1.0
    with pytest.raises(evaluate.Refused, match=r"wheel\.z\.torque_limit must be positive"):
        evaluate.constants(system, p)
    with pytest.raises(DescriptionError, match=r"thrusters\.x\.maximum is missing"):
        craft(thruster="rise_time = 0.1")
