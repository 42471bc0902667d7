"""A sampled attitude controller: quaternion feedback around a slew profile, torque held between samples.

    T = −2 K sign(q_e0) q_ev − D (ω − ω_ref) + J α_ref,     each axis limited

Source: quaternion feedback as in [wie1989]; the sign of q_e0 (the short way round), the reference and the feedforward are ours.
q_e = q_ref* ∘ q is the attitude error; the reference turns about one axis by a quintic in time, so that rate and
acceleration begin and end at zero. At a sample instant the torque depends on the inputs directly (a master that
reads it then gets the fresh value); between samples it is the held one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..rotation import axis_angle_quaternion, quaternion_conjugate, quaternion_dcm, quaternion_product
from ..scalar import maximum, minimum, where
from ..signals import SMALLEST, Bag, Signal, SignalTable, vector
from ..system import Staged, System

SLACK = 1e-9  # of a sample time: a master's clock may be that far from the grid


@dataclass(frozen=True)
class AttitudeController:
    """Start values of the controller's parameters, SI; three numbers an axis. Slew: about a unit vector, in body axes."""

    name: str
    sample_time: float
    stiffness: tuple[float, float, float]
    damping: tuple[float, float, float]
    torque_limit: float = 1e9
    slew_axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    slew_angle: float = 0.0
    slew_start: float = 0.0
    slew_duration: float = 1.0
    inertia: tuple | None = None  # (3, 3), for the feedforward torque of the slew
    description: str = ""
    documentation: str = ""
    experiment: dict = field(default_factory=lambda: {"stop": 10.0, "step": 0.01, "tolerance": 1e-8})


def attitude_controller(settings: AttitudeController) -> System:
    """The System of the controller."""
    signals = _signals(settings)

    def bags(u, k, d):
        return Bag(signals, "inputs", u), Bag(signals, "parameters", k), Bag(signals, "discretes", d)

    def due(t, k, d):
        return t >= (d["tick"] - SLACK) * k["sample_time"]

    def finish(t, x, u, k, d, z, multipliers, carry):
        u, k, d = bags(u, k, d)
        reference, rate, acceleration = _reference(t, k)
        torque, error = _law(u, k, reference, rate, acceleration)
        return (
            np.zeros(0),
            np.concatenate([where(due(t, k, d), torque, d["held_torque"]), reference, rate, error]),
            np.zeros(0),
        )

    def update(t, x, u, k, d, g, z, multipliers, carry):
        u, k, d = bags(u, k, d)
        now = due(t, k, d)
        torque, _ = _law(u, k, *_reference(t, k))
        next_tick = np.floor(t / k["sample_time"] + SLACK) + 1.0
        return x, np.concatenate([[where(now, next_tick, d["tick"])], where(now, torque, d["held_torque"])])

    def initialize(t, x, u, k, d):
        return x, np.concatenate([[np.ceil(t / k[signals.where("parameters", "sample_time")] - SLACK)], np.zeros(3)])

    return System(
        name=settings.name,
        description=settings.description,
        signals=signals,
        motion=Staged(finish),
        check=lambda p: np.array(
            [p[signals.where("parameters", name)] for name in ("sample_time", "slew.duration", "torque_limit")]
        ),
        laws=("sample_time must be positive", "slew.duration must be positive", "torque_limit must be positive"),
        initialize=initialize,
        next_time=lambda t, x, u, k, d: d[0] * k[signals.where("parameters", "sample_time")],
        update=Staged(update),
        experiment=settings.experiment,
        documentation=settings.documentation,
        made_by=(attitude_controller, settings),
    )


def _signals(settings: AttitudeController) -> SignalTable:
    inertia = np.zeros((3, 3)) if settings.inertia is None else np.array(settings.inertia)
    return SignalTable(
        inputs=(
            *vector("quaternion", "measured attitude of the body in N, scalar first", [1.0, 0.0, 0.0, 0.0], "1"),
            *vector("angular_velocity", "measured angular velocity, in body axes", [0.0] * 3, "rad/s"),
        ),
        parameters=(
            Signal("sample_time", "time between samples", "s", settings.sample_time, min=SMALLEST),
            *vector("stiffness", "torque per attitude error", settings.stiffness, "N.m/rad", tunable=True),
            *vector("damping", "torque per rate error", settings.damping, "N.m.s/rad", tunable=True),
            Signal("torque_limit", "largest torque of each axis", "N.m", settings.torque_limit, min=SMALLEST, tunable=True),
            *vector("slew.axis", "axis of the slew, a unit vector", settings.slew_axis, "1"),
            Signal("slew.angle", "angle of the slew", "rad", settings.slew_angle),
            Signal("slew.start", "when the slew begins", "s", settings.slew_start),
            Signal("slew.duration", "how long the slew takes", "s", settings.slew_duration, min=SMALLEST),
            *vector("slew.inertia", "inertia about the slew axis that the feedforward torque assumes, times the axis", inertia @ settings.slew_axis, "kg.m2"),
        ),
        discretes=(
            Signal("tick", "number of the next sample", kind="integer", output=False, calculated=True),
            *vector("held_torque", "torque of the last sample", [0.0] * 3, "N.m", output=False, calculated=True),
        ),
        outputs=(
            *vector("torque", "commanded torque, in body axes", [0.0] * 3, "N.m", sampled=True),
            *vector("reference.quaternion", "reference attitude", [1.0, 0.0, 0.0, 0.0], "1"),
            *vector("reference.rate", "reference angular velocity, in reference axes", [0.0] * 3, "rad/s"),
            *vector("error", "attitude error, a small rotation vector in body axes", [0.0] * 3, "rad"),
        ),
    )  # fmt: skip


def _reference(t, k):
    """q_ref, ω_ref [rad/s] and α_ref [rad/s²] about the slew axis: s(τ) = 10τ³ − 15τ⁴ + 6τ⁵."""
    duration, axis = k["slew.duration"], k["slew.axis"]
    tau = minimum(maximum((t - k["slew.start"]) / duration, 0.0), 1.0)
    angle = k["slew.angle"] * tau**3 * (10.0 - 15.0 * tau + 6.0 * tau**2)
    rate = k["slew.angle"] / duration * 30.0 * tau**2 * (1.0 - tau) ** 2
    acceleration = k["slew.angle"] / duration**2 * 60.0 * tau * (1.0 - tau) * (1.0 - 2.0 * tau)
    return axis_angle_quaternion(axis, angle), axis * rate, acceleration


def _law(u, k, reference, rate, acceleration):
    """Torque (3,) [N m] and attitude error (3,) [rad]."""
    q_error = quaternion_product(quaternion_conjugate(reference), u["quaternion"])
    error = 2.0 * where(q_error[0] < 0.0, -1.0, 1.0) * q_error[1:]
    rate_B = quaternion_dcm(q_error).T @ rate
    wanted = (
        -k["stiffness"] * error - k["damping"] * (u["angular_velocity"] - rate_B) + k["slew.inertia"] * acceleration
    )
    limit = k["torque_limit"]
    clipped = np.array([maximum(minimum(component, limit), -limit) for component in wanted])
    return clipped, error
