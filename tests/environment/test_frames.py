"""Frames of variables: each description states origin and axes, in the same words, and the values are consistent."""

import re
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import quaternion_dcm, quaternion_product
from spacefmu.dynamics.description import load, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src import api, catalogue
from spacefmu.fmu_src.native.trace.fast import fast
from tests.environment.craft import orbit

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples").glob("*.toml"))
SPACECRAFT = [entry.name for entry in catalogue.entries() if entry.kind == "spacecraft"]

# end of a name → text that its description must contain
ORIGIN, AXES, FRAME = (
    r" from ",
    r", in (axes of|its own axes|its axes|the node's axes|the child's axes)",
    r" relative to ",
)
ALONG = r" (along|about) its axis.*, from its place on the parent"
WORDS = {
    "position": (f"{ORIGIN}.*{AXES}|{ALONG}",),
    "bead_position": (ORIGIN, AXES),
    "mass_center": (ORIGIN, AXES),
    "place": (ORIGIN, AXES),
    "displacement": (ORIGIN, AXES),
    "velocity": (f"{FRAME}.*{AXES}|{ALONG}",),
    "bead_velocity": (AXES,),
    "acceleration": (f"{FRAME}.*{AXES}|{ALONG}|relative to its host|prescribe|of the length",),
    "angular_velocity": (FRAME, AXES),
    "angular_acceleration": (f"{FRAME}.*{AXES}|{ALONG}|prescribe",),
    "quaternion": (FRAME, "scalar first"),
    "euler_123": (FRAME,),
    "euler_321": (FRAME,),
    "momentum": (AXES,),
    "angular_momentum": (r" about ", AXES),
    "force": (f"{AXES}|along its direction|along its axis|along their line|drive",),
    "torque": (f"{AXES}|drive|motor|about its axis|on the rotor",),
    "reaction_force": (AXES,),
    "reaction_torque": (AXES,),
    "specific_force": (AXES,),
    "earth_direction": (ORIGIN, AXES),
    "sun_direction": (AXES,),
    "magnetic_field": (AXES,),
}


@pytest.mark.parametrize("source", [*FILES, *SPACECRAFT], ids=lambda s: s.stem if isinstance(s, Path) else s)
def test_descriptions_say_origin_and_axes(source):
    system = load(source) if isinstance(source, Path) else api.load(source)
    table = system.signals
    signals = [signal for group in table.GROUPS for signal in getattr(table, group)]
    signals += [signal for _, signal in table.derivative_signals()]
    silent = []
    for signal in signals:
        name, text = re.sub(r"\[[^]]*\]", "", signal.name), signal.description
        if not name.startswith("der(") and ".mode." not in name and ".drive." not in name and ".path." not in name:
            silent += [
                f"{name}: {text}" for words in WORDS.get(name.rpartition(".")[2], ()) if not re.search(words, text)
            ]
        if "in axes of O" in text or "relative to O" in text:
            assert "falls on environment.orbit" in text, f"{name} does not say what O is"
    assert not silent, "\n".join(silent)


CRAFT = """
name = "Frames"
[bodies.hub]
mass = 40.0
mass_center = [0.1, 0.2, -0.1]
inertia = [12.0, 10.0, 15.0]
nodes = { origin = [0.0, 0.0, 0.0], corner = [0.5, -0.4, 0.3] }
euler = "3-2-1"
[bodies.arm]
mass = 5.0
mass_center = [0.5, 0.0, 0.0]
inertia = [0.1, 0.5, 0.5]
nodes = { origin = [0.0, 0.0, 0.0] }
[bodies.boom]
nodes = { tip = 1.0 }
[bodies.boom.beam]
length = 8.0
mass = 3.0
bending_y = 30.0
bending_z = 30.0
torsion = 5.0
polar_inertia = 0.5
modes = { bending_y = 1, torsion = 1 }
[bodies.boom.initial]
amplitudes = [0.1, 0.3]
[bodies.tool]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[joints.shoulder]
parent = "hub"
child = "arm"
kind = "universal"
axes = ["z", "y"]
place = [0.3, 0.1, 0.0]
orientation = [0.3, -0.2, 0.5]
initial = { position = [0.4, -0.3], rate = [0.3, -0.2] }
[joints.root]
parent = "hub"
child = "boom"
kind = "fixed"
place = [-0.3, 0.0, 0.2]
[joints.wrist]
parent = "boom.tip"
child = "tool"
kind = "revolute"
axis = "x"
orientation = [0.2, 0.0, 0.1]
initial = { rate = 4.0 }
[sensors.gyro]
at = "hub.corner"
kind = "gyro"
"""
MOVING = "[bodies.hub.initial]\nposition = {}\nvelocity = {}\norientation = [0.4, -1.0, 2.0]\nangular_velocity = [0.1, -0.2, 0.15]\n"
TILTED = {"eccentricity": 0.08, "inclination": 0.9, "raan": 0.3, "perigee": 1.1, "mean_anomaly": 0.6}
NEAR = MOVING.format([30.0, -60.0, 20.0], [0.2, -0.3, 0.1])
PLACES = {
    "empty space": MOVING.format([1.0, 2.0, 3.0], [0.1, 0.0, -0.2]),
    "planet": MOVING.format([7e6, 1e5, 2e5], [10.0, 5000.0, 5500.0]) + '[environment]\ngravity = "central"\n',
    "tilted ellipse": NEAR + orbit(**TILTED),
    "oblate planet": NEAR + orbit(**TILTED).replace('gravity = "central"', 'gravity = "central"\nj2 = true'),
}
STEP = 0.02
TIMES = 3.0 + STEP * np.arange(-3, 4)
SLOPE = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / (60.0 * STEP)  # sixth-order central difference


