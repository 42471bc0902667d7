"""Gravity of a planet by spherical harmonics, in addition to the point mass and J₂, which have closed forms (attraction.py).

It acts by its expansion (expansion.py). The field turns with the planet: along a motion ġ = −H w + ω × g with w = V − ω × R, ω that of the planet.
Proved by tests/environment/test_harmonics.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..system.keys import Key, Resolver
from .expansion import FieldExpansion, Weak
from .frames import Sky
from .gravity import Falling
from .gravity_file import SHIPPED, GravityModel, read_gfc
from .harmonics import FIRST, SECOND, Coefficients, HarmonicField
from .planet import MU
from .surrounding import Surrounding
from .turning import Turning, of_another_planet

MOST = 120  # degree to which the recursion is tested


@dataclass(frozen=True)
class Geopotential(Weak):
    """Coefficients from degree 2 on, without C_20, which J₂ has; `text` names them."""

    coefficients: Coefficients
    text: str = ""

    @cached_property
    def harmonics(self) -> HarmonicField:
        return HarmonicField((self.coefficients,), (*FIRST, *SECOND))

    def seen(self, R, sky: Sky, k) -> FieldExpansion:
        a = self.coefficients.radius
        size = k[MU] / a
        found = self.harmonics.at(R if sky.dcm_FN is None else sky.dcm_FN @ R)
        xx, xy, xz, yy, yz = found[3:] * (-size / (a * a))
        g, H = found[:3] * (size / a), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, -xx - yy]])
        if sky.dcm_FN is not None:
            g, H = sky.dcm_FN.T @ g, sky.dcm_FN.T @ H @ sky.dcm_FN
        return FieldExpansion(R, g, H)

    def fall(self, R, V, sky: Sky, k) -> Falling:
        here = self.seen(R, sky, k)
        rate = -here.H @ (V - cross(sky.spin_N, R)) + cross(sky.spin_N, here.g)
        return Falling(here.g, rate)


@lru_cache(maxsize=8)
def _read(path: Any) -> GravityModel:
    return read_gfc(path)


def gravity_model(table: Any, names: Resolver) -> GravityModel | None:
    """The model that a table [environment.harmonics] names; None after a problem was noted."""
    try:
        return _read(names.file("file") if table.file is not None else SHIPPED[table.model])
    except ValueError as error:
        names.refused("file", f"{table.file} {error}")
        return None


def oblateness_of(model: GravityModel, radius: float) -> float:
    """J₂ of a model, of a planet whose radius a description gives: −√5 C_20 (a/radius)²."""
    a = model.coefficients.radius
    return -np.sqrt(5.0) * float(model.coefficients.C[2, 0]) * (a / radius) ** 2


def make_geopotential(table: Any, names: Resolver) -> Geopotential | None:
    model = gravity_model(table, names)
    if table.file is None and (planet := of_another_planet(names)):
        names.expected("model", f"a file with the field of {planet}")
    order = table.degree if table.order is None else table.order
    if order > table.degree:
        names.expected("order", f"at most the degree, {table.degree}", order)
    if model is None:
        return None
    called = table.model if table.file is None else table.file
    if table.degree > model.coefficients.degree:
        names.expected("degree", f"at most {model.coefficients.degree}, the degree of {called}")
        return None
    if order > 0 and names.environment.medium(Turning) is None:
        names.expected("order", "0 without a table environment.time, which says how the planet is turned", order)
    kept = model.coefficients.cut(table.degree, order)
    C = kept.C.copy()
    C[:2, :2], C[2, 0] = 0.0, 0.0
    if not C.any() and not kept.S.any():
        return None
    called = f"{called} to degree {table.degree} and order {order}"
    return Geopotential(Coefficients(kept.radius, C, kept.S), called)


HARMONICS = Surrounding("Gravity by spherical harmonics, of a model or a file; its μ and J₂ replace mu and j2.", {
    "model": Key(tuple(SHIPPED), "shipped: EGM2008 to degree and order 36, tide-free", "EGM2008"),
    "file": Key("file", "another field in the ICGEM format (.gfc), also of another planet, in place of the model", None),
    "degree": Key("count", "of the harmonics", least=2, most=MOST),
    "order": Key("count or 0", "of the harmonics; default: the degree; 0: only zonal ones", None),
}, make_geopotential, "gravity by spherical harmonics")  # fmt: skip
