"""Couplings beyond the tree: conditions between two places, enforced by Lagrange multipliers.

    M v̇ + h = forces + Gᵀ λ,   G v̇ = γ                       [stroe] eq. (29)–(34)
"""

from .cable import Cable
from .coincidence import Coincidence

__all__ = ["Cable", "Coincidence"]
