"""From a commanded torque to actuators, sampled: reaction wheels by pseudo-inverse, thrusters by pulse width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..algebra.scalar import both, either, limited, maximum, minimum, spd_solve, where
from ..system.pieces import Declared, discrete, input_, output, parameter
from ..system.signals import SMALLEST, Parameter
from .partner import Partner, described

ZEROS = (0.0, 0.0, 0.0)


def _least(A, wanted):
    """A⁺ wanted = Aᵀ (A Aᵀ)⁻¹ wanted: the x of least norm with A x = wanted. A (3, n)."""
    return A.T @ spd_solve(A @ A.T, wanted)


@dataclass(frozen=True, kw_only=True)
class WheelDistribution(Partner):
    """Motor torques of n wheels: τ = −A⁺ T + P J k_b (Ω_b − Ω), P = 1 − A⁺A; A (3, n) has the wheels' axes as columns.

    The second part exerts no torque on the body: it drives the speeds Ω towards Ω_b within the null space of A [markley2014]. Unloading: while
    |h| = |A J Ω| has exceeded `unload_above` and not yet fallen below `unload_below`, thrusters or magnetorquers are commanded −k_h h, limited.
    """

    required: ClassVar = ("sample_time", "axes", "spin_inertia")
    sample_time: Declared[Parameter] = parameter("time between samples", "s", 0.1, min=SMALLEST)
    axes: Declared[Parameter] = parameter("axes of the wheels, in body axes", "1", np.eye(3), name="axis")
    spin_inertia: Declared[Parameter] = parameter("inertia of each rotor", "kg.m2", 0.01, min=SMALLEST)
    torque_limit: Declared[Parameter] = parameter("largest motor torque", "N.m", 1e9, min=SMALLEST)
    bias_speed: Declared[Parameter] = parameter(
        "speed to which wheel {{i}} is driven", "rad/s", lambda self: np.zeros(len(self.axes.start))
    )
    bias_rate: Declared[Parameter] = parameter("rate constant towards bias_speed", "1/s", 0.0, min=0.0)
    unload_above: Declared[Parameter] = parameter(
        "momentum of the wheels at which unloading begins", "N.m.s", 1e9, min=SMALLEST
    )
    unload_below: Declared[Parameter] = parameter("momentum at which unloading ends", "N.m.s", 0.0, min=0.0)
    unload_rate: Declared[Parameter] = parameter("unloading torque per momentum", "1/s", 0.0, min=0.0)
    unload_limit: Declared[Parameter] = parameter("largest unloading torque of each axis", "N.m", 1e9, min=SMALLEST)

    torque = input_("commanded torque on the body, in body axes", "N.m", ZEROS)
    speed = input_("speed of wheel {{i}}", "rad/s", lambda self: np.zeros(len(self.axes.start)))
    held = discrete(
        "motor torques of the last sample",
        "N.m",
        lambda self: np.zeros(len(self.axes.start)),
        output=False,
        calculated=True,
    )
    unloads = discrete("whether the wheels are unloaded", kind="boolean", calculated=True)
    held_unloading = discrete("unloading torque of the last sample", "N.m", ZEROS, output=False, calculated=True)
    wheel_torque = output(
        "motor torque of wheel {{i}}, which turns its rotor",
        "N.m",
        lambda self: np.zeros(len(self.axes.start)),
        sampled=True,
    )
    unloading = output("torque on the body that unloads the wheels, in body axes", "N.m", ZEROS, sampled=True)
    momentum = output("momentum of the wheels, in body axes", "N.m.s", ZEROS)  # fmt: skip

    def _momentum(self, now):
        return now[self.axes].T @ (now.spin_inertia * now.speed)

    def sample(self, now) -> dict[str, Any]:
        A, n = now[self.axes].T, len(self.axes.start)
        wish = now.spin_inertia * now.bias_rate * (now.bias_speed - now.speed)
        null = wish - _least(A, A @ wish)
        wanted = null - _least(A, now.torque)
        h = self._momentum(now)
        size = np.sqrt(h @ h)
        unloads = either(size > now.unload_above, both(now.unloads > 0.5, size > now.unload_below))
        unloading = where(unloads, -now.unload_rate * h, np.zeros(3))
        return {
            "held": np.array([limited(wanted[i], now.torque_limit) for i in range(n)]),
            "unloads": where(unloads, 1.0, 0.0),
            "held_unloading": np.array([limited(component, now.unload_limit) for component in unloading]),
        }

    def results(self, now) -> dict[str, Any]:
        return {"wheel_torque": now.held, "unloading": now.held_unloading, "momentum": self._momentum(now)}


@dataclass(frozen=True, kw_only=True)
class ThrusterModulator(Partner):
    """Pulse width of n on/off thrusters: forces f = max(0, 2 B⁺ T), B (3, n) with the torques of one newton as columns, on for f/F of each period.

    Thrusters are in opposite pairs (for each column of B there is its negative): then each thruster of a pair gives the half that max cuts
    off for the other, and B f = T. On-times are whole numbers of `sample_time`; the remainder from rounding, the shortest pulse and a full
    period is carried over to the next period, so that the mean torque is the commanded one.
    """

    required: ClassVar = ("sample_time", "arms", "thrust")
    sample_time: Declared[Parameter] = parameter("resolution of the on-times", "s", 0.02, min=SMALLEST)
    period: int = described("count", "samples in a period", 10)
    shortest: int = described("count", "samples of the shortest pulse", 1)
    arms: Declared[Parameter] = parameter(
        "torque of thruster {{i}} per thrust, in body axes", "m", np.zeros((2, 3)), name="arm"
    )
    thrust: Declared[Parameter] = parameter("thrust of each thruster when it is on", "N", 1.0, min=SMALLEST)

    torque = input_("commanded torque on the body, in body axes", "N.m", ZEROS)
    count = discrete(
        "sample within the period", kind="integer", start=lambda self: self.period, output=False, calculated=True
    )
    on = discrete(
        "samples that thruster {{i}} is on for in this period",
        start=lambda self: np.zeros(len(self.arms.start)),
        output=False,
        calculated=True,
    )
    left = discrete(
        "samples of thruster {{i}} carried over",
        start=lambda self: np.zeros(len(self.arms.start)),
        output=False,
        calculated=True,
    )
    force = output("thrust of thruster {{i}}", "N", lambda self: np.zeros(len(self.arms.start)), sampled=True)  # fmt: skip

    def objections(self):
        arms = [np.array(arm) for arm in self.arms.start]
        alone = [arm for arm in arms if not any(np.allclose(arm, -other) for other in arms)]
        return [
            ("arms", tuple(arm.tolist()), "its opposite among the arms, which must come in pairs") for arm in alone[:1]
        ]

    def sample(self, now) -> dict[str, Any]:
        n, begins = len(self.arms.start), now.count > self.period - 1.5
        forces = 2.0 * _least(now[self.arms].T, now.torque)
        on, left = [], []
        for i in range(n):
            wanted = now.left[i] + self.period * maximum(forces[i], 0.0) / now.thrust
            rounded = np.floor(minimum(wanted, 1.0 * self.period) + 0.5)
            rounded = where(rounded > self.shortest - 0.5, rounded, 0.0)
            on.append(where(begins, rounded, now.on[i]))
            # the part cut off in a saturated period is not carried over
            left.append(where(begins, minimum(wanted - rounded, 1.0 * self.period), now.left[i]))
        return {"count": where(begins, 0.0, now.count + 1.0), "on": np.array(on), "left": np.array(left)}

    def results(self, now) -> dict[str, Any]:
        n = len(self.arms.start)
        return {"force": np.array([where(now.on[i] > now.count + 0.5, now.thrust, 0.0) for i in range(n)])}
