"""What acts along one joint axis: spring, damper, smooth Coulomb friction, stops, and the drive.

    τ = −k (q − q_rest) − c q̇ − F tanh(q̇/w) + stops + drive input

A stop is a stiff one-sided spring and damper: beyond it by δ > 0, the force back is max(0, K δ + C δ̇).
Drives: "none"; "force" (torque or force input); "acceleration" (prescribed motion: the input is q̈, so it is
consistent under any hold); "position" and "rate" (a command through the second-order servo
q̈ = w² (command − q) − 2 z w q̇, and q̈ = w (command − q̇)).
An axis may lock: by an input, or by itself where it reaches an angle (a latch).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..scalar import maximum, where
from ..signals import Signal

DRIVES = ("none", "force", "acceleration", "position", "rate")
PRESCRIBED = ("acceleration", "position", "rate")


@dataclass(frozen=True)
class AxisLaw:
    """Start values of one axis' parameters; `friction` and `stop` None = absent, and then no parameters."""

    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    friction: float | None = None
    friction_rate: float = 1e-3
    stop: tuple[float, float, float, float] | None = None  # lower, upper, stiffness, damping
    drive: str = "none"
    servo: tuple[float, float] = (1.0, 0.7)  # frequency [Hz], damping ratio
    lock: bool = False
    latch: tuple[float, float] | None = None  # where, and the side it comes from: +1 from below, −1 from above


@dataclass(frozen=True)
class Lock:
    """How one axis locks: at once where its input says so, by itself at a latch, or with both: the input arms and releases the latch.

    A latched axis without an input stays so for good.
    """

    axis: int  # its number in the joint
    locked: str  # name of the discrete state
    input: str | None = None
    latch: str | None = None  # name of the parameter
    side: float = 1.0

    def distance(self, k, q):
        """To the latch, along the way there: it catches where this is not positive."""
        return self.side * (k[self.latch] - q)

    def decide(self, u, locked, distance):
        """1 where the axis is locked from now on; `locked` as it is, `distance` to its latch (without one: not used)."""
        caught = 1.0 if self.latch is None else maximum(locked, where(distance <= 0.0, 1.0, 0.0))
        return caught if self.input is None else where(u[self.input] > 0.5, caught, 0.0)


