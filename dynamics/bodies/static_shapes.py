"""Static shapes in addition to the modes: with them the deflection under given loads is exact, even if few modes are kept.

The components along the modes are removed from static shapes; the rest is orthogonalised, so that it has the form of modes of high frequency.
"""

from __future__ import annotations

import numpy as np
import scipy  # its parts come when they are used: most descriptions need none

DEPENDENT = 1e-10  # relative to the largest: stiffness of a shape that depends on the others


def orthogonal(stiffness, mass):
    """ω² (m,), slowest first, and mixtures (n, m) of n shapes, orthogonal in both Gram matrices, of unit mass; dependent shapes are left out."""
    values, vectors = scipy.linalg.eigh(stiffness)
    whole = values > DEPENDENT * values.max(initial=0.0)
    basis = vectors[:, whole] / np.sqrt(values[whole])
    inverse, mixture = scipy.linalg.eigh(basis.T @ mass @ basis)
    moving = np.flatnonzero(inverse > 1e-14 * inverse.max(initial=0.0))[::-1]
    return 1.0 / inverse[moving], basis @ mixture[:, moving] / np.sqrt(inverse[moving])


def beside_modes(stiffness, mass, modes: int):
    """The same for the shapes after the first `modes`, which are modes: ω² (m,) and mixtures (n, m) of all n shapes.

    S' = S − Φ (ΦᵀKΦ)⁻¹ ΦᵀKS is orthogonal to the modes Φ in K, and so in M.
    """
    taken = stiffness[:modes, modes:] / np.diag(stiffness)[:modes, None]
    rest = np.vstack([-taken, np.eye(len(mass) - modes)])
    whole = np.diag(stiffness)[modes:]
    left = rest.T @ stiffness @ rest
    used = np.diag(left) > DEPENDENT * whole
    rest = rest[:, used] / np.sqrt(np.diag(left)[used])
    square, mixture = orthogonal(rest.T @ stiffness @ rest, rest.T @ mass @ rest)
    return square, rest @ mixture
