"""Profiles of a rest-to-rest slew, and input shaping: the same profile several times, delayed and scaled, so that modes end at rest.

Shaping: θ(t) = Σ_j A_j θ₀(t − t_j). For one mode with frequency f [Hz] and damping ratio ζ, ω_d = 2π f √(1 − ζ²), K = e^(−πζ/√(1−ζ²)),
the ZVD shaper of [singer1990] has A = (1, 2K, K²)/(1 + K)² at t = (0, 1, 2) π/ω_d: the residual vibration and its first derivative with
respect to the frequency vanish. Shapers of several modes are convolved. The modes are those of the *free* system
(spacefmu linearize), not those of appendages clamped at their roots.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from ..algebra.scalar import maximum, minimum, where

PROFILES = ("quintic", "bang_bang")


def quintic(tau):
    """s and ds/dτ, s = 10τ³ − 15τ⁴ + 6τ⁵: rate and acceleration begin and end at zero."""
    return tau**3 * (10.0 - 15.0 * tau + 6.0 * tau**2), 30.0 * tau**2 * (1.0 - tau) ** 2


def bang_bang(tau):
    """s and ds/dτ of constant acceleration up to the middle, then the opposite: the fastest for a given torque."""
    early = tau < 0.5
    return where(early, 2.0 * tau**2, 1.0 - 2.0 * (1.0 - tau) ** 2), where(early, 4.0 * tau, 4.0 * (1.0 - tau))


def zvd(frequency, damping):
    """Amplitudes (3,) and times (3,) [s] of the impulses for one mode: [singer1990]."""
    root = np.sqrt(1.0 - damping**2)
    K = np.exp(-np.pi * damping / root)
    half = 0.5 / (frequency * root)  # half a damped period
    return np.array([1.0, 2.0 * K, K * K]) / (1.0 + K) ** 2, half * np.array([0.0, 1.0, 2.0])


def impulses(frequencies, dampings):
    """All impulses (amplitude, time [s]) of the convolved shapers; one of 1 at 0 without modes."""
    shapers = [list(zip(*zvd(f, z), strict=True)) for f, z in zip(frequencies, dampings, strict=True)]
    for row in product(*shapers):
        amplitude, time = 1.0, 0.0
        for a, t in row:
            amplitude, time = amplitude * a, time + t
        yield amplitude, time


def shaped(profile, t, duration, angle, frequencies, dampings, active=1.0):
    """Angle [rad] and rate [rad/s] of a slew that begins at t = 0; profile: 1 quintic, 2 bang_bang; active 0: all impulses at once, unshaped."""
    total, rate = 0.0, 0.0
    for amplitude, delay in impulses(frequencies, dampings):
        tau = minimum(maximum((t - active * delay) / duration, 0.0), 1.0)
        courses = [quintic(tau), bang_bang(tau)]
        total = total + amplitude * where(profile < 1.5, courses[0][0], courses[1][0])
        rate = rate + amplitude * where(profile < 1.5, courses[0][1], courses[1][1])
    return angle * total, angle / duration * rate
