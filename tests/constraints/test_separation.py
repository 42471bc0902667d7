"""Separation: couplings that let go and springs that push, against closed forms, brute force and the parts flown by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.algebra.rotation import quaternion_dcm, quaternion_rate
from spacefmu.dynamics.constraints import KINDS
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, settle, start
from tests.constraints.craft import TWO_BODIES, balance, column, drift, run
from tests.constraints.test_switching import EXTRA

TIGHT = {"rtol": 1e-13, "atol": 1e-14}
CLAMP = """
[couplings.clamp]
kind = "fixed"
a = "base.grip"
b = "arm.grip"
axis = [0.6, 0.0, 0.8]
orientation = ["20 deg", "-10 deg", "35 deg"]
release = { time = 0.5 }
springs = { places = [[0.1, 0.0, 0.0], [-0.1, 0.1, 0.0], [0.0, -0.1, 0.05]], stiffness = [90.0, 100.0, 120.0], stroke = [0.04, 0.05, 0.06], end_force = 0.7 }
"""
TUMBLING = (
    TWO_BODIES
    + """
[bodies.base.initial]
position = [0.3, -0.2, 0.1]
velocity = [0.1, 0.0, -0.05]
orientation = ["10 deg", "-20 deg", "35 deg"]
angular_velocity = [0.5, 0.1, -0.8]
"""
    + CLAMP
)
MOTION = ("position", "velocity", "quaternion", "angular_velocity")


@pytest.fixture(scope="module")
def tumbling():
    return run(TUMBLING, 2.0, 41, **TIGHT)


def test_two_masses_pushed_by_a_spring():
    """μ s̈ = F_end + k (L − s): s = (L + F_end/k)(1 − cos ωt) until s = L, then ½ μ ṡ² is the spring's energy; shares by the masses."""
    m1, m2, k, L, F_end = 4.0, 1.5, 60.0, 0.1, 2.0
    text = f"""
name = "Pushed"
[bodies.one]
mass = {m1}
inertia = [1.0, 1.0, 1.0]
[bodies.two]
mass = {m2}
inertia = [1.0, 1.0, 1.0]
[couplings.clamp]
kind = "fixed"
a = "one"
b = "two"
axis = "x"
release = {{ time = 0.25 }}
springs = {{ places = [[0.0, 0.0, 0.0]], stiffness = {k}, stroke = {L}, end_force = {F_end} }}
"""
    system, trajectory = run(text, 1.0, 21, **TIGHT)
    mu = m1 * m2 / (m1 + m2)
    omega, reach = np.sqrt(k / mu), L + F_end / k
    end = 0.25 + np.arccos(1.0 - L / reach) / omega
    np.testing.assert_allclose(trajectory.events, [end], rtol=0.0, atol=1e-12)  # measured 1e-14
    speed = np.sqrt((k * L * L + 2.0 * F_end * L) / mu)
    t = np.clip(trajectory.time, 0.25, end) - 0.25
    expected = reach * (1.0 - np.cos(omega * t)) + speed * np.maximum(trajectory.time - end, 0.0)
    found = column(system, trajectory, "clamp.position")[:, 0]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)  # measured 3e-13
    one, two = (column(system, trajectory, f"{name}.velocity")[-1, 0] for name in ("one", "two"))
    np.testing.assert_allclose([one, two], [-speed * mu / m1, speed * mu / m2], rtol=1e-12)
    energy = column(system, trajectory, "clamp.spring_energy")
    np.testing.assert_allclose(energy[[0, -1]], [0.5 * k * L * L + F_end * L, 0.0], atol=1e-15)


def test_momenta_and_energy_stay(tumbling):
    """Through the hold, the release, three springs that end one after the other, and the flight of both parts."""
    system, trajectory = tumbling
    assert len(trajectory.events) == 3  # the springs; the release is at an instant of the table
    assert drift(column(system, trajectory, "system.momentum")) < 1e-12  # measured 2e-14 of 2.1 N s
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-12  # measured 9e-15 of 2.4 N m s
    assert drift(balance(system, trajectory)) < 1e-12  # measured 5e-14 of 2.4 J
    closed = column(system, trajectory, "clamp.closed")
    np.testing.assert_array_equal(
        closed, np.where(trajectory.time > 0.5, 0.0, 1.0)
    )  # rows show an instant before its event


