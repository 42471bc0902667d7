"""Faces of a body's shapes, for light and air: outward normal, area and centre in the body's frame.

Curved shapes become flat faces whose areas sum to theirs: a convex body's projected area, averaged over all directions, is then exact (Cauchy).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..picture.geometry import Shape

AROUND = 16  # faces around a cylinder
OVER = 40  # over a sphere

Face = tuple[tuple[float, float, float], float, tuple[float, float, float]]


def faces_of(shape: Shape) -> list[Face]:
    """ValueError says which shapes have faces."""
    if shape.kind not in KINDS:
        raise ValueError(f"shapes of the kinds {', '.join(KINDS)}")
    return [
        (_plain(shape.dcm @ normal), float(area), _plain(shape.place + shape.dcm @ center))
        for normal, area, center in KINDS[shape.kind](*shape.size)
    ]


def _plain(vector) -> tuple[float, float, float]:
    x, y, z = map(float, vector)
    return x, y, z


def _box(*size):
    for axis, normal in enumerate(np.eye(3)):
        area = np.prod(size) / size[axis]
        for side in (1.0, -1.0):
            yield side * normal, area, 0.5 * side * size[axis] * normal


def _cylinder(radius, length):
    for angle in 2.0 * np.pi * (np.arange(AROUND) + 0.5) / AROUND:
        normal = np.array([np.cos(angle), np.sin(angle), 0.0])
        yield normal, 2.0 * np.pi * radius * length / AROUND, radius * normal
    for side in (1.0, -1.0):
        normal = np.array([0.0, 0.0, side])
        yield normal, np.pi * radius * radius, 0.5 * length * normal


def _sphere(radius):
    """Fibonacci's spiral: equal areas."""
    i = np.arange(OVER) + 0.5
    z, angle = 1.0 - 2.0 * i / OVER, np.pi * (1.0 + np.sqrt(5.0)) * i
    across = np.sqrt(1.0 - z * z)
    for normal in np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1):
        yield normal, 4.0 * np.pi * radius * radius / OVER, radius * normal


KINDS: dict[str, Callable] = {"box": _box, "plate": _box, "cylinder": _cylinder, "sphere": _sphere}
