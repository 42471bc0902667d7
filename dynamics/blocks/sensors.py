"""Sensors, sampled: gyro, star tracker, Sun sensor, magnetometer. Errors are drawn from the seed by noise.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..algebra.rotation import quaternion_product, vector_quaternion
from ..algebra.scalar import absolute, both, maximum, minimum, where
from ..system.pieces import Declared, discrete, input_, output, parameter
from ..system.signals import SMALLEST, Parameter, Terminal
from .noise import LARGEST_SEED, normals, seed_of
from .partner import Partner, described

ZEROS = (0.0, 0.0, 0.0)
NO_TURN = (1.0, 0.0, 0.0, 0.0)
BODY = Terminal("frame", "body", "plug")
MEASURED = Terminal("sensor", "measured")


@dataclass(frozen=True, kw_only=True)
class Sensor(Partner):
    """The base of sensors: they are sampled, and they have a seed."""

    required: ClassVar = ("sample_time",)
    sample_time: Declared[Parameter] = parameter("time between samples", "s", 0.1, min=SMALLEST)
    seed: Declared[Parameter] = parameter(
        "seed of the noise, 1 to 2147483646; default: derived from the name",
        start=lambda self: seed_of(self.name),
        kind="integer",
        min=1,
        max=LARGEST_SEED,
    )

    def drawn(self, now, count: int):
        """`count` normal numbers of this sample."""
        return normals(now.seed, now.tick, count)


@dataclass(frozen=True, kw_only=True)
class Gyro(Sensor):
    """A rate gyro: ω_k = ω + b_k + σ_v/√T n, b_{k+1} = b_k + σ_u √T n' [farrenkopf1978]: noise and a bias with a random walk, in body axes."""

    bias: Declared[Parameter] = parameter("bias at the start", "rad/s", ZEROS)
    noise: Declared[Parameter] = parameter("angle random walk σ_v, in rad/√s", start=0.0, min=0.0)
    drift: Declared[Parameter] = parameter("rate random walk σ_u, in rad/s/√s", start=0.0, min=0.0)

    angular_velocity = input_("true angular velocity, in body axes", "rad/s", ZEROS, terminal=BODY)
    walked = discrete("random walk of the bias", "rad/s", ZEROS, output=False)
    held = discrete("last sample", "rad/s", ZEROS, output=False, calculated=True)
    rate = output("measured angular velocity, in body axes", "rad/s", ZEROS, sampled=True, terminal=MEASURED)

    def sample(self, now) -> dict[str, Any]:
        numbers = self.drawn(now, 6)
        root = np.sqrt(now.sample_time)
        return {
            "held": now.angular_velocity + now.bias + now.walked + now.noise / root * numbers[:3],
            "walked": now.walked + now.drift * root * numbers[3:],
        }

    def results(self, now) -> dict[str, Any]:
        return {"rate": now.held}


@dataclass(frozen=True, kw_only=True)
class StarTracker(Sensor):
    """A star tracker: q_k = q(t_k − delay) ∘ δq(σ n), a small rotation about body axes; the delay is a whole number of samples."""

    noise: Declared[Parameter] = parameter(
        "standard deviation of the error about each body axis", "rad", ZEROS, min=0.0
    )
    delay: int = described("count or 0", "samples between an image and its attitude; 0: no delay", 0)

    quaternion = input_("true attitude of the body in N, scalar first", "1", NO_TURN, terminal=BODY)
    line = discrete("measured attitudes, newest first", "1", lambda self: np.tile(NO_TURN, (self.delay + 1, 1)), output=False, calculated=True)  # fmt: skip
    pictures = discrete("attitudes measured so far", kind="integer", output=False, calculated=True)
    attitude = output("measured attitude of the body in N, scalar first", "1", NO_TURN, sampled=True, terminal=MEASURED)
    valid = output("whether the attitude is valid: false before the first delay is over, and for a quaternion of zeros", kind="boolean", terminal=MEASURED)  # fmt: skip
    true_valid = output(
        "whether the true quaternion is an attitude: zeros are not",
        kind="boolean",
        notice="the true quaternion is not an attitude (zeros, with which some masters start); such samples are not valid",
    )

    def sample(self, now) -> dict[str, Any]:
        numbers = self.drawn(now, 3)
        size = now.quaternion @ now.quaternion
        true = now.quaternion / np.sqrt(where(size > 0.25, size, 1.0))
        seen = quaternion_product(true, vector_quaternion(now.noise * numbers))
        seen = where(size > 0.25, seen, np.zeros(4))
        return {
            "line": np.concatenate([[seen], now[self.line][:-1]]),
            "pictures": now.pictures + 1.0,
        }

    def results(self, now) -> dict[str, Any]:
        last = now[self.line][-1]
        valid = both(now.pictures > self.delay + 0.5, last @ last > 0.25)
        return {
            "attitude": where(valid, last, np.array(NO_TURN)),
            "valid": where(valid, 1.0, 0.0),
            "true_valid": where(now.quaternion @ now.quaternion > 0.25, 1.0, 0.0),
        }