class Seen:
    """Every variable of a run by name, at seven neighbouring instants; `now` is the middle one."""

    def __init__(self, place: str):
        system = fast(load_text(CRAFT + PLACES[place]))
        run = integrate(system, np.concatenate([[0.0], TIMES]), rtol=1e-13, atol=1e-13)
        self.system, self.table, x, y = system, system.signals, run.x[1:], run.y[1:]
        _, u, k, d = start(system)
        rates = np.array([motion(system, t, at, u, k, d)[0] for t, at in zip(TIMES, x, strict=True)])
        self.groups = {"states": x, "outputs": y}
        self.rates, self.mass = rates, 40.0 + 5.0 + 3.0 + 1.0

    def __call__(self, name):
        group = "states" if f"{name}[1]" in {state.name for state in self.table.states} else "outputs"
        return self.groups[group][:, self.table.where(group, name)]

    def now(self, name):
        return self(name)[3]

    def slope(self, name):
        return SLOPE @ self(name)

    def rate_of(self, state):
        return self.rates[3, self.table.where("states", state)]


@pytest.fixture(scope="module", params=PLACES)
def seen(request):
    return request.param, Seen(request.param)


def close(a, b, size=1.0, to=1e-8):
    assert np.max(np.abs(a - b)) < to * size, (a, b)


def test_motion_is_the_derivative_of_place(seen):
    """Bodies, nodes, mass centre: velocity of position, acceleration of velocity, angular velocity of quaternion."""
    place, see = seen
    size = (
        7e6 if place == "planet" else 1.0
    )  # differences of positions from the planet's centre have that much round-off
    for name in ("hub", "arm", "boom", "tool", "hub.origin", "hub.corner", "arm.origin", "boom.tip"):
        close(see.slope(f"{name}.position"), see.now(f"{name}.velocity"), size, 3e-9)
    for name in ("hub.origin", "hub.corner", "arm.origin", "boom.tip"):
        close(see.slope(f"{name}.velocity"), see.now(f"{name}.acceleration"), max(1.0, size * 1e-3), 3e-9)
    for name in ("hub", "arm", "boom", "tool", *(["hub.orbital"] if place != "empty space" else []),
                 *(["hub.inertial"] if place == "tilted ellipse" else [])):  # fmt: skip
        turning = quaternion_product(
            see.now(f"{name}.quaternion"), np.array([0.0, *see.now(f"{name}.angular_velocity")])
        )
        close(see.slope(f"{name}.quaternion"), 0.5 * turning)


def test_one_place_by_two_names(seen):
    """A node at a body's origin is the body; a joint's child is at its place."""
    _, see = seen
    for body in ("hub", "arm"):
        for quantity in ("position", "velocity"):
            close(see.now(f"{body}.origin.{quantity}"), see.now(f"{body}.{quantity}"), to=1e-15, size=1e7)
    close(see.now("hub.origin.acceleration"), see.rate_of("hub.velocity"), 10.0, 1e-12)
    dcm = quaternion_dcm(see.now("hub.quaternion"))
    size = np.max(np.abs(see.now("hub.position")))
    close(see.now("arm.position"), see.now("hub.position") + dcm @ [0.3, 0.1, 0.0], size, 1e-14)
    close(see.now("hub.corner.position"), see.now("hub.position") + dcm @ [0.5, -0.4, 0.3], size, 1e-14)
    close(see.now("tool.position"), see.now("boom.tip.position"), size, 1e-14)


