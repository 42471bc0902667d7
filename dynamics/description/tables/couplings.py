"""Tables of couplings beyond the tree, and of cables."""

from __future__ import annotations

from typing import Literal

from ..fields import Fraction, Place, Positive, Table


class CouplingTable(Table):
    """A condition between two places of bodies (body, body.node, or space)."""

    kind: Literal["spherical"]
    a: Place
    b: Place


class CableTable(Table):
    """A massless inextensible cable between two places."""

    a: Place
    b: Place
    length: Positive
    restitution: Fraction = 0.0
    nominal_tension: Positive = 1.0