def totals(system, t, x, u, k, d):
    """Momentum, angular momentum, and energy less work with losses."""
    y = motion(system, t, x, u, k, d)[1]

    def shown(name):
        for group, values in (("outputs", y), ("states", x)):
            try:
                return values[system.signals.where(group, f"system.{name}")]
            except KeyError:
                continue
        raise KeyError(name)

    energy = shown("kinetic_energy") + shown("potential_energy") - shown("work") + shown("dissipated_energy")
    return np.concatenate([shown("momentum"), shown("angular_momentum"), np.atleast_1d(energy)])


def test_nothing_jumps_at_the_release(tumbling):
    """The state is the same bit for bit before and after; so are both momenta and the energy."""
    system, trajectory = tumbling
    _, u, k, _ = start(system)
    i = int(np.searchsorted(trajectory.time, 0.5))
    x, d = trajectory.x[i], trajectory.d[i]
    assert d[system.signals.where("discretes", "clamp.closed")] == 1.0
    x_new, d_new = settle(system, 0.5, x, u, k, d)
    assert d_new[system.signals.where("discretes", "clamp.closed")] == 0.0
    np.testing.assert_array_equal(x_new, x)
    before, after = (totals(system, 0.5, x, u, k, each) for each in (d, d_new))
    np.testing.assert_allclose(after, before, rtol=0.0, atol=1e-15)


def test_a_spring_that_ends_keeps_the_balance(tumbling):
    """What a spent spring still has, by where its event was found, is booked as lost."""
    system, _ = tumbling
    x, u, k, d = start(system)
    moved = x.copy()
    e = np.array([0.6, 0.0, 0.8])
    to_N = quaternion_dcm(x[system.signals.where("states", "base.quaternion")])
    moved[system.signals.where("states", "arm.position")] += to_N @ e * (0.04 + 1e-7)  # beyond the first one's stroke
    d = d.copy()
    d[system.signals.where("discretes", "clamp.closed")] = 0.0
    x_new, d_new = settle(system, 0.6, moved, u, k, d)
    np.testing.assert_array_equal(d_new[system.signals.where("discretes", "clamp.pushing")], [0.0, 1.0, 1.0])
    before, after = totals(system, 0.6, moved, u, k, d), totals(system, 0.6, x_new, u, k, d_new)
    np.testing.assert_allclose(after, before, rtol=0.0, atol=1e-14)
    lost = x_new[system.signals.where("states", "system.dissipated_energy")]
    np.testing.assert_allclose(lost, -0.7e-7, rtol=1e-4)  # −F_end times the overshoot


def test_the_parts_fly_on_as_by_themselves(tumbling):
    """Each part as a description of its own, begun with its state after the last event."""
    system, trajectory = tumbling
    first, last = 25, 40
    assert trajectory.time[first] > trajectory.events[-1]
    for name, text in zip(("base", "arm"), TWO_BODIES.split("[bodies.arm]"), strict=True):
        text = text if name == "base" else f'name = "Alone"\n[bodies.arm]{text}'
        alone = load_text(text)
        begun = {key: column(system, trajectory, f"{name}.{key}") for key in MOTION}
        values = {f"{name}.{key}": value[first] for key, value in begun.items()}
        x = np.array(alone.signals.starts("states"))
        for key, value in values.items():
            x[alone.signals.where("states", key)] = value
        _, u, k, d = start(alone)
        span = trajectory.time[[first, last]]
        flown = solve_ivp(lambda t, x: motion(alone, t, x, u, k, d)[0], span, x, method="DOP853", **TIGHT)  # noqa: B023
        for key, value in begun.items():
            found = flown.y[alone.signals.where("states", f"{name}.{key}"), -1]
            np.testing.assert_allclose(found, value[last], rtol=0.0, atol=1e-12)  # measured 7e-15