def test_orbit_and_inertial_and_local_frames(seen):
    """hub.inertial = O's origin + hub in O; hub.orbital from the frame that the mass centre's motion spans; the gyro feels N."""
    place, see = seen
    if place == "empty space":
        return
    orbiting = place != "planet"
    if orbiting:
        R0, V0 = see.now("environment.orbit.position"), see.now("environment.orbit.velocity")
        dcm_NO = spanned(R0, V0)
        close(see.now("hub.inertial.position"), R0 + dcm_NO @ see.now("hub.position"), 7e6, 1e-14)
        close(see.slope("hub.inertial.position"), see.now("hub.inertial.velocity"), 7e6, 3e-9)
        close(
            quaternion_dcm(see.now("hub.inertial.quaternion")),
            dcm_NO @ quaternion_dcm(see.now("hub.quaternion")),
            to=1e-14,
        )
        close(see.now("sensor.gyro.angular_velocity"), see.now("hub.inertial.angular_velocity"), to=1e-15)
    else:
        R0, dcm_NO = np.zeros(3), np.eye(3)
    center = see.table.where("outputs", "system.mass_center")
    centers = see.groups["outputs"][:, center]
    if orbiting:
        frames = [
            spanned(R, V)
            for R, V in zip(see("environment.orbit.position"), see("environment.orbit.velocity"), strict=True)
        ]
        centers = see("environment.orbit.position") + np.einsum("tij,tj->ti", np.array(frames), centers)
    R, V = centers[3], SLOPE @ centers
    dcm_NL = spanned(R, V)
    hub_N = see.now("hub.inertial.position") if orbiting else see.now("hub.position")
    dcm_NB = quaternion_dcm(see.now("hub.inertial.quaternion" if orbiting else "hub.quaternion"))
    close(quaternion_dcm(see.now("hub.orbital.quaternion")), dcm_NL.T @ dcm_NB, to=1e-7)
    close(see.now("hub.orbital.position"), dcm_NL.T @ (hub_N - R), 1.0, 1e-6)
    # positions of 7e6 m are round to 1e-9 m; the difference quotient makes 92 times as much of it
    close(see.slope("hub.orbital.position"), see.now("hub.orbital.velocity"), 1.0, 3e-7)


def test_momentum_is_that_of_the_mass_centre(seen):
    """Seen from S: dcm_SN p/m − ω×c is the velocity of the mass centre; in N's axes p is the derivative from S's origin."""
    place, see = seen
    if place in ("empty space", "planet"):
        close(
            see.slope("system.mass_center"),
            see.now("system.momentum") / see.mass,
            7e6 if place == "planet" else 1.0,
            3e-9,
        )
        return
    frames = np.array(
        [
            spanned(R, V)
            for R, V in zip(see("environment.orbit.position"), see("environment.orbit.velocity"), strict=True)
        ]
    )
    from_origin = np.einsum("tij,tj->ti", frames, see("system.mass_center"))
    close(SLOPE @ from_origin, see.now("system.momentum") / see.mass)


def spanned(R, V):
    """Orbital frame of a position and velocity, written here once more."""
    x, z = R / np.linalg.norm(R), np.cross(R, V) / np.linalg.norm(np.cross(R, V))
    return np.column_stack([x, np.cross(z, x), z])


@pytest.mark.parametrize("seen", ["tilted ellipse"], indirect=True)
def test_quaternions_never_jump(seen):
    """A wrist that turns seven times, on a hub that tumbles."""
    _, see = seen
    run = integrate(see.system, np.linspace(0.0, 12.0, 121), rtol=1e-6, atol=1e-6)
    for name in ("arm", "boom", "tool", "hub.orbital", "hub.inertial"):
        q = run.y[:, see.table.where("outputs", f"{name}.quaternion")]
        assert np.max(np.abs(np.diff(q, axis=0))) < 0.3, name
        assert np.max(np.abs(np.sum(q * q, axis=1) - 1.0)) < 1e-12
    assert np.ptp(run.x[:, see.table.where("states", "wrist.angle")]) > 14.0 * np.pi
