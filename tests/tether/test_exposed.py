"""What air and a current do along beaded and deployed tethers, against formulas of a straight one and the laws; and a cut."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.tether.cut import Cutter
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import balance, column, drift
from tests.tether.craft import craft

ORBIT = """
name = "Electrodynamic"
[environment]
frame = "orbit"
gravity = "central"
orbit = {{ semi_major_axis = 6.778e6 }}
{around}
[bodies.upper]
mass = 40.0
inertia = [3.0, 3.0, 3.0]
initial = {{ position = [1000.5, 0.0, 0.0] }}
[bodies.lower]
mass = 300.0
inertia = [50.0, 50.0, 50.0]
[cables.line]
kind = "beaded"
a = "lower"
b = "upper"
length = 1000.0
mass = 8.0
beads = 5
stiffness = 20.0
damping = 2.0
{keys}
"""
FIELD = '[environment.magnetic]\nmodel = "input"\nfield = [1e-6, 2e-6, 3e-5]'
AIR = '[environment.air]\nmodel = "input"\ndensity = 4e-12'


def pushed(text: str, change: dict) -> tuple:
    """Force (3,) in N that inputs bring about, their power, system, and outputs: of differences of all accelerations at the start."""
    system = load_text(text)
    x, u, k, d = start(system)
    more = u.copy()
    for name, value in change.items():
        more[system.signals.where("inputs", name)] = value
    (before, _, _), (after, y, _) = (motion(system, 0.0, x, given, k, d) for given in (u, more))
    gained = after - before
    force = np.zeros(3)
    for mass, name in ((40.0, "upper.velocity"), (300.0, "lower.velocity")):
        force += mass * gained[system.signals.where("states", name)]
    beads = gained[system.signals.where("states", "line.bead_velocity")].reshape(-1, 3)
    return force + 8.0 / 5.0 * beads.sum(axis=0), gained[system.signals.where("states", "system.work")], system, y


def test_current_in_a_magnetic_field():
    """F = I L × B, emf = (v × B)·L with the orbital velocity, and the current's mechanical power is its force times velocity from the frame's origin: here none."""
    current, span, B = 2.5, np.array([1000.5, 0.0, 0.0]), np.array([1e-6, 2e-6, 3e-5])
    force, work, system, y = pushed(ORBIT.format(around=FIELD, keys="current = true"), {"line.current": current})
    assert force == pytest.approx(current * np.cross(span, B), rel=1e-9, abs=1e-12)
    velocity = np.array([0.0, np.sqrt(3.986004418e14 / 6.778e6), 0.0])
    turning = np.array([0.0, 0.0, np.sqrt(3.986004418e14 / 6.778e6**3)])
    middle = velocity + np.cross(turning, 0.5 * span)
    assert y[system.signals.where("outputs", "line.emf")] == pytest.approx(np.cross(middle, B) @ span, rel=1e-9)
    assert work == pytest.approx(current * np.cross(span, B) @ np.cross(turning, 0.5 * span), rel=1e-6)


def test_air_along_a_tether():
    """½ρ C_D D L v² against the motion, of a tether across it; v varies by 1000 m of 6778 km along it."""
    text = ORBIT.format(around=AIR, keys="drag = { diameter = 2e-3, coefficient = 2.0 }")
    force, _, _, _ = pushed(text, {"environment.air.air_density": 8e-12})
    speed = np.sqrt(3.986004418e14 / 6.778e6) * (1.0 + 500.25 / 6.778e6) - 7.2921159e-5 * 6778500.25
    assert force[1] == pytest.approx(-0.5 * (8e-12 - 4e-12) * 2.0 * 2e-3 * 1000.5 * speed**2, rel=1e-6)
    assert np.abs(force[[0, 2]]).max() < 1e-6 * abs(force[1])


FREE = """
name = "Cutting"
[bodies.a]
mass = 3.0
inertia = [1.0, 1.0, 1.0]
[bodies.b]
mass = 1.0
inertia = [0.2, 0.2, 0.2]
initial = {{ position = [10.3, 0.0, 0.0], velocity = [0.0, 3.0, 0.0] }}
[cables.chain]
kind = "beaded"
a = "a"
b = "b"
length = 10.0
mass = 0.6
beads = 4
stiffness = 40.0
{cut}
"""


@pytest.mark.parametrize("cut", ["cut = { at = 0.5, time = 0.1 }", "cut = { at = 0.0 }"])
def test_a_cut_leaves_momentum_and_books_what_it_stored(cut):
    """By time in the middle, and by the input at the first end, which no longer pulls."""
    system = load_text(FREE.format(cut=cut))
    inputs = (lambda t: [1.0 if t >= 0.1 else 0.0]) if "time" not in cut else None
    run = integrate(fast(system), np.linspace(0.0, 0.4, 5), u=inputs)
    severed, tension = column(system, run, "chain.severed"), column(system, run, "chain.tension")
    assert severed[0] == 0
    assert severed[-1] == 1
    assert tension[0] > 1.0
    assert column(system, run, "chain.taut")[-1] == 0
    if "time" not in cut:
        assert np.abs(tension[-2:]).max() == 0.0
    for name in ("system.momentum", "system.angular_momentum"):
        values = column(system, run, name)
        assert drift(values) < 1e-10 * np.linalg.norm(values[0])
    assert column(system, run, "system.dissipated_energy")[-1] > 0.01
    assert drift(balance(system, run)) < 1e-10 * column(system, run, "system.kinetic_energy").max()


@pytest.mark.parametrize(("written", "begins"), [("true", 0.0), ("1.5", 1.5), ("1", 1.0), ("0.0", 0.0)])
def test_current_begins_as_it_is_written(written, begins):
    system = load_text(ORBIT.format(around=FIELD, keys=f"current = {written}"))
    (entry,) = (entry for entry in system.signals.inputs if entry.name == "line.current")
    assert entry.start == begins


def test_nothing_acts_where_a_tether_is_cut():
    """The gap has neither air nor current, and no current flows any more: the emf is 0."""
    keys = "current = true\ncut = { at = 0.0 }\ndrag = { diameter = 2e-3, coefficient = 2.0 }"
    text = ORBIT.format(around=f"{FIELD}\n{AIR}", keys=keys)
    force, _, system, y = pushed(text, {"line.current": 2.5})
    assert np.linalg.norm(force) > 0.05
    assert abs(y[system.signals.where("outputs", "line.emf")]) > 1.0
    x, u, k, d = start(system)
    cut = d.copy()
    cut[system.signals.where("discretes", "line.severed")] = 1.0
    flowing = u.copy()
    flowing[system.signals.where("inputs", "line.current")] = 2.5
    (still, _, _), (after, y, _) = (motion(system, 0.0, x, given, k, cut) for given in (u, flowing))
    np.testing.assert_array_equal(still, after)
    assert y[system.signals.where("outputs", "line.emf")] == 0.0
    denser = u.copy()
    denser[system.signals.where("inputs", "environment.air.air_density")] = 1.0
    gained = [
        [given[system.signals.where("states", "lower.velocity")][1] for given in (motion(system, 0.0, x, denser, k, mode)[0], motion(system, 0.0, x, u, k, mode)[0])]
        for mode in (d, cut)
    ]  # fmt: skip
    assert abs(gained[0][0] - gained[0][1]) > 1e3 * 1e-12
    assert gained[1][0] - gained[1][1] == 0.0


AROUND = """
[environment]
frame = "orbit"
gravity = "central"
orbit = { semi_major_axis = 6.778e6 }
[environment.magnetic]
model = "input"
field = [1e-3, 2e-3, 3e-2]
[environment.air]
model = "input"
density = 4e-7
"""


@pytest.mark.parametrize(("brake", "cut"), [("", "cut = { at = 0.5, time = 7.0 }"), (", brake = true", "cut = { at = 0.0 }")])  # fmt: skip
def test_deployed_tether_with_all_loads(brake, cut):
    """Energy over births and a cut, with air and a current of 3 A (all of them a million times stronger than in orbit). Measured: 1e-12 of the largest kinetic energy."""
    keys = f"current = true\ndrag = {{ diameter = 2e-2, coefficient = 2.0 }}\n{cut}\n"
    system = load_text(craft(rate=0.8, velocity=(0.8, 4.0, 1.0), brake=brake) + keys + AROUND)
    given = np.array(system.signals.starts("inputs"))
    given[system.signals.where("inputs", "line.current")] = 3.0
    given[system.signals.where("inputs", "line.reel.pull" if brake else "line.reel.acceleration")] = (
        0.3 if brake else 0.05
    )
    late = given.copy()
    if "time" not in cut:
        late[system.signals.where("inputs", "line.cut")] = 1.0
    run = integrate(fast(system), np.linspace(0.0, 8.0, 9), u=lambda t: late if t >= 7.0 else given)
    whole, counts = column(system, run, "line.severed") == 0, column(system, run, "line.beads_out")
    assert whole[0]
    assert not whole[-1]
    assert counts[-1] > counts[0]
    assert column(system, run, "line.stopped")[-1] == 2
    assert column(system, run, "line.reel.rate")[-1] == 0.0
    assert column(system, run, "line.emf")[-1] == 0.0
    if "0.0" in cut:
        assert column(system, run, "line.tension")[-1] == 0.0
    energy = balance(system, run) - column(system, run, "system.environment_work")
    assert np.ptp(column(system, run, "system.work")) > 1.0
    assert drift(energy) < 1e-10 * column(system, run, "system.kinetic_energy").max()


def test_current_along_a_deployed_tether():
    """The force on all is I (r_b - r_a) x B in a uniform field, whatever the chain's shape. Momentum is linear in velocities, so it gives their rates' sum."""
    system = load_text(craft(rate=0.8, length=33.0, distance=33.9) + "current = true\n" + AROUND)
    x, u, k, d = start(system)
    beads = system.signals.where("states", "line.bead_position")
    x[beads] += 0.5 * np.random.default_rng(3).normal(size=len(x[beads]))
    flowing = u.copy()
    flowing[system.signals.where("inputs", "line.current")] = 3.0
    (still, y, _), (pushed, _, _) = (motion(system, 0.0, x, given, k, d) for given in (u, flowing))
    _, faster, _ = motion(system, 0.0, x + pushed - still, u, k, d)
    at = system.signals.where("outputs", "system.momentum")
    span = np.array([33.9 - 0.1 - 0.2, -0.1 - 0.1, 0.05])  # of the ends; the hub is at y = 0.1
    np.testing.assert_allclose(faster[at] - y[at], 3.0 * np.cross(span, [1e-3, 2e-3, 3e-2]), rtol=1e-10)
    assert d[system.signals.where("discretes", "line.beads_out")] == 2


def test_a_deployed_tether_that_is_cut_keeps_momentum():
    """In free flight, in the middle: 4e-15."""
    system = load_text(craft(rate=0.8, velocity=(0.8, 4.0, 1.0)) + "cut = { at = 0.5, time = 2.5 }\n")
    run = integrate(fast(system), np.linspace(0.0, 6.0, 7), u=np.array([0.05]))
    assert column(system, run, "line.severed").ravel().tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert column(system, run, "system.dissipated_energy")[-1] > 0.1
    for name in ("system.momentum", "system.angular_momentum"):
        values = column(system, run, name)
        assert drift(values) < 1e-10 * np.linalg.norm(values[0])
    assert drift(balance(system, run)) < 1e-10 * column(system, run, "system.kinetic_energy").max()


def test_where_a_deployed_tether_is_cut():
    """One segment, the one at that share of what is out; the last half part at b, and the segment at the outlet at a."""
    out = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    for at, wanted in ((0.0, 2), (0.3, 2), (0.45, 3), (0.7, 4), (0.9, 5), (1.0, 5)):
        there = Cutter("line", at).segment_out(4.0, out)  # parts: 1.5 at the outlet, 1, 1, 0.5
        assert there.tolist() == np.eye(6)[wanted].tolist(), at


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("current = true", "cables.line.current requires a table environment.magnetic"),
        ("drag = { diameter = 1e-3 }", "cables.line.drag requires a table environment.air"),
        ("cut = { at = 1.5 }", "cut.at is 1.5"),
    ],
)
def test_what_is_refused(keys, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load_text(ORBIT.format(around="", keys=keys))
