"""Spacecraft for the tests of this folder, and the quantities they are judged by."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, project, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast

TWO_BODIES = """
name = "Pair"
[bodies.base]
mass = 7.0
mass_center = [0.1, -0.2, 0.05]
inertia = { xx = 1.1, yy = 1.4, zz = 1.7, xy = 0.1, xz = -0.2, yz = 0.05 }
nodes = { grip = [0.4, 0.3, -0.2] }
[bodies.arm]
mass = 3.0
mass_center = [-0.2, 0.1, 0.3]
inertia = { xx = 0.4, yy = 0.5, zz = 0.6, xy = -0.05, xz = 0.02, yz = 0.04 }
nodes = { grip = [-0.5, 0.2, 0.6] }
"""


BOOM = """[bodies.boom]
damping = 0.01
[bodies.boom.beam]
length = 2.0
mass = 1.5
axis = "x"
second_axis = "y"
bending_y = 40.0
bending_z = 60.0
modes = { bending_y = 1, bending_z = 1 }
"""  # a beam with one mode to each side


def point(body: str, joint: str, mass: float) -> str:
    """Tables of a point mass that may go anywhere; the joint's is the last one, for an `initial`."""
    return f"""
[bodies.{body}]
mass = {mass}
inertia = [0.0, 0.0, 0.0]
[joints.{joint}]
parent = "space"
child = "{body}"
kind = "general"
translations = ["x", "y", "z"]
"""


def pair(couplings: str, initial: str = "") -> str:
    """Two free bodies and what is between them, as a description."""
    return TWO_BODIES + initial + couplings


def start_random(system, seed: int, size: float = 0.1):
    """A seeded state on all manifolds: the start, shaken as far as Newton's iteration finds back from."""
    x, u, k, d = start(system)
    rng = np.random.default_rng(seed)
    shake = size * rng.normal(size=x.size)
    table = system.signals
    for name in ("system.work", "system.dissipated_energy"):
        shake[table.where("states", name)] = 0.0
    return project(system, 0.0, x + shake, u, k, d), u, k, d


def column(system, trajectory, name):
    """A signal's history, from states or outputs or discrete states."""
    for group, rows in (("states", trajectory.x), ("outputs", trajectory.y), ("discretes", trajectory.d)):
        try:
            return rows[:, system.signals.where(group, name)]
        except KeyError:
            continue
    raise KeyError(name)


def balance(system, trajectory):
    """Energy − work + losses (n,)."""
    kinetic, potential, work, lost = (
        column(system, trajectory, f"system.{name}")
        for name in ("kinetic_energy", "potential_energy", "work", "dissipated_energy")
    )
    return kinetic + potential - work + lost


def drift(values) -> float:
    """Largest change of a history from its start."""
    return float(np.max(np.abs(values - values[0])))


def run(text_or_system, stop: float, count: int = 21, **more):
    """(system, trajectory) of a description, integrated by the reference."""
    system = load_text(text_or_system) if isinstance(text_or_system, str) else text_or_system
    return system, integrate(fast(system), np.linspace(0.0, stop, count), **more)


def outputs(system, x, u, k, d):
    """y of one state."""
    return motion(system, 0.0, x, u, k, d)[1]