@dataclass(frozen=True, kw_only=True)
class SunSensor(Sensor):
    """A two-axis Sun sensor: tan α = s_x/s_z, tan β = s_y/s_z of the direction s to the Sun in its axes, z the boresight; noise on both angles."""

    boresight: Declared[Parameter] = parameter(
        "boresight axis, in body axes", "1", (0.0, 0.0, 1.0), name="boresight_axis"
    )
    across: Declared[Parameter] = parameter(
        "the sensor's x axis, perpendicular to the boresight", "1", (1.0, 0.0, 0.0), name="across_axis"
    )
    field_of_view: Declared[Parameter] = parameter("half angle of the field of view", "rad", 1.0, min=SMALLEST)
    noise: Declared[Parameter] = parameter("standard deviation of each angle", "rad", 0.0, min=0.0)

    sun_direction = input_("true direction to the Sun, in body axes", "1", (0.0, 0.0, 1.0), terminal=BODY)
    sunlit = input_("visible share of the Sun's disc", "1", 1.0, terminal=BODY)
    held = discrete("last angles", "rad", (0.0, 0.0), output=False, calculated=True)
    saw = discrete("whether the Sun was visible", kind="boolean", output=False, calculated=True)
    angles = output("measured angles α, β", "rad", (0.0, 0.0), sampled=True, terminal=MEASURED)
    seen = output("whether the Sun is in the field of view and not hidden", kind="boolean", terminal=MEASURED)  # fmt: skip

    def sample(self, now) -> dict[str, Any]:
        numbers = self.drawn(now, 2)
        z, x = now.boresight_axis, now.across_axis
        s = np.array([axis @ now.sun_direction for axis in (x, np.cross(z, x), z)])
        size = np.sqrt(now.sun_direction @ now.sun_direction)
        seen = both(s[2] > np.cos(now.field_of_view) * size, both(now.sunlit > 0.5, size > 0.5))
        angles = np.array([np.arctan2(s[0], s[2]), np.arctan2(s[1], s[2])]) + now.noise * numbers
        return {"held": where(seen, angles, np.zeros(2)), "saw": where(seen, 1.0, 0.0)}

    def results(self, now) -> dict[str, Any]:
        return {"angles": now.held, "seen": now.saw}


@dataclass(frozen=True, kw_only=True)
class Magnetometer(Sensor):
    """A magnetometer of three axes: B_k = B + bias + σ n, each within its range, in body axes; connect ROOT.magnetic_field of a plant."""

    bias: Declared[Parameter] = parameter("constant error, in body axes", "T", ZEROS)
    noise: Declared[Parameter] = parameter("standard deviation along each axis", "T", 0.0, min=0.0)
    range: Declared[Parameter] = parameter("largest reading of an axis", "T", 1e-4, min=SMALLEST)

    magnetic_field = input_("true magnetic field, in body axes", "T", ZEROS, terminal=BODY)
    held = discrete("last sample", "T", ZEROS, output=False, calculated=True)
    field = output("measured magnetic field, in body axes", "T", ZEROS, sampled=True, terminal=MEASURED)
    saturated = output("whether an axis is at the end of its range", kind="boolean", terminal=MEASURED)

    def sample(self, now) -> dict[str, Any]:
        read = now.magnetic_field + now.bias + now.noise * self.drawn(now, 3)
        return {"held": maximum(minimum(read, now.range), -now.range)}

    def results(self, now) -> dict[str, Any]:
        largest = maximum(maximum(absolute(now.held[0]), absolute(now.held[1])), absolute(now.held[2]))
        return {"field": now.held, "saturated": where(largest >= now.range, 1.0, 0.0)}


@dataclass(frozen=True, kw_only=True)
class TetherSensor(Partner):
    """Line between two ends, seen in the orbital frame (x outward, y along track): angle from the vertical in the plane of the orbit, its rate, length and rate.

    r = b − a, θ = atan2(r_y, r_x), θ̇ = (r_x ṙ_y − r_y ṙ_x)/(r_x² + r_y²). Continuous, without errors; b is the upper end.
    """

    position_a = input_("of the lower end, in the orbital frame", "m", ZEROS)
    velocity_a = input_("of the lower end", "m/s", ZEROS)
    position_b = input_("of the upper end", "m", (1.0, 0.0, 0.0))
    velocity_b = input_("of the upper end", "m/s", ZEROS)
    angle = output("θ", "rad")
    angle_rate = output("θ̇", "rad/s")
    distance = output("between the ends", "m")
    distance_rate = output("of it", "m/s")

    def results(self, now) -> dict[str, Any]:
        r, v = now.position_b - now.position_a, now.velocity_b - now.velocity_a
        apart = np.sqrt(r @ r)
        plane = r[0] ** 2 + r[1] ** 2
        safe = where(plane > 0.0, plane, 1.0)
        return {
            "angle": np.arctan2(r[1], r[0]),
            "angle_rate": (r[0] * v[1] - r[1] * v[0]) / safe,
            "distance": apart,
            "distance_rate": r @ v / where(apart > 0.0, apart, 1.0),
        }
