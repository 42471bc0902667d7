"""Seeded noise as equations: the minimal standard generator of [park1988], exact in doubles, so that every flavour draws the same numbers.

    z_{n+1} = 16807 z_n mod (2³¹ − 1),   u = z/(2³¹ − 1) in (0, 1);   a normal number is √(−2 ln u₁) cos 2πu₂ (Box and Muller)

The state is one discrete state of a block; its start is the seed, a whole number from 1 to 2³¹ − 2.
"""

from __future__ import annotations

import numpy as np

FACTOR, MODULUS = 16807.0, 2147483647.0  # their product is below 2⁵³


def advanced(z):
    """The next state; z and 16807 z are whole numbers that doubles hold exactly."""
    product = FACTOR * z
    return product - MODULUS * np.floor(product / MODULUS)


def normals(z, count: int):
    """`count` normal numbers (count,) with mean 0 and deviation 1, and the state after them."""
    found = []
    for _ in range(count):
        first = advanced(z)
        z = advanced(first)
        found.append(np.sqrt(-2.0 * np.log(first / MODULUS)) * np.cos(2.0 * np.pi * z / MODULUS))
    return np.array(found), z