@dataclass(frozen=True)
class Axis:
    """An axis of a joint with its names: `prefix` + quantity + index, e.g. wrist. + angle + [2].

    Coordinates and drives count the axes of their own kind (`suffix`: position[1], angle[1]), all else every axis
    of the joint, translations first (`number`: stiffness[1], stiffness[2]).
    """

    prefix: str
    suffix: str
    kind: tuple  # TRANSLATION or ROTATION of coordinates.py
    law: AxisLaw
    number: str

    def name(self, quantity: str) -> str:
        own = quantity.removesuffix("_command") in (*self.kind[:3], "force", "torque")
        return f"{self.prefix}.{quantity}{self.suffix if own else self.number}"

    @property
    def force_name(self) -> str:
        return self.name("force" if self.kind[0] == "position" else "torque")

    def parameters(self) -> list[Signal]:
        turning = self.kind[0] == "angle"
        force, place, speed = ("N.m", "rad", "rad/s") if turning else ("N", "m", "m/s")
        law, name = self.law, self.name
        rows = [
            Signal(name("stiffness"), f"spring of {self.prefix}", "N.m/rad" if turning else "N/m", law.stiffness, min=0.0, tunable=True),
            Signal(name("rest"), f"where the spring of {self.prefix} is slack", place, law.rest, tunable=True),
            Signal(name("damping"), f"viscous damper of {self.prefix}", "N.m.s/rad" if turning else "N.s/m", law.damping, min=0.0, tunable=True),
        ]  # fmt: skip
        if law.friction is not None:
            rows += [
                Signal(name("friction"), f"Coulomb friction of {self.prefix}", force, law.friction, min=0.0, tunable=True),
                Signal(name("friction_rate"), "rate at which friction has reached 76 % of its full value", speed, law.friction_rate, min=1e-12, tunable=True),
            ]  # fmt: skip
        if law.stop is not None:
            lower, upper, stiffness, damping = law.stop
            rows += [
                Signal(name("stop_lower"), f"lower stop of {self.prefix}", place, lower, tunable=True),
                Signal(name("stop_upper"), f"upper stop of {self.prefix}", place, upper, tunable=True),
                Signal(name("stop_stiffness"), f"spring of the stops of {self.prefix}", "N.m/rad" if turning else "N/m", stiffness, min=0.0, tunable=True),
                Signal(name("stop_damping"), f"damper of the stops of {self.prefix}", "N.m.s/rad" if turning else "N.s/m", damping, min=0.0, tunable=True),
            ]  # fmt: skip
        if law.drive in ("position", "rate"):
            rows += [
                Signal(name("servo_frequency"), f"natural frequency of the servo of {self.prefix}", "Hz", law.servo[0], min=1e-9, tunable=True),
                Signal(name("servo_damping"), f"damping ratio of the servo of {self.prefix}", "1", law.servo[1], min=0.0, tunable=True),
            ]  # fmt: skip
        if law.latch is not None:
            place_is, side = law.latch
            came = "below" if side > 0.0 else "above"
            rows.append(Signal(name("latch"), f"where {self.prefix} latches, coming from {came}", place, place_is))
        return rows

    def lock(self, number: int) -> Lock | None:
        """How this axis, `number` of its joint, locks; None: never."""
        law = self.law
        if not law.lock and law.latch is None:
            return None
        given = self.name("lock") if law.lock else None
        if law.latch is None:
            return Lock(number, self.name("locked"), given)
        return Lock(number, self.name("latched"), given, self.name("latch"), law.latch[1])

    def inputs(self) -> list[Signal]:
        place, speed, rate, unit, speed_unit, rate_unit = self.kind
        force_unit = "N" if place == "position" else "N.m"
        drive = {
            "none": [],
            "force": [
                Signal(
                    self.force_name,
                    f"drive of {self.prefix}: acts on the child, its reaction on the parent",
                    force_unit,
                )
            ],
            "acceleration": [Signal(self.name(rate), f"prescribed acceleration of {self.prefix}", rate_unit)],
            "position": [
                Signal(self.name(f"{place}_command"), f"commanded {place} of {self.prefix}", unit, self.law.rest)
            ],
            "rate": [Signal(self.name(f"{speed}_command"), f"commanded {speed} of {self.prefix}", speed_unit)],
        }[self.law.drive]
        if self.law.lock:
            asked = "locked where it is" if self.law.latch is None else "caught by its latch"
            drive = [*drive, Signal(self.name("lock"), f"true: {self.prefix} is to be {asked}", kind="boolean")]
        return drive

    def passive_force(self, k, q, v):
        """Force of spring, damper, friction and stops along the axis, and the power it dissipates [W]."""
        spring = -k[self.name("stiffness")] * (q - k[self.name("rest")])
        loss = -k[self.name("damping")] * v
        if self.law.friction is not None:
            loss = loss - k[self.name("friction")] * np.tanh(v / k[self.name("friction_rate")])
        stopped = 0.0
        if self.law.stop is not None:
            stopped, lost = self._stops(k, q, v)
            loss = loss + lost
        return spring + loss + stopped, -loss * v

    def _stops(self, k, q, v):
        """Elastic part and damping part of the stops' force."""
        stiffness, damping = k[self.name("stop_stiffness")], k[self.name("stop_damping")]
        above = maximum(q - k[self.name("stop_upper")], 0.0)
        below = maximum(k[self.name("stop_lower")] - q, 0.0)
        elastic = stiffness * (below - above)
        # the whole force never pulls: max(0, Kδ + Cδ̇), and nothing where there is no contact
        total = maximum(stiffness * below - damping * v, 0.0) * (below > 0.0) - maximum(
            stiffness * above + damping * v, 0.0
        ) * (above > 0.0)
        return elastic, total - elastic

    def potential(self, k, q):
        """Energy of spring and stops [J]."""
        stretch = q - k[self.name("rest")]
        energy = 0.5 * k[self.name("stiffness")] * stretch * stretch
        if self.law.stop is not None:
            above = maximum(q - k[self.name("stop_upper")], 0.0)
            below = maximum(k[self.name("stop_lower")] - q, 0.0)
            energy = energy + 0.5 * k[self.name("stop_stiffness")] * (above * above + below * below)
        return energy

    def prescribed_rate(self, k, u, q, v):
        """q̈ of a prescribed axis, from its input."""
        place, speed, rate = self.kind[:3]
        if self.law.drive == "acceleration":
            return u[self.name(rate)]
        w, z = 2.0 * np.pi * k[self.name("servo_frequency")], k[self.name("servo_damping")]
        if self.law.drive == "position":
            return w * w * (u[self.name(f"{place}_command")] - q) - 2.0 * z * w * v
        return w * (u[self.name(f"{speed}_command")] - v)
