"""Names and units of a joint's states: coordinates q, speeds v and their rates.

One-axis joints have scalars, joints of several axes arrays throughout. Each coordinate names its derivative:
a speed where q̇ = v, else der(…). Rates of speeds are `acceleration` or `angular_acceleration`, unless an input
prescribes them and has taken that name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..system.signals import Start, State


@dataclass(frozen=True)
class AxisKind:
    """A translation or a rotation: names of q, q̇, q̈ and of the force along it, and the units of all that belongs to it."""

    coordinate: str
    speed: str
    acceleration: str
    force: str
    unit: str
    speed_unit: str
    acceleration_unit: str
    force_unit: str
    stiffness_unit: str
    damping_unit: str
    along: str


TRANSLATION = AxisKind(
    "position", "velocity", "acceleration", "force", "m", "m/s", "m/s2", "N", "N/m", "N.s/m", "along"
)  # fmt: skip
ROTATION = AxisKind(
    "angle", "rate", "angular_acceleration", "torque", "rad", "rad/s", "rad/s2", "N.m", "N.m/rad", "N.m.s/rad", "about"
)  # fmt: skip


def speed_state(name: str, description: str, unit: str, start: Start, derivative: str, derivative_unit: str) -> State:
    """A speed of a joint or a mode; its rate follows from the equations of motion."""
    return State(name, description, unit, start, derivative=derivative, derivative_unit=derivative_unit,
                 derivative_description=f"rate of change: {description}", reinit=True)  # fmt: skip


def states_of(body: Any, eta0: Any, eta_dot0: Any) -> tuple[list[State], list[State]]:
    """η and η̇ of a body, under its own names or as modes."""
    if hasattr(body, "own_states"):
        return body.own_states(eta0, eta_dot0)
    return mode_states(body.name, body.modes, eta0, eta_dot0)


def mode_states(name: str, modes: int, eta0: Start, eta_dot0: Start) -> tuple[list[State], list[State]]:
    """A flexible body's η and η̇."""
    amplitudes, rates = [], []
    for i in range(modes):
        mode = f"{name}.mode[{i + 1}]"
        amplitudes.append(State(f"{mode}.amplitude", f"amplitude of mode {i + 1} of {name}", "m", eta0[i], derivative=f"{mode}.rate", reinit=True))  # fmt: skip
        text = f"rate of mode {i + 1} of {name}"
        rates.append(speed_state(f"{mode}.rate", text, "m/s", eta_dot0[i], f"{mode}.acceleration", "m/s2"))
    return amplitudes, rates
