"""Reaction wheels: static imbalance, and wheels on nodes of flexible bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacefmu.dynamics.description import load, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import Bag
from spacefmu.fmu_src.native.trace.fast import fast

EXAMPLES = Path(__file__).parents[2] / "examples"
IMBALANCE, SPEED, MASS = 2e-3, 40.0, 50.0

WHEEL = f"""
name = "A"
[bodies.hub]
mass = {MASS}
inertia = [3.0, 4.0, 5.0]
initial = {{ angular_velocity = [0.1, 0.2, 0.05] }}
[wheels.z]
body = "hub"
place = [0.3, 0.0, 0.1]
axis = "z"
spin_inertia = 0.05
speed = {SPEED}
imbalance = {IMBALANCE}
"""


def test_imbalance_pulls_with_m_epsilon_omega_squared():
    """On a heavy hub at rest the frame's acceleration is mεΩ²/M toward the offset; hub heavy enough that it hardly moves."""
    text = WHEEL.replace("[0.1, 0.2, 0.05]", "[0.0, 0.0, 0.0]").replace("[3.0, 4.0, 5.0]", "[3e9, 4e9, 5e9]")
    system = load_text(text)
    x, u, k, d = start(system)
    x_dot, _, _ = motion(system, 0.0, x, u, k, d)
    pull = np.linalg.norm(x_dot[system.signals.where("states", "hub.velocity")])
    np.testing.assert_allclose(
        pull, IMBALANCE * SPEED**2 / MASS, rtol=1e-5
    )  # 0.064 m/s²; the rotor's own slowing adds (mε)²/(M J) = 1.6e-6


def test_conservation_laws_hold_with_an_imbalance():
    """Momentum, angular momentum and energy over 2 s, some 13 turns of the wheel, and a tumbling hub."""
    system = load_text(WHEEL)
    run = integrate(fast(system), np.linspace(0.0, 2.0, 5))
    y = [Bag(system.signals, "outputs", row) for row in run.y]
    for name, scale in (
        ("system.momentum", MASS * 0.1),
        ("system.angular_momentum", 2.0),
        ("system.kinetic_energy", 40.0),
    ):
        drift = max(np.max(np.abs(np.asarray(row[name]) - np.asarray(y[0][name]))) for row in y)
        assert drift < 1e-10 * scale, (name, drift)  # measured 3e-13, 3e-13, 5e-14 of the scales
    assert np.ptp([np.linalg.norm(row["system.mass_center"] - y[0]["system.mass_center"]) for row in y]) > 0.0


def test_imbalance_is_an_eccentric_mass():
    """Second route: the wheel as a body of mass m on a revolute joint, its mass centre ε off the axis, and the hub without m.

    Same first moments; they differ by m ε² = 4e-7 kg m² against inertias of 3 and more: measured 5.8e-6 of the largest rate.
    """
    m = 10.0
    offset = IMBALANCE / m
    place = np.array([0.3, 0.0, 0.1])
    hub_center = -m * place / (MASS - m)
    # inertia of the hub without the rotor (m at its place, transverse inertia 0.025), about its own mass centre
    about_frame = np.diag([3.0 - 0.025, 4.0 - 0.025, 5.0]) - m * (place @ place * np.eye(3) - np.outer(place, place))
    inertia = about_frame - (MASS - m) * (hub_center @ hub_center * np.eye(3) - np.outer(hub_center, hub_center))
    text = f"""
name = "B"
[bodies.hub]
mass = {MASS - m}
mass_center = {hub_center.tolist()}
inertia = {inertia.tolist()}
initial = {{ angular_velocity = [0.1, 0.2, 0.05] }}
[bodies.rotor]
mass = {m}
mass_center = [{offset}, 0.0, 0.0]
inertia = [0.025, 0.025, 0.05]
[joints.spin]
parent = "hub"
child = "rotor"
place = {place.tolist()}
kind = "revolute"
axis = "z"
initial = {{ rate = {SPEED} }}
"""
    wheel, body = load_text(WHEEL), load_text(text)
    direction = offset_direction(wheel)
    rates = []
    for system, turn in ((wheel, 0.0), (body, direction)):
        x, u, k, d = start(system)
        if turn:
            x[system.signals.where("states", "spin.angle")] = turn
        x_dot, _, _ = motion(system, 0.0, x, u, k, d)
        rates.append(
            np.concatenate(
                [x_dot[system.signals.where("states", f"hub.{name}")] for name in ("velocity", "angular_velocity")]
            )
        )
    np.testing.assert_allclose(rates[0], rates[1], atol=2e-5 * np.max(np.abs(rates[1])))


def offset_direction(system) -> float:
    """Angle about z at which the rotor's offset starts: it moves the mass centre of the system that way."""
    x, u, k, d = start(system)
    center = Bag(system.signals, "outputs", motion(system, 0.0, x, u, k, d)[1])["system.mass_center"]
    return float(np.arctan2(center[1], center[0])) % (2.0 * np.pi)


def test_wheels_on_a_node_of_a_flexible_body():
    """A motor torque on the wheel at the mast's top bends the mast; momentum and angular momentum stay."""
    system = load(EXAMPLES / "actuators.toml")
    u = np.zeros(system.nu)
    u[system.signals.where("inputs", "wheel.y.torque")] = 0.02
    run = integrate(fast(system), [0.0, 0.2], u=u)
    first, last = (Bag(system.signals, "outputs", row) for row in run.y)
    np.testing.assert_allclose(
        last["system.angular_momentum"], first["system.angular_momentum"], atol=1e-11
    )  # of 3 N m s; measured 2e-13
    np.testing.assert_allclose(last["system.momentum"], first["system.momentum"], atol=1e-11)
    assert np.max(np.abs(last["mast.top.rotation"])) > 1e-6
