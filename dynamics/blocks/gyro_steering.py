"""From a wanted torque to the gimbal rates of control-moment gyros, sampled: a singularity-robust inverse, and null motion.

n gyros with the momentum h along s_i = cos γ_i s_i0 + sin γ_i t_i0, t_i0 = g_i × s_i0. The body feels −h A γ̇ − ω×H, H = h Σ s_i, with the columns

    A = (t_1 … t_n) (3, n),   t_i = cos γ_i t_i0 − sin γ_i s_i0

Where the t_i lie in a plane, A Aᵀ is singular and no rates give a torque across it. Source: the inverse with its off-diagonal signals that move the
gyros out of such places, [wie2001]; null motion by the adjugate of A Aᵀ is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import absolute, maximum, spd_solve
from ..system.pieces import Declared, discrete, input_, output, parameter
from ..system.signals import SMALLEST, Parameter
from .partner import Partner

ZEROS = (0.0, 0.0, 0.0)


def _one_per_gyro(self) -> np.ndarray:
    return np.zeros(len(self.gimbal_axes.start))


def adjugate(B):
    """adj(B) (3, 3) of a symmetric B: B adj(B) = det(B) E, also where B is singular."""
    rows = [cross(B[1], B[2]), cross(B[2], B[0]), cross(B[0], B[1])]
    return np.array(rows).T


def robust_rates(A, wanted, damping, shake):
    """A^# wanted, A^# = Aᵀ (A Aᵀ + λ E)⁻¹; λ `damping`, E has ones and off the diagonal ε = `shake` (3,): e_23, e_13, e_12."""
    a, b, c = shake
    E = np.array([[1.0, c, b], [c, 1.0, a], [b, a, 1.0]])
    return A.T @ spd_solve(A @ A.T + damping * E, wanted)


def null_rates(A, wish):
    """N wish with N = det(A Aᵀ) 1 − Aᵀ adj(A Aᵀ) A: rates that give no torque, exactly, also near singularities, where they fade."""
    B = A @ A.T
    inverse = adjugate(B)
    return (B[0] @ inverse[:, 0]) * wish - A.T @ (inverse @ (A @ wish))


