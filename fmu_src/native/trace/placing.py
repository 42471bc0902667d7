"""The poses of all visible parts of a System as a CasADi function, for pages that simulate and draw it."""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np

from spacefmu.dynamics.algebra.symbol import symbols, to_column
from spacefmu.dynamics.picture.picture import Picture, Placed

# The contents of the result `numbers`, in this order, each row-major; fmu_src/live/pose.js reads it.
PARTS = ("positions", "dcms", "amplitudes", "ends", "dcm_NS", "origin", "sun")


def placing(picture: Picture) -> casadi.Function:
    """place(t, x, u, p) → numbers; x, u, p in the order of the picture's coordinates."""
    table = picture.coordinates
    sizes = {"t": 1, "x": len(table.states), "u": len(table.inputs), "p": len(table.parameters)}
    made: Any = [symbols(name, size, casadi.SX) for name, size in sizes.items()]
    (t, *arrays), columns = zip(*made, strict=True)
    numbers: Any = to_column(np.concatenate(list(parts_of(picture.place(t[0], *arrays)).values())), casadi.SX)
    return casadi.Function("place", list(columns), [numbers], list(sizes), ["numbers"], {"cse": True})


def parts_of(placed: Placed) -> dict[str, np.ndarray]:
    """The numbers at one time by part, flat; an empty array for absent parts, such as the centre of a planet."""
    amplitudes = np.concatenate([np.zeros(0), *placed.amplitudes])
    found = {part: getattr(placed, part) for part in PARTS} | {"amplitudes": amplitudes}
    return {part: np.zeros(0) if values is None else np.asarray(values).ravel() for part, values in found.items()}
