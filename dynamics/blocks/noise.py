"""Seeded noise as equations: a counter-based generator, so that the n-th number of a seed is a function of both and needs no state.

    w_n = squares(n, key(seed)), a whole number of 32 bits [widynski2020];   u = (w + ½)/2³² in (0, 1);   normal number Φ⁻¹(u) [wichura1988]

A sampled block draws with the number of its sample, `now.tick`: saved, restored and reset FMUs repeat their draws. Every operation is + −
× ÷, √, floor or a choice, whose rounding IEEE 754 defines, and whole numbers stay below 2⁵³: every flavour and machine draws the same bits.
Numbers reach ±6.3 standard deviations. Proved by tests/blocks/test_noise.py.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from ..algebra.scalar import minimum, where

WORD, LIMB = 2.0**32, 2.0**16  # numbers of 64 bits are four limbs of 16, the lowest first
LARGEST_SEED = 2147483646
# The key from which keys of seeds are derived: its digits are irregular, as [widynski2020] requires.
_MASTER = (0x2F6D, 0x4CE3, 0xFD15, 0xC58E)
# [wichura1988], AS 241, PPND16: numerators and denominators for |u − ½| ≤ 0.425, and beyond it; its third pair is for u below e⁻²⁵.
_MIDDLE = (
    (3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
     45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727),
    (1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
     21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610),
)  # fmt: skip
_TAIL = (
    (1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
     1.27045825245236838258, 0.241780725177450611770, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
     0.148103976427480074590, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
)  # fmt: skip


def seed_of(name: str) -> int:
    """The seed of a sensor without one: derived from its name, so that no two have the same noise."""
    return 1 + int.from_bytes(sha256(name.encode()).digest()[:8], "big") % LARGEST_SEED


def normals(seed, sample, count: int):
    """`count` normal numbers (count,), of mean 0 and deviation 1: those of one sample of a block; seed and sample are whole numbers."""
    key = key_of(seed)
    return np.array([normal(words(sample * float(count) + i, key)) for i in range(count)])


def words(counter, key):
    """Whole numbers of 32 bits: four rounds x² + y or z mod 2⁶⁴, whose halves change places between rounds [widynski2020]."""
    y = x = _carried(_product(_limbs(counter), key))
    z = _carried([a + b for a, b in zip(y, key, strict=True)])
    for added in (y, z, y, z):
        x = _carried([a + b for a, b in zip(_product(x, x), added, strict=True)])
        x = [*x[2:], *x[:2]]
    return x[0] + LIMB * x[1]


def normal(word):
    """Φ⁻¹((w + ½)/2³²) of a whole number w of 32 bits, to 1e-15."""
    q = (word + 0.5) / WORD - 0.5
    r = np.sqrt(-_log_of_share(minimum(word, (WORD - 1.0) - word) + 0.5)) - 1.6
    middle, tail = q * _ratio(_MIDDLE, 0.180625 - q * q), _ratio(_TAIL, r)
    return where(q * q > 0.180625, where(q > 0.0, tail, -tail), middle)


def key_of(seed):
    """An odd number of 64 bits, in limbs, that differs in half of its bits from any other seed's."""
    low, high = (_limbs(words(2.0 * seed + i, _MASTER))[:2] for i in (0.0, 1.0))
    return [2.0 * np.floor(0.5 * low[0]) + 1.0, low[1], *high]


def _limbs(number):
    """A whole number below 2⁵³ in size in limbs, mod 2⁶⁴."""
    return _carried([number, 0.0, 0.0, 0.0])


def _product(a, b):
    """a b mod 2⁶⁴ before carries: the sums of each place, below 2³⁵."""
    return [sum((a[i] * b[place - i] for i in range(1, place + 1)), a[0] * b[place]) for place in range(4)]


def _carried(places):
    """Limbs of 16 bits of sums of any size below 2⁵³."""
    limbs, carry = [], 0.0
    for place in places:
        total = place + carry
        carry = np.floor(total / LIMB)
        limbs.append(total - LIMB * carry)
    return limbs


def _log_of_share(number):
    """ln(number/2³²), for ½ ≤ number ≤ 2³¹: number/2³¹ = m 2⁻ᵉ with m from ½ to 1, ln m = 2 artanh s − ½ ln 2, s = (m − √½)/(m + √½)."""
    m, e = number / (WORD / 2.0), 0.0
    for step in (16.0, 8.0, 4.0, 2.0, 1.0):
        small = m < 2.0**-step
        m, e = where(small, m * 2.0**step, m), where(small, e + step, e)
    s = (m - np.sqrt(0.5)) / (m + np.sqrt(0.5))
    series = _polynomial([1.0 / (2 * k + 1) for k in range(11)], s * s)
    return 2.0 * s * series - np.log(2.0) * (e + 1.5)


def _ratio(parts, r):
    return _polynomial(parts[0], r) / _polynomial(parts[1], r)


def _polynomial(coefficients, r):
    value = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        value = value * r + coefficient
    return value
