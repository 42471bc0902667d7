"""Controllers of mechanisms and of the orbit, sampled: Sun-tracking drive, joints of a manipulator, tether reel, burns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..algebra.scalar import both, either, maximum, minimum, where
from ..system.pieces import Declared, discrete, input_, output, parameter
from ..system.signals import SMALLEST, Parameter
from .partner import Partner
from .slew import quintic

TURN = 2.0 * np.pi


@dataclass(frozen=True, kw_only=True)
class SunDrive(Partner):
    """Angle command of a solar-array drive: θ = atan2(s·(a × n), s·n) turns the normal n about the axis a towards the Sun s, in the shorter direction, at a limited rate."""

    required: ClassVar = ("sample_time",)
    sample_time: Declared[Parameter] = parameter("time between samples", "s", 1.0, min=SMALLEST)
    axis: Declared[Parameter] = parameter("axis of the drive, in body axes", "1", (0.0, 1.0, 0.0))
    normal: Declared[Parameter] = parameter(
        "normal of the cells at angle 0, in body axes, perpendicular to the axis",
        "1",
        (0.0, 0.0, 1.0),
        name="normal_axis",
    )
    rate: Declared[Parameter] = parameter("largest rate of the command", "rad/s", 0.01, min=SMALLEST)

    sun_direction = input_("direction to the Sun, in body axes", "1", (0.0, 0.0, 1.0))
    sunlit = input_("visible share of the Sun's disc; the drive waits in the shadow", "1", 1.0)
    held = discrete("command of the last sample", "rad", output=False)
    angle_command = output("angle command of the drive", "rad", sampled=True)
    off = output("angle between command and Sun, about the axis", "rad")  # fmt: skip

    def _off(self, now):
        """From the command to the Sun, −π to π."""
        s, a, n = now.sun_direction, now.axis, now.normal_axis
        wanted = np.arctan2(s @ np.cross(a, n), s @ n)
        turns = np.floor((wanted - now.held) / TURN + 0.5)
        return wanted - now.held - TURN * turns

    def sample(self, now) -> dict[str, Any]:
        most = now.rate * now.sample_time
        step = maximum(minimum(self._off(now), most), -most)
        seen = both(now.sunlit > 0.5, now.sun_direction @ now.sun_direction > 0.25)
        return {"held": now.held + where(seen, step, 0.0)}

    def results(self, now) -> dict[str, Any]:
        return {"angle_command": now.held, "off": self._off(now)}


@dataclass(frozen=True, kw_only=True)
class JointController(Partner):
    """Computed torque of n joints: τ = τ_ff + M (q̈_r + D (q̇_r − q̇) + K (q_r − q)), each limited.

    q_r is a quintic path from `start_angle` to `end_angle`, or, with `follows = true`, the inputs. M is the constant inertia of each joint
    plus the input matrix `inverse.inertia` of an inverse problem's FMU, whose torques are τ_ff (both 0 if unconnected).
    With D = 2ζω, K = ω² and the M of the configuration, each joint has that frequency and damping, independently of the others.
    """

    required: ClassVar = ("sample_time", "start_angle", "end_angle", "inertia")
    sample_time: Declared[Parameter] = parameter("time between samples", "s", 0.01, min=SMALLEST)
    start_angle: Declared[Parameter] = parameter("start of the path of joint {{i}}", "rad", ())
    end_angle: Declared[Parameter] = parameter("end of the path", "rad", lambda self: self.start_angle.start)
    start: Declared[Parameter] = parameter("start time of the path", "s", 0.0)
    duration: Declared[Parameter] = parameter("duration", "s", 1.0, min=SMALLEST)
    stiffness: Declared[Parameter] = parameter("K, acceleration per angle", "1/s2", 1.0, min=0.0)
    damping: Declared[Parameter] = parameter("D, acceleration per rate", "1/s", 2.0, min=0.0)
    inertia: Declared[Parameter] = parameter(
        "M of joint {{i}}, constant", "kg.m2", lambda self: np.ones(self.start_angle.size)
    )
    torque_limit: Declared[Parameter] = parameter("largest torque of each joint", "N.m", 1e9, min=SMALLEST)
    arrival: Declared[Parameter] = parameter(
        "errors below which the end of the path counts as reached", "rad", 0.01, min=SMALLEST
    )
    follows: Declared[Parameter] = parameter("true: follow the inputs instead of the path", start=False, kind="boolean")

    angle = input_("of joint {{i}}", "rad", lambda self: self.start_angle.start)
    speed = input_("of joint {{i}}", "rad/s", lambda self: np.zeros(self.start_angle.size))
    reference_angle = input_("for joint {{i}}", "rad", lambda self: self.start_angle.start, name="reference.angle")
    reference_speed = input_(
        "for joint {{i}}", "rad/s", lambda self: np.zeros(self.start_angle.size), name="reference.speed"
    )
    feedforward = input_(
        "torque of joint {{i}} from an inverse problem", "N.m", lambda self: np.zeros(self.start_angle.size)
    )
    coupled_inertia = input_(
        "inertia between joints {{i}} and {{j}} in their configuration, from an inverse problem",
        "kg.m2",
        lambda self: np.zeros((self.start_angle.size,) * 2),
        name="configuration.inertia",
    )
    held = discrete(
        "torques of the last sample", "N.m", lambda self: np.zeros(self.start_angle.size), output=False, calculated=True
    )
    there = discrete("whether the end was reached", kind="boolean", output=False, calculated=True)
    arrived = output("whether the path is over and all joints have been at its end", kind="boolean")
    torque = output("of joint {{i}}", "N.m", lambda self: np.zeros(self.start_angle.size), sampled=True)
    error = output("of joint {{i}}, from the reference", "rad", lambda self: np.zeros(self.start_angle.size))  # fmt: skip

    def _path(self, now):
        """q_r, q̇_r and q̈_r (n,)."""
        tau = minimum(maximum((now.t - now.start) / now.duration, 0.0), 1.0)
        s, rate = quintic(tau)
        bend = 60.0 * tau * (1.0 - tau) * (1.0 - 2.0 * tau)
        way = now.end_angle - now.start_angle
        follows = now.follows > 0.5
        return (
            where(follows, now["reference.angle"], now.start_angle + way * s),
            where(follows, now["reference.speed"], way * rate / now.duration),
            where(follows, np.zeros(self.start_angle.size), way * bend / now.duration**2),
        )

    def sample(self, now) -> dict[str, Any]:
        q, v, a = self._path(now)
        answer = a + now.damping * (v - now.speed) + now.stiffness * (q - now.angle)
        wanted = now.feedforward + now.inertia * answer + now[self.coupled_inertia] @ answer
        limit, error = now.torque_limit, q - now.angle
        over = now.t >= now.start + now.duration
        near = over
        for i in range(self.start_angle.size):
            near = both(near, error[i] ** 2 < now.arrival**2)
        return {
            "held": np.array([maximum(minimum(torque, limit), -limit) for torque in wanted]),
            "there": where(either(now.there > 0.5, near), 1.0, 0.0),
        }

    def results(self, now) -> dict[str, Any]:
        return {"torque": now.held, "arrived": now.there, "error": now.angle - self._path(now)[0]}


@dataclass(frozen=True, kw_only=True)
class ReelController(Partner):
    """Reel of a tether: L̇_w = L̇_r + k_L (L_r − L) + k_θ L θ̇, limited, and the reel's acceleration (L̇_w − L̇)/τ.

    L_r grows from `start_length` to `end_length` by a quintic. In θ̈ + 2 (L̇/L)(θ̇ + n) + 3 n² sin θ cos θ = 0 (a dumbbell on a circular
    orbit of rate n) the last term acts as a damping 2 n k_θ θ̇: libration has the damping ratio k_θ/√3.
    """

    required: ClassVar = ("sample_time", "start_length", "end_length", "duration")
    sample_time: Declared[Parameter] = parameter("time between samples", "s", 1.0, min=SMALLEST)
    start_length: Declared[Parameter] = parameter("length at the start", "m", 1.0, min=SMALLEST)
    end_length: Declared[Parameter] = parameter("length at the end", "m", 1.0, min=SMALLEST)
    start: Declared[Parameter] = parameter("start time of the reel", "s", 0.0)
    duration: Declared[Parameter] = parameter("duration", "s", 1.0, min=SMALLEST)
    length_gain: Declared[Parameter] = parameter("k_L", "1/s", 0.0, min=0.0)
    libration_gain: Declared[Parameter] = parameter("k_θ", "1/rad", 0.0, min=0.0)
    rate_limit: Declared[Parameter] = parameter("largest speed of the reel", "m/s", 1e9, min=SMALLEST)
    time_constant: Declared[Parameter] = parameter("τ of the reel's speed", "s", 1.0, min=SMALLEST)

    length = input_("of the tether", "m", lambda self: self.start_length.start)
    length_rate = input_("of the tether", "m/s")
    libration_rate = input_("θ̇, against the local vertical", "rad/s")
    held = discrete("acceleration of the last sample", "m/s2", output=False, calculated=True)
    acceleration = output("of the reel", "m/s2", sampled=True)
    reference_length = output("L_r", "m", name="reference.length")  # fmt: skip

    def _reference(self, now):
        s, rate = quintic(minimum(maximum((now.t - now.start) / now.duration, 0.0), 1.0))
        way = now.end_length - now.start_length
        return now.start_length + way * s, way * rate / now.duration

    def sample(self, now) -> dict[str, Any]:
        length, rate = self._reference(now)
        wanted = rate + now.length_gain * (length - now.length) + now.libration_gain * now.length * now.libration_rate
        wanted = maximum(minimum(wanted, now.rate_limit), -now.rate_limit)
        return {"held": (wanted - now.length_rate) / now.time_constant}

    def results(self, now) -> dict[str, Any]:
        return {"acceleration": now.held, "reference.length": self._reference(now)[0]}


@dataclass(frozen=True, kw_only=True)
class OrbitBurns(Partner):
    """Burns of a thruster, each from its start until its Δv is reached: F = min(F_max, m Δv_left / T) in each sample, so that the last one gives exactly the rest."""

    required: ClassVar = ("sample_time", "burn_start", "delta_v", "thrust", "mass")
    sample_time: Declared[Parameter] = parameter("time between samples", "s", 1.0, min=SMALLEST)
    burn_start: Declared[Parameter] = parameter("start time of burn {{i}}", "s", (), name="burn.start")
    delta_v: Declared[Parameter] = parameter(
        "Δv of burn {{i}}", "m/s", lambda self: np.zeros(self.burn_start.size), name="burn.delta_v", min=0.0
    )
    thrust: Declared[Parameter] = parameter("largest thrust", "N", 1.0, min=SMALLEST)
    mass: Declared[Parameter] = parameter("mass of the craft", "kg", 1.0, min=SMALLEST)

    given = discrete(
        "Δv of burn {{i}} so far",
        "m/s",
        lambda self: np.zeros(self.burn_start.size),
        name="burn.given",
        calculated=True,
    )
    held = discrete("thrust of the last sample", "N", output=False, calculated=True)
    force = output("thrust", "N", sampled=True)
    burning = output("whether there is thrust", kind="boolean")  # fmt: skip

    def sample(self, now) -> dict[str, Any]:
        free, given = 1.0 * now.thrust, []  # thrust not used by earlier burns
        for i in range(self.burn_start.size):
            left = now["burn.delta_v"][i] - now["burn.given"][i]
            begun = now.t > now["burn.start"][i] - 1e-9 * now.sample_time
            force = where(begun, minimum(free, maximum(now.mass * left / now.sample_time, 0.0)), 0.0)
            given.append(now["burn.given"][i] + force * now.sample_time / now.mass)
            free = free - force
        return {"burn.given": np.array(given), "held": now.thrust - free}

    def results(self, now) -> dict[str, Any]:
        return {"force": now.held, "burning": where(now.held > 0.0, 1.0, 0.0)}
