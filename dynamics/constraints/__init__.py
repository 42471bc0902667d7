"""Connections beyond the tree: conditions between two places, enforced by Lagrange multipliers, and tethers.

    M v̇ = f + Gᵀ λ,   G v̇ = γ                                  [stroe] eq. (29)–(34)

`rows` has the few primitive conditions, `kinds` the table of couplings made of them, `coupling` the piece that a
spacecraft holds, `condition` general conditions by `formula`s, on speeds or held as positions, of which a `relation` between
joint coordinates is one. Tethers are pieces of the same kind: spacefmu.dynamics.tether.
"""

from .condition import Condition, HeldFormula
from .coupling import Coupling, Switch
from .kinds import KINDS
from .relation import relation

__all__ = ["KINDS", "Condition", "Coupling", "HeldFormula", "Switch", "relation"]
