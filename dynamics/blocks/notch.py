"""A sampled notch filter, of second order, for three axes at once.

    H(s) = (s² + 2 g w ω s + ω²) / (s² + 2 w ω s + ω²),   H(iω) = g

with centre ω, damping ratio w of the poles and gain g at the centre; H = 1 far from it. Sampled by the bilinear transformation
s = c (z − 1)/(z + 1), c = ω / tan(ωT/2), which preserves the centre frequency ([oppenheim1999] section 7.1).
"""

from __future__ import annotations

import numpy as np


def notch_coefficients(frequency, width, depth, sample_time):
    """b (3,), a (2,) of  y_n = b0 u_n + b1 u_{n−1} + b2 u_{n−2} − a1 y_{n−1} − a2 y_{n−2}; frequency [Hz]."""
    omega = 2.0 * np.pi * frequency
    c = omega / np.tan(0.5 * omega * sample_time)
    straight, zeros, poles = c * c + omega**2, 2.0 * depth * width * omega * c, 2.0 * width * omega * c
    middle = 2.0 * (omega**2 - c * c)
    scale = straight + poles
    b = np.array([straight + zeros, middle, straight - zeros]) / scale
    a = np.array([middle, straight - poles]) / scale
    return b, a


def notch(coefficients, value, memory):
    """The filtered value (3,) and the new memory (2, 3): direct form II transposed."""
    b, a = coefficients
    filtered = b[0] * value + memory[0]
    return filtered, np.array([b[1] * value - a[0] * filtered + memory[1], b[2] * value - a[1] * filtered])
