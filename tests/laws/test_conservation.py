"""Conservation laws over whole runs, integrated at 1e-12: momentum, angular momentum, energy − work + losses.

Every case is a description; all inputs in it act inside the system, unless the case pushes the hub. Bars: 1e-10 relative.
"""

import functools

import numpy as np
import pytest

from spacefmu.dynamics.description import load, load_text
from spacefmu.dynamics.system import reference
from spacefmu.fmu_src.native.trace.fast import fast
from tests.laws.balance import assert_energy, assert_laws

CATALOGUE = "fmu_src/catalogue"

HUB = """
name = "Case"
[bodies.hub]
mass = 30.0
mass_center = [0.05, -0.02, 0.03]
inertia = { xx = 4.0, yy = 5.0, zz = 6.0, xy = 0.2, xz = -0.1, yz = 0.3 }
forces_at = ["frame"]
initial = { velocity = [0.1, -0.2, 0.05], angular_velocity = [0.3, -0.2, 0.4] }
"""
ARM = """
[bodies.arm]
mass = 4.0
mass_center = [0.6, 0.0, 0.1]
inertia = [0.1, 0.6, 0.6]
[joints.elbow]
parent = "hub"
child = "arm"
place = [0.5, 0.1, 0.0]
kind = "revolute"
axis = [0.0, 0.6, 0.8]
"""
FOREARM = """
[bodies.forearm]
mass = 2.0
mass_center = [0.4, 0.0, 0.0]
inertia = [0.02, 0.2, 0.2]
[joints.wrist]
parent = "arm"
child = "forearm"
place = [1.2, 0.0, 0.0]
kind = "universal"
axes = ["y", "z"]
stiffness = 3.0
initial = { position = [0.3, -0.2], rate = [0.5, 0.4] }
"""
BEAMS = """
[bodies.boom]
nodes = { tip = 1.0 }
initial = { amplitudes = [0.1, -0.05, 0.02], rates = [0.1, 0.1, 0.0] }
[bodies.boom.beam]
length = 3.0
mass = 5.0
bending_y = 60.0
bending_z = 90.0
torsion = 20.0
polar_inertia = 0.5
modes = { bending_y = 1, bending_z = 1, torsion = 1 }
[joints.boom_root]
parent = "hub"
child = "boom"
place = [0.5, 0.0, 0.0]
kind = "fixed"
[bodies.vane]
initial = { rates = [0.05] }
[bodies.vane.beam]
length = 1.5
mass = 1.0
bending_z = 10.0
modes = { bending_z = 1 }
[joints.vane_hinge]
parent = "boom.tip"
child = "vane"
kind = "revolute"
axis = "z"
stiffness = 2.0
damping = 0.05
initial = { position = 0.4, rate = 0.3 }
"""
WHEELS = "".join(
    f'[wheels.{axis}]\nbody = "hub"\naxis = "{axis}"\nspin_inertia = 0.05\nspeed = {speed}\ndamping = 1e-3\nfriction = 0.01\n'
    for axis, speed in (("x", 50.0), ("y", -80.0), ("z", 20.0))
)

ARM_MOVING = "initial = { position = 0.2, rate = 0.6 }\n"

# description, stop time [s], inputs as {name: function of t}
INTERNAL = {
    "wheels": (HUB + ARM + ARM_MOVING + WHEELS, 10.0, {"wheel.x.torque": lambda t: 0.3 * np.sin(t), "wheel.z.torque": lambda t: 0.2}),
    "flexible on flexible": (HUB + BEAMS, 5.0, {}),
    "friction": (HUB + ARM + "friction = 0.4\nfriction_rate = 0.05\ndamping = 0.1\ninitial = { rate = 1.0 }\n", 10.0, {}),
    "stops": (HUB + ARM + "stop = { lower = -0.3, upper = 0.5, stiffness = 400.0, damping = 3.0 }\ninitial = { rate = 1.0 }\n", 5.0, {}),
    "motor": (HUB + ARM + 'drive = "torque"\n' + FOREARM, 10.0, {"elbow.torque": lambda t: 2.0 * np.cos(2.0 * t)}),
    "prescribed acceleration": (HUB + ARM + 'drive = "acceleration"\n' + FOREARM, 10.0, {"elbow.angular_acceleration": lambda t: 0.5 * np.cos(t)}),
    "position servo": (
        HUB + ARM + 'drive = "position"\nservo = { frequency = 0.3, damping = 0.7 }\n' + FOREARM,
        10.0,
        {"elbow.angle_command": lambda t: 0.8 * np.sin(0.5 * t)},
    ),
}  # fmt: skip


