"""Latches of joint axes: against a coupling that latches, armed and released by an input; and the catalogue's wing as an FMU."""

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from tests.catalogue_fmus import fmu_file
from tests.compare import relative
from tests.laws.balance import assert_laws

CRAFT = """
name = "Latching"
[bodies.hub]
mass = 30.0
mass_center = [0.05, -0.02, 0.03]
inertia = [4.0, 5.0, 6.0]
initial = { angular_velocity = [0.03, -0.02, 0.05] }
[bodies.boom]
[bodies.boom.beam]
length = 2.0
mass = 4.0
bending_y = 80.0
modes = { bending_y = 1 }
[joints.shoulder]
parent = "hub"
child = "boom"
place = [0.5, 0.1, 0.0]
kind = "revolute"
axis = "z"
stiffness = 3.0
rest = "80 deg"
initial = { position = 0.0 }
LATCH
[bodies.ballast]
mass = 2.0
inertia = [0.1, 0.1, 0.1]
"""
HELD = '[joints.hold]\nparent = "hub"\nchild = "ballast"\nkind = "fixed"\nplace = [-0.4, 0.0, 0.0]\n'
COUPLED = (
    "[bodies.ballast.initial]\nposition = [-0.4, 0.0, 0.0]\nvelocity = [0.0, -0.02, -0.008]\nangular_velocity = [0.03, -0.02, 0.05]\n"
    '[couplings.hold]\nkind = "fixed"\na = "hub.stern"\nb = "ballast"\n'
)
BY_COUPLING = '[couplings.latch]\nkind = "fixed"\na = "hub"\nb = "boom"\nswitched = true\nclosed = true\nlatch = { joint = "shoulder", at = "60 deg" }\n'
LATCH = 'latch = "60 deg"\n'
STERN = ("inertia = [4.0, 5.0, 6.0]\n", "inertia = [4.0, 5.0, 6.0]\nnodes = { stern = [-0.4, 0.0, 0.0] }\n")


def run(text, stop=4.0, u=None):
    system = fast(load_text(text))
    return system, integrate(system, np.linspace(0.0, stop, 9), u=u)


def state(system, trajectory, *names):
    return np.column_stack([trajectory.x[:, system.signals.where("states", name)] for name in names])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CRAFT.replace("LATCH\n", "") + HELD + BY_COUPLING, id="coupling"),
        pytest.param(CRAFT.replace("LATCH\n", LATCH).replace(*STERN) + COUPLED, id="axis in a coupled craft"),
    ],
)
def test_latch_by_two_routes(text):
    """A hinge that latches in a tree (the recursion jumps) and by multipliers of Kane's equations: event and motion agree to 1e-9."""
    names = (
        "hub.quaternion",
        "hub.angular_velocity",
        "shoulder.angle",
        "shoulder.rate",
        "boom.mode[1].rate",
        "system.dissipated_energy",
    )
    tree, found = run(CRAFT.replace("LATCH\n", LATCH) + HELD)
    other, wanted = run(text)
    assert len(found.events) == len(wanted.events) == 1
    assert found.events[0] == pytest.approx(wanted.events[0], abs=1e-9)
    assert relative(state(tree, found, *names), state(other, wanted, *names)) < 1e-9  # measured 6e-13 and 4e-12
    assert state(tree, found, "system.dissipated_energy")[-1, 0] > 0.1
    assert_laws(tree, found)


def test_an_input_arms_and_releases_the_latch():
    """`lock` beside `latch`: passed while the input is false, caught where it is when it becomes true, free again at the end."""
    armed = lambda t: np.array([1.0 if 3.0 <= t < 3.5 else 0.0])  # noqa: E731
    system, found = run(CRAFT.replace("LATCH\n", LATCH + "lock = true\n") + HELD, u=armed)
    latched = found.d[:, system.signals.where("discretes", "shoulder.latched")].ravel()
    angle, rate = state(system, found, "shoulder.angle", "shoulder.rate").T
    assert np.degrees(angle[found.time == 2.0]) > 60.0  # past the latch, and not caught
    assert np.array_equal(
        latched, np.where(found.time == 3.5, 1.0, 0.0)
    )  # rows show the moment before their own events
    assert rate[found.time == 3.5] == 0.0
    assert abs(rate[-1]) > 0.01
    assert_laws(system, found)


def test_the_catalogues_wing():
    """Default experiment of the native FMU: valid; all hinges latch straight and stay; momenta and energy balance to 1e-10.

    Measured, relative: momentum 1.4e-13, angular momentum 3e-12, energy 2e-11. Scales: √(2 m E), |H|, the energy at the start.
    """
    fmu = fmu_file("DeployableWing")
    assert validate_fmu(str(fmu)) == []
    laws = [f"system.{law}[{i}]" for law in ("momentum", "angular_momentum") for i in (1, 2, 3)]
    energies = [f"system.{name}" for name in ("kinetic_energy", "potential_energy", "work", "dissipated_energy")]
    angles, latched = ([f"hinge{i}.{name}" for i in (1, 2, 3, 4)] for name in ("angle", "latched"))
    rows = fmpy.simulate_fmu(str(fmu), output=[*laws, *energies, *angles, *latched])
    assert rows["time"][-1] == 30.0
    kinetic, potential, work, dissipated = (rows[name] for name in energies)
    balance = kinetic + potential - work + dissipated
    assert np.ptp(balance) < 1e-10 * balance[0]
    values = np.column_stack([rows[name] for name in laws])
    mass = 300.0 + 4 * 5.0  # hub and panels of the description
    assert np.ptp(values[:, :3], axis=0).max() < 1e-10 * np.sqrt(2.0 * mass * kinetic.max())
    assert np.ptp(values[:, 3:], axis=0).max() < 1e-10 * np.linalg.norm(values[0, 3:])
    assert dissipated[-1] > 3.0  # of 6.1 J in the springs at the start
    for angle, flag in zip(angles, latched, strict=True):
        caught = rows[flag] > 0.5
        assert not caught[0]
        assert caught[-1]
        assert np.all(np.diff(rows[flag].astype(float)) >= 0.0)  # never opens
        assert np.abs(rows[angle][caught]).max() < 1e-10  # straight: measured 6e-16 rad
        assert np.abs(rows[angle][~caught]).min() > 1e-3
