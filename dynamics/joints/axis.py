"""What acts along one joint axis: spring, damper, smooth Coulomb friction, stops, and the drive.

    τ = −k (q − q_rest) − c q̇ − F tanh(q̇/w) + f(q, q̇) + stops + drive input

f is a formula (forces.py), or nothing.

Friction with `static_friction` sticks: while sliding it is F against the motion; when the rate reaches zero, the axis is held until
holding it would need more than the static friction. Both are events, as is the direction in which it starts to slide.
A stop is a stiff one-sided spring and damper: at a penetration δ > 0 the restoring force is max(0, K δ + C δ̇), so it never pulls. Zeros
of δ and of K δ + C δ̇ are events, so the force is smooth between them, as for an elastic cable (dynamics/tether/elastic.py): with a kink
inside a step the result would depend on the choice of steps.
Drives: "none"; "force" (torque or force input); "acceleration" (prescribed motion: the input is q̈, so it is consistent however the input
is held); "position" and "rate" (a command through the second-order servo
q̈ = w² (command − q) − 2 z w q̇, and q̈ = w (command − q̇)).
An axis may lock: by an input, or at an angle (a latch).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..algebra.scalar import both, maximum, where
from ..system.pieces import Piece, discrete, input_, parameter
from ..system.signals import Discrete, Parameter, Quantity
from .coordinates import AxisKind

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
    latch: tuple[float, float] | None = None  # position, and the side of approach: +1 from below, −1 from above
    static: float | None = None  # static friction of an axis that sticks; None: smooth friction
    formula: object = None  # in the coordinate, `rate`, and constants of the joint

    @property
    def comes_from(self) -> str:
        return "below" if self.latch and self.latch[1] > 0.0 else "above"

    @property
    def held_word(self) -> str:
        """The word for a locked axis; "" if it can't be locked."""
        return "latched" if self.latch else "locked" if self.lock else "stuck" if self.sticks else ""

    @property
    def held_how(self) -> str:
        return "caught by its latch" if self.latch else "locked where it is"

    @property
    def sticks(self) -> bool:
        return self.static is not None


@dataclass(frozen=True)
class Lock:
    """How one axis locks: at once by its input, at a latch, or with both: the input arms and releases the latch.

    Without an input, a latched axis stays latched.
    """

    axis: int  # its index in the joint
    locked: Discrete
    input: Quantity | None = None
    latch: Parameter | None = None
    side: float = 1.0

    def distance(self, k, q):
        """Remaining distance to the latch: it catches when this is not positive."""
        return self.side * (k[self.latch] - q)

    def decide(self, u, locked, distance):
        """1 if the axis is locked from now on; `locked`: so far, `distance` to its latch (unused without one)."""
        caught = 1.0 if self.latch is None else maximum(locked, where(distance <= 0.0, 1.0, 0.0))
        return caught if self.input is None else where(u[self.input] > 0.5, caught, 0.0)


STILL = 1e-12  # reverse rate [rad/s or m/s] at which a sliding axis has come to rest: above round-off


@dataclass(frozen=True)
class Stick(Lock):
    """An axis that can stick; `direction`: 1 or −1, the direction of sliding, 0 while it is held."""

    direction: Discrete = field(kw_only=True)
    static: Parameter = field(kw_only=True)

    def begun(self, v):
        """(held, direction) at the start."""
        direction = where(v > 0.0, 1.0, where(v < 0.0, -1.0, 0.0))
        return where(direction * direction > 0.5, 0.0, 1.0), direction

    def indicators(self, k, d, v, holding):
        """While sliding: its forward rate, and zero; while held: the margins of static friction over `holding`, the force that holds it."""
        held = d[self.locked] > 0.5
        left = k[self.static] + holding, k[self.static] - holding
        return [where(held, left[0], d[self.direction] * v + STILL), where(held, left[1], 1.0)]

    def slides(self, d, g):
        """(held, direction) from now on, by its two indicators."""
        held, ends = d[self.locked] > 0.5, g[0] < 0.0
        off = where(ends, 1.0, where(g[1] < 0.0, -1.0, 0.0))  # held by less than −static: it starts to slide forward
        direction = where(held, off, where(ends, 0.0, d[self.direction]))
        return where(direction * direction > 0.5, 0.0, 1.0), direction