def test_the_hold_is_a_fixed_joint(tumbling):
    """Until the release the pair moves as the same two bodies on a fixed joint, without the springs."""
    system, trajectory = tumbling
    joint = """
[joints.clamp]
kind = "fixed"
parent = "base.grip"
child = "hand"
orientation = ["20 deg", "-10 deg", "35 deg"]
"""
    # the arm from its grip: a body whose frame is at the grip of the first
    shifted = TUMBLING.split("[couplings.clamp]")[0]
    shifted = shifted.replace("mass_center = [-0.2, 0.1, 0.3]", "mass_center = [0.3, -0.1, -0.3]").replace(
        "nodes = { grip = [-0.5, 0.2, 0.6] }", ""
    )
    joined, alike = run(shifted.replace("[bodies.arm]", "[bodies.hand]") + joint, 0.5, 11, **TIGHT)
    for key in MOTION:
        found = column(system, trajectory, f"base.{key}")[:11]
        np.testing.assert_allclose(found, column(joined, alike, f"base.{key}"), rtol=0.0, atol=1e-12)  # measured 9e-15


# ---- brute force: Newton and Euler for each body about its mass centre, springs as pairs of forces at points


class Body:
    def __init__(self, mass, center, inertia):
        self.mass, self.center, self.inertia = mass, np.array(center), np.array(inertia)

    def rates(self, state, force, torque):
        """Of (mass centre, velocity, quaternion, ω); the torque is about the mass centre, in N."""
        dcm, omega = quaternion_dcm(state[6:10]), state[10:]
        spin = np.linalg.solve(self.inertia, dcm.T @ torque - np.cross(omega, self.inertia @ omega))
        return np.concatenate([state[3:6], force / self.mass, quaternion_rate(state[6:10], omega), spin])


BASE = Body(7.0, [0.1, -0.2, 0.05], [[1.1, 0.1, -0.2], [0.1, 1.4, 0.05], [-0.2, 0.05, 1.7]])
ARM = Body(3.0, [-0.2, 0.1, 0.3], [[0.4, -0.05, 0.02], [-0.05, 0.5, 0.04], [0.02, 0.04, 0.6]])
K, STROKE, END = np.array([90.0, 100.0, 120.0]), np.array([0.04, 0.05, 0.06]), 0.7
PLACES = np.array([[0.1, 0.0, 0.0], [-0.1, 0.1, 0.0], [0.0, -0.1, 0.05]]) + [0.4, 0.3, -0.2]  # in the base's frame


def pushed(state, tips, on):
    """Rates of both bodies (26,), and the travel of each spring."""
    a, b = state[:13], state[13:]
    A, B = quaternion_dcm(a[6:10]), quaternion_dcm(b[6:10])
    e = A @ [0.6, 0.0, 0.8]
    at_b = b[:3] + (tips - ARM.center) @ B.T
    s = (at_b - a[:3] - (PLACES - BASE.center) @ A.T) @ e
    forces = np.outer(on * (END + K * (STROKE - s)), e)
    torques = [np.cross(at_b - center, forces).sum(axis=0) for center in (a[:3], b[:3])]
    total = forces.sum(axis=0)
    return np.concatenate([BASE.rates(a, -total, -torques[0]), ARM.rates(b, total, torques[1])]), s


def _leg(t, state, tips, on):
    """From t to 2 s, or to where the next spring ends."""
    events = [lambda _, x, i=i: STROKE[i] - pushed(x, tips, on)[1][i] for i in np.flatnonzero(on)]
    for event in events:
        event.terminal = True  # type: ignore[attr-defined]
    rates, tight = (lambda _, x: pushed(x, tips, on)[0]), {"rtol": 1e-13, "atol": 1e-14}
    return solve_ivp(rates, (t, 2.0), state, method="DOP853", events=events, **tight)


