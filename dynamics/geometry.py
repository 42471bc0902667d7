"""What bodies look like: shapes that a description gives, or that follow from its dimensions. No equation reads them.

A shape stands in its body's frame: its own axes are turned into the body's by `dcm` (3, 3), its centre is at `place` (3,) [m].

    kind        size [m]
    box         sides along x, y, z
    cylinder    radius, length along z
    sphere      radius
    dish        radius, depth: a paraboloid that opens along z, its apex at the place
    mesh        scale: metres of one unit of the file
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Shape:
    """One part of what a body looks like.

    rides: the place (3,) on a flexible body that carries the shape whole; None: the shape bends with the body.
    file: name and content of a mesh. color: "#rrggbb", or nothing for the one of its sort.
    """

    body: str
    kind: str
    size: tuple[float, ...]
    place: np.ndarray = field(default_factory=lambda: np.zeros(3))
    dcm: np.ndarray = field(default_factory=lambda: np.eye(3))
    color: str = ""
    rides: np.ndarray | None = None
    file: tuple[str, bytes] | None = None
