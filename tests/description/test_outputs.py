"""Outputs and sensors: each number against an independent route to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import axis_angle_dcm, dcm_quaternion, quaternion_dcm
from spacefmu.dynamics.description import load, load_text
from spacefmu.dynamics.description.reserved import RESERVED_NODES
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import Bag
from spacefmu.fmu_src.native.trace.fast import fast

EXAMPLES = Path(__file__).parents[2] / "examples"

HUB = """
name = "A"
[bodies.hub]
mass = 10.0
inertia = [2.0, 3.0, 4.0]
nodes = { imu = [0.3, 0.1, -0.2] }
forces_at = ["frame"]
euler = ["1-2-3", "3-2-1"]
"""


def outputs(system, x=None, u=None):
    x, u, k, d = start(system, x=x, u=u)
    return Bag(system.signals, "outputs", motion(system, 0.0, x, u, k, d)[1])


@pytest.mark.parametrize("order, axes", [("euler_123", (0, 1, 2)), ("euler_321", (2, 1, 0))])
def test_euler_angles_are_those_of_turns_about_axes(order, axes):
    """Turn by three angles about the moving axes of the order: the outputs are these angles. [stroe] (10) is 1-2-3."""
    angles = np.array([0.3, -0.7, 1.9])
    dcm = np.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        dcm = dcm @ axis_angle_dcm(np.eye(3)[axis], angle)
    q = dcm_quaternion(dcm).tolist()
    y = outputs(load_text(f"{HUB}initial = {{ orientation = {q} }}"))
    np.testing.assert_allclose(y[f"hub.{order}"], angles, rtol=1e-14)  # measured 2.3e-16


def test_sensors_of_a_spinning_hub():
    """Gyro: ω in its axes. Accelerometer: f = F/m + ω×(ω×r) + α×r at the node, α = J⁻¹(T − ω×Jω): no gravity here."""
    mount = axis_angle_dcm(np.array([0.0, 0.0, 1.0]), np.pi / 3)
    system = load_text(
        HUB + "initial = { angular_velocity = [0.4, -0.2, 0.9] }\n"
        '[sensors.g]\nkind = "gyro"\nat = "hub.imu"\norientation = [0, 0, "60 deg"]\n'
        '[sensors.a]\nkind = "accelerometer"\nat = "hub.imu"\norientation = [0, 0, "60 deg"]\n'
    )
    u = np.array([1.0, 2.0, 3.0, 0.5, -0.4, 0.3])  # force and torque at the frame, in body axes
    y = outputs(system, u=u)
    omega, J, r = np.array([0.4, -0.2, 0.9]), np.diag([2.0, 3.0, 4.0]), np.array([0.3, 0.1, -0.2])
    alpha = np.linalg.solve(J, u[3:] - np.cross(omega, J @ omega))
    felt = u[:3] / 10.0 + np.cross(omega, np.cross(omega, r)) + np.cross(alpha, r)
    np.testing.assert_allclose(y["sensor.g.angular_velocity"], mount.T @ omega, rtol=1e-14)
    np.testing.assert_allclose(y["sensor.a.specific_force"], mount.T @ felt, rtol=1e-13)  # measured 0


def test_an_accelerometer_does_not_feel_gravity():
    """Uniform gravity accelerates the node by g, and the sensor reads 0; held by a joint to space it reads −g."""
    gravity = '[environment]\ngravity = "uniform"\nacceleration = [0.0, 0.0, -9.81]\n'
    sensor = '[sensors.a]\nkind = "accelerometer"\nat = "hub.imu"\n'
    falling = outputs(load_text(HUB + gravity + sensor))
    np.testing.assert_allclose(falling["hub.imu.acceleration"], [0.0, 0.0, -9.81], atol=1e-14)
    np.testing.assert_allclose(falling["sensor.a.specific_force"], 0.0, atol=1e-14)
    held = outputs(load_text(HUB + gravity + sensor + '[joints.j]\nparent = "space"\nchild = "hub"\nkind = "fixed"\n'))
    np.testing.assert_allclose(held["sensor.a.specific_force"], [0.0, 0.0, 9.81], rtol=1e-14)


def test_rates_are_derivatives_of_places_along_a_run():
    """Of a carried flexible body and its tip: central differences over ±0.1 ms of positions and attitudes.

    The error of the difference is h²/6 of the third derivative, for the second mode at 20 Hz; measured 3.5e-8 (velocity), 1.9e-8 (acceleration), 3e-10 (spin), 5e-8 (tip gyro).
    """
    system = load(EXAMPLES / "sensors.toml")
    u = np.array([0.5, 1.0, -0.3, 2.0, 1.5, 3.0])
    h = 1e-4
    run = integrate(fast(system), [0.0, 0.5 - h, 0.5, 0.5 + h], u=u)
    before, now, after = (Bag(system.signals, "outputs", y) for y in run.y[1:])

    def slope(name):
        return (after[name] - before[name]) / (2.0 * h)

    for name in ("boom", "boom.tip", "hub.imu"):
        np.testing.assert_allclose(now[f"{name}.velocity"], slope(f"{name}.position"), atol=1e-6)
    for name in ("boom.tip", "hub.imu"):
        np.testing.assert_allclose(now[f"{name}.acceleration"], slope(f"{name}.velocity"), atol=1e-6)
    dcm = quaternion_dcm(now["boom.quaternion"])
    spin = dcm.T @ ((quaternion_dcm(after["boom.quaternion"]) - quaternion_dcm(before["boom.quaternion"])) / (2.0 * h))
    np.testing.assert_allclose(now["boom.angular_velocity"], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-6)
    # the tip's gyro: the boom turns with the hub, and the elastic rotation adds its rate about z (planar bending)
    np.testing.assert_allclose(
        now["sensor.tip_gyro.angular_velocity"][2],
        now["boom.angular_velocity"][2] + slope("boom.tip.rotation")[2],
        atol=1e-5,
    )


def test_a_joint_reaction_is_what_accelerates_the_child():
    """A rigid child bolted to the hub: force = m a of its mass centre, torque = J α + ω×Jω about it; Newton and Euler."""
    system = load_text(
        HUB + "initial = { angular_velocity = [0.4, -0.2, 0.9] }\n"
        "[bodies.box]\nmass = 3.0\nmass_center = [0.2, 0.0, 0.1]\ninertia = [0.3, 0.2, 0.25]\nnodes = { c = [0.2, 0.0, 0.1] }\n"
        '[joints.j]\nparent = "hub"\nchild = "box"\nplace = [0.5, 0.4, 0.0]\nkind = "fixed"\nreaction = true\n'
    )
    x, u, k, d = start(system, u=np.array([1.0, 2.0, 3.0, 0.5, -0.4, 0.3]))
    x_dot, values, _ = motion(system, 0.0, x, u, k, d)
    y = Bag(system.signals, "outputs", values)
    alpha = x_dot[system.signals.where("states", "hub.angular_velocity")]
    omega, J = np.array([0.4, -0.2, 0.9]), np.diag([0.3, 0.2, 0.25])
    force = 3.0 * y["box.c.acceleration"]  # axes of N and of the box coincide at the start
    torque = J @ alpha + np.cross(omega, J @ omega) + np.cross([0.2, 0.0, 0.1], force)
    np.testing.assert_allclose(y["j.reaction_force"], force, rtol=1e-12)  # measured 3e-16
    np.testing.assert_allclose(y["j.reaction_torque"], torque, rtol=1e-12)


def test_names_of_bodies_and_joints_never_collide():
    """Carried bodies have `body.position`, joints `joint.position`: all names of all examples are different (SignalTable checks)."""
    for path in EXAMPLES.glob("*.toml"):
        table = load(path).signals
        names = [signal.name for group in table.GROUPS for signal in getattr(table, group)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("file", ["examples/environment_orbit.toml", "examples/environment_perturbations.toml", "examples/keys/thermal.toml", "examples/nodal_table.toml", "fmu_src/catalogue/ThermalBoom.toml"])  # fmt: skip
def test_nodes_can_have_no_name_of_a_signal(file):
    """Every signal BODY.word… of a body is of one of its nodes, or its word is refused as the name of one: words follow from what pieces declare."""
    system = load(EXAMPLES.parent / file)
    craft = system.made_by[1]
    nodes = {
        link.body.name: set(link.body.nodes) for link in craft.tree.links if not link.body.name.startswith("wheel.")
    }
    names = [q.name.split(".") for group in system.signals.GROUPS for q in system.signals.quantities(group)]
    words = {(name[0], name[1].partition("[")[0]) for name in names if name[0] in nodes and len(name) > 1}
    assert words
    assert [f"{body}.{word}" for body, word in sorted(words) if word not in RESERVED_NODES | nodes[body]] == []
