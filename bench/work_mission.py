"""(g) The mission year: FlexibleSatellite on its orbit with gravity gradient, Sun, air and magnetic field, under its controller.

Plant, controller and exchange every 0.1 s, over an orbit; the master is a loop in C (driver.c), as a real-time host would have.
"""

from __future__ import annotations

import numpy as np

from . import models
from .driver import Coupled, Unit, build
from .results import Results

STEP, ORBIT = 0.1, 5677.0  # [s]: a communication step, and a revolution at 500 km
TOLERANCE = 1e-6
GAINS = {
    **{f"stiffness[{i + 1}]": k for i, k in enumerate((8.2, 5.2, 9.0))},
    **{f"damping[{i + 1}]": c for i, c in enumerate((91.0, 58.0, 100.0))},
    "torque_limit": 0.2,
}  # as in the catalogue's AttitudeSlew


def run(results: Results, length: float = ORBIT) -> None:
    plant_path, _ = build(models.mission(), "Mission")
    controller_path, _ = build(models.entry("AttitudeController"), "AttitudeController")
    plant, controller = Unit(plant_path, tolerance=TOLERANCE), Unit(controller_path, start=GAINS)
    axes = range(1, 4)
    exchange = [
        (
            plant,
            [f"hub.quaternion[{i}]" for i in range(1, 5)],
            controller,
            [f"quaternion[{i}]" for i in range(1, 5)],
            [1.0] * 4,
        ),
        (
            plant,
            [f"hub.angular_velocity[{i}]" for i in axes],
            controller,
            [f"angular_velocity[{i}]" for i in axes],
            [1.0] * 3,
        ),
        (controller, [f"torque[{i}]" for i in axes], plant, [f"wheel.{a}.torque" for a in "xyz"], [-1.0] * 3),
    ]
    before = balance(plant)
    count = round(length / STEP)
    taken = 1e-9 * count * Coupled(plant, controller, exchange).steps(STEP)(count)
    after = balance(plant)
    results.row("g", "simulated seconds a second of CPU, over an orbit at 10 Hz", length / taken, key="year")
    scale = max(np.abs(after).max(), np.abs(before).max())
    error = abs(after.sum() - before.sum()) / scale
    results.row(
        "g",
        "energy balance over the orbit, in units of the tolerance asked",
        error / TOLERANCE,
        "",
        f"|error| {error:.1e} of the largest term",
        "year_balance",
    )
    for unit in (plant, controller):
        unit.free()


def balance(plant: Unit) -> np.ndarray:
    """Terms of energy [J] whose sum stays: kinetic, potential, dissipated, less what came in as work."""
    names = ("system.kinetic_energy", "system.potential_energy", "system.dissipated_energy", "system.work")
    kinetic, potential, lost, work = plant.real(*names)
    return np.array([kinetic, potential, lost, -work])
