"""A sampled attitude controller: quaternion feedback around a shaped slew, with notch filters and torque limits.

    T = notch(−2 K sign(q_e0) q_ev − D (ω − ω_ref) − K_i ∫2 sign(q_e0) q_ev dt) + J α_ref,     each axis limited

Source: quaternion feedback as in [wie1989]; the sign of q_e0 (the shorter rotation), the integral, the reference and the feedforward are
additions. q_e = q_ref* ∘ q is the attitude error, q the measured quaternion, normalised. The reference (slew.py) turns about one
axis. α_ref is the mean over the coming sample, (ω_ref(t + T) − ω_ref(t))/T: held for a sample, it gives exactly the momentum of the slew.
The integral of an axis is frozen while its torque is at the limit. A quaternion of zeros, with which some masters start, is not an
attitude: then there is no torque, `attitude_valid` is false, and a message is logged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..algebra.rotation import axis_angle_quaternion, quaternion_conjugate, quaternion_dcm, quaternion_product
from ..algebra.scalar import maximum, minimum, where
from ..system.pieces import Declared, discrete, input_, output, parameter
from ..system.signals import SMALLEST, Parameter, Terminal
from .notch import notch, notch_coefficients
from .partner import Partner, described
from .slew import PROFILES, shaped

ZEROS = (0.0, 0.0, 0.0)
BODY = Terminal("frame", "body", "plug")


@dataclass(frozen=True, kw_only=True)
class AttitudeController(Partner):
    """Quaternion PID with a shaped slew, notch filters and torque limits. Three numbers per axis; the slew is about a unit vector in body axes."""

    required: ClassVar = ("sample_time", "stiffness", "damping")

    sample_time: Declared[Parameter] = parameter("time between samples", "s", 0.1, min=SMALLEST)
    stiffness: Declared[Parameter] = parameter("torque per attitude error", "N.m/rad", ZEROS, min=0.0, tunable=True)
    damping: Declared[Parameter] = parameter("torque per rate error", "N.m.s/rad", ZEROS, min=0.0, tunable=True)
    integral: Declared[Parameter] = parameter(
        "torque per integral of the attitude error", "N.m/(rad.s)", ZEROS, min=0.0, tunable=True
    )
    torque_limit: Declared[Parameter] = parameter("largest torque of each axis", "N.m", 1e9, min=SMALLEST, tunable=True)
    slew_axis: Declared[Parameter] = parameter(
        "axis of the slew, a unit vector", "1", (0.0, 0.0, 1.0), name="slew.axis"
    )
    slew_angle: Declared[Parameter] = parameter("angle of the slew", "rad", 0.0, name="slew.angle")
    slew_start: Declared[Parameter] = parameter("start time of the slew", "s", 0.0, name="slew.start")
    slew_duration: Declared[Parameter] = parameter(
        "duration of the slew, without its shaper", "s", 1.0, name="slew.duration", min=SMALLEST
    )
    slew_profile: Declared[Parameter] = parameter(
        "profile of the slew", start=1, name="slew.profile", kind="enumeration", items=PROFILES
    )
    shaper_frequency: Declared[Parameter] = parameter(
        "frequency {{i}} that the slew must not excite, of the free system",
        "Hz",
        (),
        name="shaper.frequency",
        min=SMALLEST,
    )
    shaper_damping: Declared[Parameter] = parameter(
        "damping ratio of mode {{i}}",
        "1",
        lambda self: np.zeros(self.shaper_frequency.size),
        name="shaper.damping",
        min=0.0,
    )
    shaper_active: Declared[Parameter] = parameter(
        "whether the slew is shaped",
        start=True,
        name="shaper.active",
        kind="boolean",
        when=lambda self: self.shaper_frequency.size,
    )
    notch_frequency: Declared[Parameter] = parameter(
        "centre of notch {{i}}", "Hz", (), name="notch.frequency", min=SMALLEST
    )
    notch_width: Declared[Parameter] = parameter(
        "damping ratio of the poles of notch {{i}}",
        "1",
        lambda self: np.full(self.notch_frequency.size, 0.5),
        name="notch.width",
        min=SMALLEST,
    )
    notch_depth: Declared[Parameter] = parameter(
        "gain of notch {{i}} at its centre",
        "1",
        lambda self: np.full(self.notch_frequency.size, 0.05),
        name="notch.depth",
        min=0.0,
    )
    inertia: tuple | None = described("inertia", "for the feedforward torque of the slew; default: none")

    feedforward = parameter(
        "inertia about the slew axis that the feedforward torque assumes, times the axis",
        "kg.m2",
        lambda self: self._feedforward(),
        name="slew.inertia",
    )
    quaternion = input_("measured attitude of the body in N, scalar first", "1", (1.0, 0.0, 0.0, 0.0), terminal=BODY)
    angular_velocity = input_("measured angular velocity, in body axes", "rad/s", ZEROS, terminal=BODY)
    held_torque = discrete("torque of the last sample", "N.m", ZEROS, output=False, calculated=True)
    error_integral = discrete("integral of the attitude error", "rad.s", ZEROS, output=False, calculated=True)
    notch_memory = discrete(
        "memory of the notch filters",
        "N.m",
        lambda self: np.zeros((self.notch_frequency.size, 2, 3)),
        name="notch.memory",
        output=False,
        calculated=True,
    )
    torque = output("commanded torque, in body axes", "N.m", ZEROS, sampled=True, terminal=BODY)
    reference_quaternion = output("reference attitude", "1", (1.0, 0.0, 0.0, 0.0), name="reference.quaternion")
    reference_rate = output("angular velocity of the reference, in its axes", "rad/s", ZEROS, name="reference.rate")
    error = output("attitude error, a small rotation vector in body axes", "rad", ZEROS)
    attitude_valid = output(
        "whether the measured quaternion is an attitude: zeros are not",
        kind="boolean",
        notice="the measured quaternion is not an attitude (zeros, with which some masters start); there is no torque until it is one",
    )

    def _feedforward(self):
        return ZEROS if self.inertia is None else tuple(np.array(self.inertia) @ np.array(self.slew_axis.start))

    def _slew(self, now, t):
        """Angle [rad] and rate [rad/s] of the slew at t."""
        active = now[self.shaper_active] if self.shaper_active else 0.0
        return shaped(
            now["slew.profile"], t - now["slew.start"], now["slew.duration"], now["slew.angle"],
            now[self.shaper_frequency], now[self.shaper_damping], active,
        )  # fmt: skip

    def _error(self, now):
        """Attitude error (3,) [rad], rate error (3,) [rad/s] and whether there is an attitude at all."""
        size = now.quaternion @ now.quaternion
        valid = size > 0.25
        q = where(valid, now.quaternion / np.sqrt(where(valid, size, 1.0)), np.array([1.0, 0.0, 0.0, 0.0]))
        angle, rate = self._slew(now, now.t)
        q_error = quaternion_product(quaternion_conjugate(axis_angle_quaternion(now["slew.axis"], angle)), q)
        rate_B = quaternion_dcm(q_error).T @ (now["slew.axis"] * rate)
        error = where(valid, 2.0 * where(q_error[0] < 0.0, -1.0, 1.0) * q_error[1:], np.zeros(3))
        return error, now.angular_velocity - rate_B, valid

    def sample(self, now):
        error, rate_error, valid = self._error(now)
        feedback = -now.stiffness * error - now.damping * rate_error - now.integral * now.error_integral
        memories = []
        for i in range(self.notch_frequency.size):
            coefficients = notch_coefficients(
                now[self.notch_frequency][i], now[self.notch_width][i], now[self.notch_depth][i], now.sample_time
            )
            feedback, memory = notch(coefficients, feedback, now[self.notch_memory][i])
            memories.append(memory)
        acceleration = (self._slew(now, now.t + now.sample_time)[1] - self._slew(now, now.t)[1]) / now.sample_time
        wanted = feedback + now["slew.inertia"] * acceleration
        limit = now.torque_limit
        torque = np.array([maximum(minimum(component, limit), -limit) for component in wanted])
        free = np.array([where(limit > where(w < 0.0, -w, w), 1.0, 0.0) for w in wanted])
        return {
            "held_torque": where(valid, torque, np.zeros(3)),
            "error_integral": now.error_integral + free * error * now.sample_time,
            "notch.memory": np.array(memories).reshape(self.notch_memory.shape),
        }

    def results(self, now):
        angle, rate = self._slew(now, now.t)
        error, _, valid = self._error(now)
        return {
            "torque": now.held_torque,
            "reference.quaternion": axis_angle_quaternion(now["slew.axis"], angle),
            "reference.rate": now["slew.axis"] * rate,
            "error": error,
            "attitude_valid": where(valid, 1.0, 0.0),
        }