def _stops(axis: Axis) -> bool:
    return axis.law.stop is not None


def _servos(axis: Axis) -> bool:
    return axis.law.drive in ("position", "rate")


@dataclass(frozen=True)
class Axis(Piece):
    """An axis of a joint, its quantities named joint + word + index, e.g. wrist.angle[2].

    Coordinates and drives count the axes of their own kind (`suffix`: position[1], angle[1]); all other quantities count every axis of the
    joint, translations first (`number`: stiffness[1], stiffness[2]).
    """

    name: str  # of the joint
    suffix: str
    kind: AxisKind
    law: AxisLaw
    number: str

    # fmt: off
    stiffness = parameter("spring of {self.name}", "{self.kind.stiffness_unit}", lambda self: self.law.stiffness, min=0.0, tunable=True)
    rest = parameter("coordinate at which the spring of {self.name} is relaxed", "{self.kind.unit}", lambda self: self.law.rest, tunable=True)
    damping = parameter("viscous damper of {self.name}", "{self.kind.damping_unit}", lambda self: self.law.damping, min=0.0, tunable=True)
    friction = parameter("Coulomb friction of {self.name}", "{self.kind.force_unit}", lambda self: self.law.friction, min=0.0, tunable=True)
    friction_rate = parameter("rate at which friction reaches 76 % of its full value", "{self.kind.speed_unit}", lambda self: self.law.friction_rate, when=lambda self: self.law.friction is not None and not self.law.sticks, min=1e-12, tunable=True)
    static_friction = parameter("friction that holds {self.name} at rest", "{self.kind.force_unit}", lambda self: self.law.static, when=lambda self: self.law.sticks, min=0.0, tunable=True)
    stop_lower = parameter("lower stop of {self.name}", "{self.kind.unit}", lambda self: self.law.stop[0], when=_stops, tunable=True)
    stop_upper = parameter("upper stop of {self.name}", "{self.kind.unit}", lambda self: self.law.stop[1], when=_stops, tunable=True)
    stop_stiffness = parameter("stiffness of the stops of {self.name}", "{self.kind.stiffness_unit}", lambda self: self.law.stop[2], when=_stops, min=0.0, tunable=True)
    stop_damping = parameter("damping of the stops of {self.name}", "{self.kind.damping_unit}", lambda self: self.law.stop[3], when=_stops, min=0.0, tunable=True)
    servo_frequency = parameter("natural frequency of the servo of {self.name}", "Hz", lambda self: self.law.servo[0], when=_servos, min=1e-9, tunable=True)
    servo_damping = parameter("damping ratio of the servo of {self.name}", "1", lambda self: self.law.servo[1], when=_servos, min=0.0, tunable=True)
    latch = parameter("coordinate at which {self.name} latches, coming from {self.law.comes_from}", "{self.kind.unit}", lambda self: self.law.latch[0], when=lambda self: self.law.latch)

    force = input_("drive of {self.name}: acts on the child, its reaction on the parent", "{self.kind.force_unit}", name="{self.kind.force}", when=lambda self: self.law.drive == "force")
    acceleration = input_("prescribed acceleration of {self.name}", "{self.kind.acceleration_unit}", name="{self.kind.acceleration}", when=lambda self: self.law.drive == "acceleration")
    command = input_("commanded {self.kind.coordinate} of {self.name}", "{self.kind.unit}", lambda self: self.law.rest, name="{self.kind.coordinate}_command", when=lambda self: self.law.drive == "position")
    rate_command = input_("commanded {self.kind.speed} of {self.name}", "{self.kind.speed_unit}", name="{self.kind.speed}_command", when=lambda self: self.law.drive == "rate")
    lock_input = input_("true: {self.name} is to be {self.law.held_how}", name="lock", when=lambda self: self.law.lock, kind="boolean")

    touches = discrete("{self.name} is beyond a stop", when=_stops, kind="boolean", output=False, calculated=True)
    pushes = discrete("spring and damper of the stop of {self.name} together push", when=_stops, kind="boolean", output=False, calculated=True)
    slides = discrete("1 or -1: direction in which {self.name} slides, 0 while friction holds it", when=lambda self: self.law.sticks, output=False, calculated=True)
    held = discrete("the joint axis is {self.law.held_word}", name="{self.law.held_word}", when=lambda self: self.law.held_word, kind="boolean", calculated=True)
    # fmt: on

    def called(self, quantity: str) -> str:
        kind = self.kind
        own = quantity.removesuffix("_command") in (kind.coordinate, kind.speed, kind.acceleration, kind.force)
        return f"{self.name}.{quantity}{self.suffix if own else self.number}"

    def lock(self, number: int) -> Lock | None:
        """The lock of this axis, `number` of its joint; None: it never locks."""
        if self.held is None:
            return None
        if self.law.sticks:
            return Stick(number, self.held, direction=self.slides, static=self.static_friction)
        return Lock(number, self.held, self.lock_input, self.latch, self.law.latch[1] if self.law.latch else 1.0)

    def passive_force(self, k, d, q, v):
        """Force of spring, damper, friction and stops along the axis, and the power it dissipates [W]."""
        spring = -k[self.stiffness] * (q - k[self.rest])
        loss = -k[self.damping] * v
        if self.slides is not None:
            loss = loss - k[self.friction] * d[self.slides]
        elif self.friction is not None:
            loss = loss - k[self.friction] * np.tanh(v / k[self.friction_rate])
        stopped = 0.0
        if self.stop_upper is not None:
            stopped, lost = self._stopping(k, d, q, v)
            loss = loss + lost
        return spring + loss + stopped, -loss * v

    def _beyond(self, k, q, v):
        """Penetration δ of the nearer stop (negative between them), K δ + C δ̇, and the stop's side, ±1."""
        lower, upper = k[self.stop_lower], k[self.stop_upper]
        above = q > 0.5 * (lower + upper)
        side, delta = where(above, 1.0, -1.0), where(above, q - upper, lower - q)
        return delta, k[self.stop_stiffness] * delta + k[self.stop_damping] * side * v, side

    def _stopping(self, k, d, q, v):
        """Elastic part and damping part of the stops' force."""
        delta, push, side = self._beyond(k, q, v)
        touching = d[self.touches] > 0.5
        elastic = where(touching, k[self.stop_stiffness] * delta, 0.0)
        total = where(both(touching, d[self.pushes] > 0.5), push, 0.0)
        return -side * elastic, -side * (total - elastic)

    def stop_indicators(self, k, touching, q, v):
        """δ [m or rad], and K δ + C δ̇ over the spring's stiffness during contact; else 1, which never triggers an event."""
        delta, push, _ = self._beyond(k, q, v)
        return [delta, where(touching > 0.5, push / self.law.stop[2], 1.0)]

    def potential(self, k, q):
        """Energy of spring and stops [J]."""
        stretch = q - k[self.rest]
        energy = 0.5 * k[self.stiffness] * stretch * stretch
        if self.stop_upper is not None:
            above = maximum(q - k[self.stop_upper], 0.0)
            below = maximum(k[self.stop_lower] - q, 0.0)
            energy = energy + 0.5 * k[self.stop_stiffness] * (above * above + below * below)
        return energy

    def prescribed_rate(self, k, u, q, v):
        """q̈ of a prescribed axis, from its input."""
        if self.law.drive == "acceleration":
            return u[self.acceleration]
        w, z = 2.0 * np.pi * k[self.servo_frequency], k[self.servo_damping]
        if self.law.drive == "position":
            return w * w * (u[self.command] - q) - 2.0 * z * w * v
        return w * (u[self.rate_command] - v)
