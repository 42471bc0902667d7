"""Real actuators: sampling, delay, dead band, quantization, limit, lag and failures, each against its closed form, before inputs of every sort."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from tests.constraints.craft import column, run

CRAFT = """
name = "Cart"
[bodies.cart]
mass = 2.0
inertia = [1.0, 1.0, 1.0]
[joints.rail]
kind = "prismatic"
parent = "space"
child = "cart"
axis = "x"
drive = "force"
actuator = { ACTUATOR }
"""
PATH = "rail.force_actuator"
TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def driven(actuator: str, force, stop: float, count: int, **failures):
    """(system, trajectory) of a cart of 2 kg under a command force(t); failures: name=function of time."""
    text = CRAFT.replace("ACTUATOR", actuator)
    system = load_text(text)
    names = [signal.name for signal in system.signals.inputs]

    def inputs(t):
        given = {"rail.force": force(t)} | {f"{PATH}.{name}": float(on(t)) for name, on in failures.items()}
        return np.array([given.get(name, 0.0) for name in names])

    return run(system, stop, count, u=inputs, **TIGHT)


def speed(driven_run):
    return column(*driven_run, "rail.velocity")


def applied(driven_run):
    return column(*driven_run, f"{PATH}.applied")


def test_lag_is_of_first_order():
    """τ ẏ = F − y: y = F (1 − exp(−t/τ)), m v = F (t − τ (1 − exp(−t/τ)))."""
    tau, force = 0.4, 3.0
    found = driven(f"lag = {tau}", lambda t: force, 2.0, 9)
    t = found[1].time
    np.testing.assert_allclose(applied(found), force * (1.0 - np.exp(-t / tau)), rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(speed(found), force * (t - tau * (1.0 - np.exp(-t / tau))) / 2.0, rtol=0.0, atol=1e-11)


def test_limit_cuts_a_ramp():
    """F = 4t up to 1 N at 0.25 s: impulse ½ 0.25 + (t − 0.25). The kink is no event: 1e-8 at a tolerance of 1e-12."""
    found = driven("limit = 1.0", lambda t: 4.0 * t, 1.0, 21)
    t = found[1].time
    impulse = np.where(t < 0.25, 2.0 * t * t, 0.125 + (t - 0.25))
    np.testing.assert_allclose(2.0 * speed(found), impulse, rtol=0.0, atol=1e-8)
    assert found[1].events == []


def test_dead_band_ends_at_located_events():
    """F = sin t, ignored up to 0.5: events at asin 0.5 and π − asin 0.5 and again in the other half; impulse ∫ sin outside."""
    found = driven("dead_band = 0.5", np.sin, 6.25, 6)
    edge = np.arcsin(0.5)
    expected = [edge, np.pi - edge, np.pi + edge, 2.0 * np.pi - edge]
    np.testing.assert_allclose(found[1].events, expected, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(2.0 * speed(found)[2], np.cos(edge) - np.cos(2.5), rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(speed(found)[-1], 0.0, rtol=0.0, atol=1e-11)


def test_quantized_ramp():
    """F = t in steps of 0.5: the nearest step, with a jump at 0.25, 0.75 and 1.25 s (a millionth of a step late)."""
    found = driven("quantum = 0.5", lambda t: t, 1.5, 16)
    t = found[1].time
    np.testing.assert_allclose(found[1].events, [0.25, 0.75, 1.25], rtol=0.0, atol=1e-6)
    impulse = 0.5 * (np.maximum(t - 0.25, 0.0) + np.maximum(t - 0.75, 0.0) + np.maximum(t - 1.25, 0.0))
    np.testing.assert_allclose(2.0 * speed(found), impulse, rtol=0.0, atol=2e-6)
    np.testing.assert_array_equal(applied(found), 0.5 * np.floor(t / 0.5 + 0.5))


def test_a_sampled_delay_is_exact():
    """Samples every 0.1 s, 0.3 s late: at t in [kT, (k + 1)T) u((k − 3)T), zero for samples before the start, whatever steps the solver takes."""
    found = driven("sample_time = 0.1, delay = 0.3", lambda t: 1.0 + t * t, 1.05, 22)
    t = found[1].time[1::2]  # middles of the intervals
    sample = np.floor(t / 0.1) * 0.1 - 0.3
    expected = np.where(sample > -1e-9, 1.0 + sample**2, 0.0)
    np.testing.assert_allclose(applied(found)[1::2], expected, rtol=0.0, atol=1e-14)
    taken = np.arange(0, 7) * 0.1
    impulse = 0.1 * np.sum(1.0 + taken**2) + 0.05 * (1.0 + 0.7**2)
    np.testing.assert_allclose(2.0 * speed(found)[-1], impulse, rtol=0.0, atol=1e-12)


def test_failures():
    """off gives nothing, stuck what it gave, runaway the limit; off goes before stuck, stuck before runaway."""
    spans = {"off": (0.25, 0.5), "stuck": (1.0, 1.5), "runaway": (1.25, 2.0)}
    on = {name: (lambda t, a=a, b=b: a <= t < b) for name, (a, b) in spans.items()}
    found = driven("limit = 2.0, failures = true", lambda t: 1.0 if t < 1.125 else -0.5, 2.5, 21, **on)
    # rows show an instant before its event
    t = found[1].time
    expected = np.select([t <= 0.25, t <= 0.5, t <= 1.0, t <= 1.5, t <= 2.0], [1.0, 0.0, 1.0, 1.0, 2.0], -0.5)
    np.testing.assert_array_equal(applied(found)[3::4], expected[3::4])


def test_failures_pass_the_lag():
    """τ = 0.5: off decays, stuck stays."""
    found = driven(
        "lag = 0.5, failures = true", lambda t: 1.0, 3.0, 7, off=lambda t: t >= 2.0, stuck=lambda t: 1.0 <= t < 2.0
    )
    y = applied(found)
    reached = 1.0 - np.exp(-2.0)
    np.testing.assert_allclose(y[[2, 3, 4]], reached, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(y[-1], reached * np.exp(-2.0), rtol=0.0, atol=1e-11)


EVERY = """
name = "Every"
[environment]
gravity = "central"
frame = "orbit"
[environment.magnetic]
[environment.orbit]
semi_major_axis = 7.0e6
[bodies.hub]
mass = 20.0
inertia = [2.0, 2.5, 3.0]
[bodies.arm]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[bodies.far]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
initial = { position = [5.0, 0.0, 0.0] }
[joints.gimbal]
kind = "universal"
parent = "hub"
child = "arm"
axes = ["x", "y"]
drive = "torque"
actuator = { ACTUATOR }
[wheels.z]
body = "hub"
axis = "z"
spin_inertia = 0.01
torque_limit = 10.0
actuator = { ACTUATOR }
[thrusters.push]
body = "hub"
direction = "x"
maximum = 50.0
actuator = { ACTUATOR }
[dipoles.rods]
body = "hub"
actuator = { ACTUATOR }
[cables.line]
kind = "elastic"
a = "hub"
b = "far"
length = 4.9
stiffness = 10.0
reel = { rate = 0.0 }
actuator = { ACTUATOR }
[springs.jack]
a = "arm"
b = "far"
stiffness = 1.0
length = 5.0
force = true
actuator = { ACTUATOR }
"""
INPUTS = (
    "gimbal.torque[1]",
    "gimbal.torque[2]",
    "wheel.z.torque",
    "thruster.push.force",
    "dipole.rods.command",
    "line.reel.acceleration",
    "jack.force",
)


def test_every_actuator_takes_them():
    """The same path before drives, wheels, thrusters, coils, reels and jacks: rates are those of the plain craft with the applied values."""
    plain = load_text(EVERY.replace("actuator = { ACTUATOR }\n", ""))
    real = load_text(EVERY.replace("ACTUATOR", "limit = 0.3, lag = 0.2"))
    x, _, k, d = start(plain)
    x_real, u_real, k_real, d_real = start(real)
    u = np.zeros(len(plain.signals.inputs))
    for i, name in enumerate(INPUTS):
        value = 0.05 + 0.01 * i
        u[plain.signals.where("inputs", name)] = value
        base, bracket, index = name.partition("[")
        x_real[real.signals.where("states", f"{base}_actuator{bracket}{index}.lagged")] = value
        u_real[real.signals.where("inputs", name)] = 5.0  # beyond the limit: τ ẏ = 0.3 − y
    rates, rates_real = motion(plain, 0.0, x, u, k, d)[0], motion(real, 0.0, x_real, u_real, k_real, d_real)[0]
    np.testing.assert_allclose(rates_real[: len(rates)], rates, rtol=0.0, atol=1e-14)
    lagged = x_real[len(rates) :]
    np.testing.assert_allclose(rates_real[len(rates) :], (0.3 - lagged) / 0.2, rtol=0.0, atol=1e-14)
    assert len(lagged) == 9  # seven inputs, one of them of three components


@pytest.mark.parametrize(
    ("actuator", "sentence"),
    [
        (
            "",
            "joints.rail.actuator has no effect; give one of sample_time, dead_band, quantum, limit, lag, delay, failures",
        ),
        (
            "delay = 0.1",
            "joints.rail.actuator.delay requires a sample_time: commands are delayed by whole samples",
        ),
        (
            "delay = 0.25, sample_time = 0.1",
            "joints.rail.actuator.delay is 0.25 s, expected 1 to 1000 whole sample times of 0.1 s",
        ),
        (
            "delay = 0.01, sample_time = 0.1",
            "joints.rail.actuator.delay is 0.01 s, expected 1 to 1000 whole sample times of 0.1 s",
        ),
        ("lag = -1.0", "joints.rail.actuator.lag is -1.0, expected a number greater than 0"),
        ("hysteresis = 0.1", "joints.rail.actuator has the unknown key 'hysteresis'"),
    ],
)
def test_wrong_actuators_get_one_sentence(actuator, sentence):
    with pytest.raises(DescriptionError) as caught:
        load_text(CRAFT.replace("ACTUATOR", actuator))
    assert sentence in str(caught.value)


def test_entries_without_inputs_and_with_two_units_are_refused():
    with pytest.raises(DescriptionError, match=r"joints\.rail\.actuator has no effect: this entry has no input"):
        load_text(CRAFT.replace('drive = "force"\n', "").replace("ACTUATOR", "lag = 1.0"))
    pair = '[bodies.two]\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n[pairs.p]\na = "cart"\nb = "two"\nactuator = { limit = 1.0 }\n'
    with pytest.raises(
        DescriptionError, match=r"pairs\.p\.actuator\.limit has no unit: this entry has inputs in N and N\.m"
    ):
        load_text(CRAFT.replace("ACTUATOR", "lag = 1.0") + pair)
