"""Random spacecraft for property-based tests: any topology, every joint kind, flexible parents, wheels, locks.

Hypothesis draws the structure (and shrinks it when a test fails); the numbers follow from a drawn seed.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.bodies.body import FlexibleBody, Node, RigidBody, plain_node
from spacefmu.dynamics.bodies.integrals import integrals_of_points
from spacefmu.dynamics.bodies.rotor import Rotor
from spacefmu.dynamics.joints import AxesJoint, FreeJoint, SphericalJoint, SpinJoint
from spacefmu.dynamics.joints.axis import Axis, AxisLaw
from spacefmu.dynamics.joints.forces import AxesForces, BallForces, NoForces, WheelForces
from spacefmu.dynamics.loads import BodyWrench
from spacefmu.dynamics.spacecraft import LinkJoint, Spacecraft, spacecraft_system
from spacefmu.dynamics.system.evaluate import constants
from spacefmu.dynamics.tree.topology import Link, Tree

AXES = {"fixed": (0, 0), "revolute": (0, 1), "prismatic": (1, 0), "cylindrical": (1, 1), "universal": (0, 2),
        "gimbal": (0, 3), "planar": (2, 1), "six axes": (3, 3)}  # kind → translations, rotations  # fmt: skip
KINDS = (*AXES, "spherical", "free")
DRIVES = ("none", "force", "acceleration", "position", "rate")


@st.composite
def structures(draw, most: int):
    """A list of bodies, each (parent, joint kind, modes, wheel, drive, lock, at node), and a seed."""
    count = draw(st.integers(1, most))
    rows = [
        (
            draw(st.integers(-1 if i == 0 else 0, i - 1)),
            draw(st.sampled_from(KINDS)),
            draw(st.integers(0, 3)),
            draw(st.booleans()),
            draw(st.sampled_from(DRIVES)),
            draw(st.booleans()),
            draw(st.booleans()),
        )
        for i in range(count)
    ]
    return rows, draw(st.integers(0, 2**16))


def rotation(rng) -> np.ndarray:
    return Rotation.random(random_state=rng.integers(2**31)).as_matrix()


def rigid(rng, name) -> RigidBody:
    """Principal moments a+b, b+c, a+c keep the triangle inequality."""
    a, b, c = rng.uniform(0.2, 2.0, 3)
    turn = rotation(rng)
    inertia = turn @ np.diag([a + b, b + c, a + c]) @ turn.T
    return RigidBody(
        name, rng.uniform(1.0, 5.0), rng.normal(size=3) * 0.3, inertia, {"tip": plain_node("tip", rng.normal(size=3))}
    )


def point_table(rng, modes, count=9):
    """Positions, masses, shapes, nodal inertias and turns of a random body, modes made orthogonal in ∫φ·φ dm + ψᵀJψ."""
    rho, mass = rng.normal(size=(count, 3)), rng.uniform(0.1, 0.6, count)
    phi, psi = rng.normal(size=(modes, count, 3)), rng.normal(size=(modes, count, 3)) * 0.5
    inertia = np.array([np.diag(rng.uniform(0.05, 0.1, 3)) for _ in range(count)])
    modal = integrals_of_points(rho, mass, phi, inertia, psi).modal_mass
    mix = np.linalg.inv(np.linalg.cholesky(modal)) if modes else np.zeros((0, 0))
    return rho, mass, np.tensordot(mix, phi, 1), inertia, np.tensordot(mix, psi, 1)


def flexible(rng, name, modes) -> FlexibleBody:
    rho, mass, phi, inertia, psi = point_table(rng, modes)
    integrals = integrals_of_points(rho, mass, phi, inertia, psi)
    tip = Node("tip", rho[-1], phi[:, -1].T, psi[:, -1].T)
    return FlexibleBody(name, integrals, rng.uniform(0.1, 2.0, modes), rng.uniform(0.0, 0.1, modes), {"tip": tip})


def joint_of(rng, kind, name, drive, lock):
    """Joint, forces, q. Axes are the rows of a random rotation: no gimbal lock at angles up to 1 rad."""
    if kind == "free":
        return (
            FreeJoint(),
            NoForces(6),
            np.concatenate([rng.normal(size=3), Rotation.random(random_state=rng.integers(2**31)).as_quat()]),
        )
    if kind == "spherical":
        return (
            SphericalJoint(),
            BallForces(name=name, stiffness=3.0, damping=0.4, driven=drive == "force"),
            Rotation.random(random_state=rng.integers(2**31)).as_quat(),
        )
    axes = [tuple(row) for row in rotation(rng)]
    moves, turns = AXES[kind]
    joint = AxesJoint(tuple(axes[:moves]), tuple(axes[:turns]))
    law = AxisLaw(
        rng.uniform(0, 5), rng.normal() * 0.1, rng.uniform(0, 1), 0.2, 0.5, (-0.5, 0.5, 50.0, 2.0), drive, lock=lock
    )
    named = enumerate(joint.named_axes() if joint.nq else [], 1)
    axes = tuple(Axis(name, suffix, axis, law, f"[{i}]" if joint.nq > 1 else "") for i, (axis, suffix) in named)
    return joint, AxesForces(axes), rng.uniform(-1, 1, joint.nq)


def random_craft(structure) -> Spacecraft:
    """The spacecraft of a drawn structure. Wheels come last, as the reader of descriptions puts them."""
    rows, seed = structure
    rng = np.random.default_rng(seed)
    links, joints, loads, wheels = [], [], [], []
    for i, (parent, kind, modes, wheel, drive, lock, at_node) in enumerate(rows):
        body = flexible(rng, f"body{i}", modes) if modes else rigid(rng, f"body{i}")
        joint, forces, q = joint_of(rng, kind, f"joint{i}", drive, lock)
        if parent < 0:
            place = plain_node("space", rng.normal(size=3))
        elif at_node:
            place = links[parent].body.nodes["tip"]
        else:
            place = plain_node("place", rng.normal(size=3), links[parent].body.modes)
        links.append(Link(body, joint, parent, place, rotation(rng)))
        joints.append(
            LinkJoint(
                f"joint{i}", forces, q, rng.normal(size=joint.nv), rng.normal(size=modes) * 0.2, rng.normal(size=modes)
            )
        )
        loads.append(BodyWrench(f"body{i}.tip", i, body.nodes["tip"]))
        if wheel:
            wheels.append((i, f"wheel.w{i}", tuple(rotation(rng)[0])))
    for host, name, axis in wheels:
        place = plain_node("frame", np.zeros(3), links[host].body.modes)
        links.append(Link(Rotor(name, 0.05, axis), SpinJoint(axis), host, place, np.eye(3)))
        forces = WheelForces(name=name, damping=0.01, friction=0.02)
        joints.append(LinkJoint(name, forces, np.zeros(0), rng.normal(size=1) * 20.0, np.zeros(0), np.zeros(0)))
    return Spacecraft("Random", "random tree", Tree(tuple(links)), tuple(joints), tuple(loads))


def random_instant(system, seed):
    """t, x, u, k, d: the states that the craft starts with, random inputs, locks on or off."""
    rng = np.random.default_rng(seed)
    x = np.array(system.signals.starts("states"))
    k = constants(system, system.signals.starts("parameters"))
    return 0.0, x, rng.normal(size=system.nu), k, rng.integers(0, 2, system.nd).astype(float)


def system_of(structure):
    return spacecraft_system(random_craft(structure))
