"""Descriptions with temperatures, and what a System does while nothing moves."""

import numpy as np

from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.signals import Bag

BOOM = """
name = "Boom"
[bodies.boom]
nodes = {{ tip = 1.0, middle = 0.5 }}
thermal = {{ expansion = 1.2e-5, thickness = 0.02, sections = {sections}, static_shapes = {static} }}
[bodies.boom.beam]
length = 5.0
mass = 2.0
axis = "{axis}"
bending_y = 100.0
bending_z = 150.0
axial = 2e3
modes = {modes}
{more}
[joints.root]
parent = "space"
child = "boom"
kind = "fixed"
"""


def boom(sections=1, static=True, modes="{ bending_y = 5 }", more="", axis="x") -> str:
    return BOOM.format(sections=sections, static=str(static).lower(), modes=modes, more=more, axis=axis)


def given(system, **inputs):
    """Inputs u with some set by name; "__" stands for a dot."""
    u = np.array(system.signals.starts("inputs"))
    for name, value in inputs.items():
        u[system.signals.where("inputs", name.replace("__", "."))] = value
    return u


def settled(system, u, p=None):
    """(outputs by name, x) where the amplitudes of all modes rest: Newton on the rates, whose slopes are central differences."""
    x, u, k, d = start(system, u=u, p=p)
    names = [state.name for state in system.signals.states]
    q = [i for i, name in enumerate(names) if name.endswith(".amplitude")]
    v = [i for i, name in enumerate(names) if name.endswith(".rate")]

    def rates(moved):
        return motion(system, 0.0, moved, u, k, d)[0][v]

    for _ in range(3):
        steps = 1e-3 * np.eye(len(x))[q]
        slopes = np.array([(rates(x + step) - rates(x - step)) / 2e-3 for step in steps]).T
        x[q] -= np.linalg.solve(slopes, rates(x))
    return Bag(system.signals, "outputs", motion(system, 0.0, x, u, k, d)[1]), x


def driven(system, **functions):
    """u(t) with some inputs as functions of time; the names as in `given`."""
    return lambda t: given(system, **{name: function(t) for name, function in functions.items()})