def inputs_of(system, given):
    """u(t) of {name: function}."""
    names = [signal.name for signal in system.signals.inputs]
    assert set(given) <= set(names), f"no inputs {set(given) - set(names)}"
    return lambda t: np.array([given[name](t) if name in given else 0.0 for name in names])


def integrate(system, times, given, x=None):
    return reference.integrate(fast(system), times, u=inputs_of(system, given), x=x, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", INTERNAL)
def test_internal_forces(name):
    """Whatever acts inside keeps momentum and angular momentum; energy is work less losses. Measured: at most 6e-12 over the cases."""
    text, stop, given = INTERNAL[name]
    system = load_text(text)
    assert_laws(system, integrate(system, np.linspace(0.0, stop, 11), given))


def tumbling(system):
    """Start of HingedPanel with spin, hinge rate and bent panel."""
    x = np.array(system.signals.starts("states"))
    for name, value in (
        ("hub.angular_velocity", [0.05, 0.1, -0.02]),
        ("hub.velocity", [0.1, 0.0, 0.2]),
        ("sadm.rate", 0.1),
    ):
        x[system.signals.where("states", name)] = value
    x[system.signals.where("states", "panel.mode[1].amplitude")] = 0.2
    return x


@functools.cache
def hinged_panel():
    return load(f"{CATALOGUE}/HingedPanel.toml")


def test_hinged_panel_free():
    """Tumbling and bent, nothing pushes. Measured 1e-14."""
    system = hinged_panel()
    assert_laws(system, integrate(system, np.linspace(0.0, 20.0, 11), {}, tumbling(system)))


def test_hinged_panel_pushed():
    """Forces and torques on the hub and the hinge: energy is their work less losses. Measured 3e-15."""
    system = hinged_panel()
    push = {
        "hub.force[2]": lambda t: 5.0 * np.sin(t),
        "hub.torque[1]": lambda t: 2.0,
        "sadm.torque": lambda t: np.cos(t),
    }
    run = integrate(system, np.linspace(0.0, 10.0, 11), push, tumbling(system))
    assert_energy(system, run)


def test_tether():
    """Slack, captured, taut: momenta through every event, and the energy with what the jumps have lost. Measured 2e-15."""
    system = load(f"{CATALOGUE}/TetheredMasses.toml")
    run = integrate(system, np.linspace(0.0, 40.0, 21), {})
    assert len(run.events) >= 1
    assert run.d[:, system.signals.where("discretes", "tether.energy_lost")][-1] > 0.1
    assert_laws(system, run)


@pytest.mark.parametrize("drive", ["", 'drive = "acceleration"\n'])
def test_lock(drive):
    """The wrist's axes lock at t = 2 and open at t = 4: momenta and energy balance hold through the jump that stops them.

    What the jump loses is in the dissipated energy. With a prescribed elbow, which keeps its speed, its drive does work in it.
    Measured 4e-13.
    """
    system = load_text(HUB + ARM + drive + ARM_MOVING + FOREARM.replace("stiffness", "lock = true\nstiffness"))
    times = np.linspace(0.0, 6.0, 25)
    locked = lambda t: 1.0 if 2.0 <= t < 4.0 else 0.0  # noqa: E731
    run = integrate(system, times, {"wrist.lock[1]": locked, "wrist.lock[2]": locked})
    assert_laws(system, run)
    rates = run.x[:, system.signals.where("states", "wrist.rate")]
    held = (times > 2.0) & (times < 4.0)
    assert np.all(rates[held] == 0.0)
    assert np.all(np.abs(rates[(times <= 2.0) | (times > 4.0)]).max(axis=1) > 0.0)
    dissipated = run.x[:, system.signals.where("states", "system.dissipated_energy")]
    assert np.all(dissipated[times <= 2.0] == 0.0)
    assert dissipated[-1] > 1e-3
    assert np.ptp(dissipated[times > 2.0]) == 0.0  # nothing is lost before, between and after
