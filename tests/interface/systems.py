"""A System that has one of everything the signal table can say, and what its equations depend on."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from spacefmu.dynamics.algebra.scalar import where
from spacefmu.dynamics.system.contract import About, Staged, System
from spacefmu.dynamics.system.signals import Signal, SignalTable, vector

MASS = 0.1 + 0.2  # 0.30000000000000004: a double that a shorter text would lose

SIGNALS = SignalTable(
    states=(
        Signal("mass.position", "where the mass is", "m", 0.25, derivative="mass.velocity", nominal=0.1),
        Signal(
            "mass.velocity",
            "how fast it moves",
            "m/s",
            derivative="mass.acceleration",
            derivative_unit="m/s2",
            derivative_description="how its speed changes",
            reinit=True,
        ),
        Signal(
            "wheel.speed",
            "turns at a given rate",
            "rad/s",
            10.0,
            derivative="der(wheel.speed)",
            derivative_unit="rad/s2",
        ),
        Signal(
            "work", "done by the force", "J", derivative="power", derivative_unit="W", output=False, quadrature=True
        ),
    ),
    inputs=(
        *vector("force", "pushes the mass & <wheel>", (0.0, 1e-300), "N"),
        Signal("brake", "on or off", kind="boolean", start=1.0),
        Signal("gear", "", kind="integer", start=-2.0, min=-5.0, max=5.0),
    ),
    parameters=(
        Signal("mass.mass", "", "kg", MASS, min=1e-9),
        Signal("stiffness", "", "N/m", 4.0, tunable=True),
        Signal("mode", "", kind="enumeration", start=2.0, items=("coarse", "fine"), min=1.0, max=2.0),
        Signal("wall.angle", "", "rad", -1.0 / 3.0),
    ),
    discretes=(Signal("count", "hits so far", kind="integer"), Signal("hidden", "", "m", 0.5, output=False)),
    outputs=(
        Signal("spring.force", "", "N"),
        Signal("feedthrough", "", "N"),
        Signal("stretched", "", kind="boolean"),
        Signal("clock", "", "s"),
        Signal("constant", "", "1"),
    ),
)


def _finish(t, x, u, k, d, z, multipliers, carry):
    position, velocity, speed, _ = x
    spring = -k[1] * position
    x_dot = np.array([velocity, (spring + u[0]) / k[0], u[1] - speed, u[0] * velocity])
    y = np.array([spring, u[0] + spring, where(position > 0.0, 1.0, 0.0), t, 1.0])
    return x_dot, y, np.array([position + 0.5])


ONE_OF_EVERYTHING = System(
    name="One of everything",
    about=About(
        'has "quotes", <angles> & ampersands',
        documentation="A mass on a spring.\n\nAssumes: x < 1 & no friction.",
        experiment={"stop": 3.0, "step": 0.1, "tolerance": 1e-7},
        fixed_at_build=("the wall is at −0.5 m",),
    ),
    signals=SIGNALS,
    motion=Staged(_finish),
    indicator_count=1,
)

# As read off _finish by hand. In initialization the parameters and start values are known, too.
DEPENDENCIES = SimpleNamespace(
    derivatives=[
        {"mass.velocity"},
        {"mass.position", "force[1]"},
        {"wheel.speed", "force[2]"},
        {"mass.velocity", "force[1]"},
    ],
    outputs=[{"mass.position"}, {"mass.position", "force[1]"}, {"mass.position"}, {"time"}, set()],
    initial_states=[{"mass.position"}, {"mass.velocity"}, {"wheel.speed"}, {"work"}],
    initial_derivatives=[
        {"mass.velocity"},
        {"mass.position", "force[1]", "stiffness", "mass.mass"},
        {"wheel.speed", "force[2]"},
        {"mass.velocity", "force[1]"},
    ],
    initial_outputs=[
        {"mass.position", "stiffness"},
        {"mass.position", "force[1]", "stiffness"},
        {"mass.position"},
        {"time"},
        set(),
    ],
    initial_discretes=[{"count"}, {"hidden"}],
)