@dataclass(frozen=True, kw_only=True)
class GyroSteering(Partner):
    """Gimbal rates of n control-moment gyros: γ̇ = A^# (−T − ω×H)/h + k_n N (γ_p − γ), all cut by one factor to the largest rate.

    A^# = Aᵀ (A Aᵀ + λ E)⁻¹ with λ = λ_0 exp(−μ det(A Aᵀ)) is the pseudo-inverse far from singularities; near them it gives up some torque for
    finite rates, and E's off-diagonal ε sin(ω_ε t + φ) leads the gyros away [wie2001]. N wish is null motion: it turns no body, and leads the
    angles γ towards the preferred ones γ_p.
    """

    required: ClassVar = ("sample_time", "gimbal_axes", "spin_axes", "momentum")
    # fmt: off
    sample_time: Declared[Parameter] = parameter("time between samples", "s", 0.1, min=SMALLEST)
    gimbal_axes: Declared[Parameter] = parameter("gimbal axes of the gyros, in body axes", "1", np.eye(3), name="gimbal_axis")
    spin_axes: Declared[Parameter] = parameter("spin axes at a gimbal angle of zero, in body axes", "1", np.roll(np.eye(3), 1, axis=1), name="spin_axis")
    momentum: Declared[Parameter] = parameter("h of each rotor: inertia times speed", "N.m.s", 1.0, min=SMALLEST)
    robustness: Declared[Parameter] = parameter("λ_0: 0 is the pseudo-inverse", "1", 0.01, min=0.0, tunable=True)
    robust_range: Declared[Parameter] = parameter("μ: how fast λ fades as det(A Aᵀ) grows", "1", 10.0, min=0.0, tunable=True)
    shake: Declared[Parameter] = parameter("ε of the off-diagonal signals, below 0.5", "1", 0.1, min=0.0, tunable=True)
    shake_frequency: Declared[Parameter] = parameter("of these signals", "Hz", 0.08, min=0.0, tunable=True)
    preferred_angle: Declared[Parameter] = parameter("angle that gimbal {{i}} is led to", "rad", _one_per_gyro)
    null_gain: Declared[Parameter] = parameter("k_n: how fast angles are led there", "1/s", 0.0, min=0.0, tunable=True)
    rate_limit: Declared[Parameter] = parameter("largest gimbal rate", "rad/s", 1e9, min=SMALLEST, tunable=True)

    torque = input_("wanted torque on the body, in body axes", "N.m", ZEROS)
    angular_velocity = input_("of the body, in body axes", "rad/s", ZEROS)
    gimbal_angle = input_("angle of gimbal {{i}}", "rad", _one_per_gyro)
    held = discrete("gimbal rates of the last sample", "rad/s", _one_per_gyro, output=False, calculated=True)
    gimbal_rate = output("commanded rate of gimbal {{i}}", "rad/s", _one_per_gyro, sampled=True)
    singularity = output("det(A Aᵀ): 0 where no rates give a torque across some direction", "1")
    gyro_momentum = output("H = h Σ s_i, in body axes", "N.m.s", ZEROS)
    # fmt: on

    def objections(self) -> list[tuple[str, Any, str]]:
        gimbal, spin = np.array(self.gimbal_axes.start, float), np.array(self.spin_axes.start, float)
        if gimbal.shape != spin.shape:
            return [("spin_axes", f"{len(spin)} axes", f"one per gimbal axis, {len(gimbal)}")]
        found = []
        for key, axes in (("gimbal_axes", gimbal), ("spin_axes", spin)):
            long = [axis for axis in axes if abs(np.linalg.norm(axis) - 1.0) > 1e-6]
            found += [(key, axis.tolist(), "unit vectors") for axis in long[:1]]
        skew = [(g, s) for g, s in zip(gimbal, spin, strict=True) if abs(g @ s) > 1e-6]
        found += [("spin_axes", s.tolist(), f"a right angle to its gimbal axis {g.tolist()}") for g, s in skew[:1]]
        if self.preferred_angle.size != len(gimbal):
            found.append(("preferred_angle", f"{self.preferred_angle.size} angles", f"one per gyro, {len(gimbal)}"))
        if not self.shake.start < 0.5:
            found.append(("shake", self.shake.start, "less than 0.5, so that A Aᵀ + λ E is positive definite"))
        return found

    def further_laws(self) -> list[tuple[str, Any]]:
        return [("shake must be less than 0.5", lambda p: 0.5 - p[self.shake])]

    def _gyros(self, now):
        """A (3, n), and H/h (3,)."""
        s0, c, s = now[self.spin_axes], np.cos(now.gimbal_angle), np.sin(now.gimbal_angle)
        t0 = [cross(g, each) for g, each in zip(now[self.gimbal_axes], s0, strict=True)]
        A = np.array([c[i] * t0[i] - s[i] * s0[i] for i in range(len(t0))]).T
        return A, sum(c[i] * s0[i] + s[i] * t0[i] for i in range(len(t0)))

    def sample(self, now) -> dict[str, Any]:
        A, H = self._gyros(now)
        phase = 2.0 * np.pi * now.shake_frequency * now.t + np.pi * np.array([0.0, 0.5, 1.0])
        damping = now.robustness * np.exp(-now.robust_range * _measure(A))
        wanted = -now.torque / now.momentum - cross(now.angular_velocity, H)
        rates = robust_rates(A, wanted, damping, now.shake * np.sin(phase))
        rates = rates + now.null_gain * null_rates(A, now.preferred_angle - now.gimbal_angle)
        largest = now.rate_limit
        for rate in rates:
            largest = maximum(largest, absolute(rate))
        return {"held": rates * (now.rate_limit / largest)}

    def results(self, now) -> dict[str, Any]:
        A, H = self._gyros(now)
        return {"gimbal_rate": now.held, "singularity": _measure(A), "gyro_momentum": now.momentum * H}


def _measure(A):
    """det(A Aᵀ)."""
    B = A @ A.T
    return B[0] @ cross(B[1], B[2])