def test_against_newton_and_euler(tumbling):
    """From the release on, by forces at points and SciPy's own events."""
    system, trajectory = tumbling

    def state_at(i):
        found = []
        for name, body in (("base", BASE), ("arm", ARM)):
            position, velocity, quaternion, omega = (column(system, trajectory, f"{name}.{key}")[i] for key in MOTION)
            arm = quaternion_dcm(quaternion) @ body.center
            spin = quaternion_dcm(quaternion) @ omega
            found.append(np.concatenate([position + arm, velocity + np.cross(spin, arm), quaternion, omega]))
        return np.concatenate(found)

    state, t, on, ends = state_at(10), 0.5, np.ones(3), []
    A, B = quaternion_dcm(state[6:10]), quaternion_dcm(state[19:23])
    tips = (state[:3] + (PLACES - BASE.center) @ A.T - state[13:16]) @ B + ARM.center
    while t < 2.0:
        leg = _leg(t, state, tips, on)
        t, state = leg.t[-1], leg.y[:, -1]
        if leg.status == 1:
            ends.append(t)
            on = on * (STROKE - pushed(state, tips, on)[1] > 1e-9)
    np.testing.assert_allclose(trajectory.events, ends, rtol=0.0, atol=1e-12)  # measured 1e-14
    np.testing.assert_allclose(state, state_at(40), rtol=0.0, atol=1e-12)  # measured 2e-14


@pytest.mark.ci
def test_natural_coordinates_do_the_same(tumbling):
    system, trajectory = tumbling
    natural, alike = run(TUMBLING.replace('name = "Pair"', 'name = "Pair"\nformulation = "natural"'), 2.0, 41, **TIGHT)
    assert drift(balance(natural, alike)) < 1e-11
    np.testing.assert_allclose(alike.events, trajectory.events, rtol=0.0, atol=1e-11)
    for name in ("position", "velocity", "angular_velocity", "spring_force"):
        here, there = (
            column(*each, f"clamp.{name}")[[0, 10, 11, 40]] for each in ((system, trajectory), (natural, alike))
        )
        np.testing.assert_allclose(there, here, rtol=0.0, atol=1e-11)  # measured 8e-13


def test_the_second_part_starts_where_the_coupling_holds_it():
    """Nothing is given of the arm: it is placed in the clamp and turns with the base, of which all is kept."""
    system = load_text(TUMBLING)
    x, u, k, d = start(system)
    y = motion(system, 0.0, x, u, k, d)[1]
    for name in ("position", "velocity", "angular_velocity"):
        assert np.max(np.abs(y[system.signals.where("outputs", f"clamp.{name}")])) < 1e-14
    np.testing.assert_allclose(x[system.signals.where("states", "base.angular_velocity")], [0.5, 0.1, -0.8], atol=1e-15)
    seen = motion(system, 0.0, x, u, k, np.where(d > 0.5, 0.0, d))[1]
    assert np.max(np.abs(seen[system.signals.where("outputs", "clamp.force")])) == 0.0


QUICK = ("revolute", "distance", "knife_edge")


@pytest.mark.parametrize("kind", [k if k in QUICK else pytest.param(k, marks=pytest.mark.ci) for k in KINDS])
def test_every_kind_can_be_released(kind):
    """By its input, for good: it stays open when the input goes back."""
    text = TUMBLING.split("[couplings.clamp]")[0] + (
        f'[couplings.clamp]\nkind = "{kind}"\na = "base.grip"\nb = "arm.grip"\nrelease = {{ input = true }}\n'
        + EXTRA.get(kind, "")
    )
    text += "\nlength = 0.8" if kind == "distance" else ""
    system, trajectory = run(
        text, 1.0, 9, u=lambda t: np.array([1.0 if 0.5 <= t < 0.75 else 0.0]), rtol=1e-11, atol=1e-11
    )
    np.testing.assert_array_equal(column(system, trajectory, "clamp.closed"), [1, 1, 1, 1, 1, 0, 0, 0, 0])
    assert drift(column(system, trajectory, "system.momentum")) < 1e-11
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-11
    assert drift(balance(system, trajectory)) < 1e-10


def test_a_time_that_has_passed_is_a_start_without_the_coupling():
    system = load_text(TUMBLING.replace("time = 0.5", "time = -1.0"))
    _, _, _, d = start(system)
    assert d[system.signals.where("discretes", "clamp.closed")] == 0.0
