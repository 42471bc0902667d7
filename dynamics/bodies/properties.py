"""Geometry and stiffness of a beam, and their variation along it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

BESIDE = 1e-9  # of its length: largest distance from the axis of a place on it
Along = tuple[tuple[float, ...], tuple]  # x/L from 0 to 1, and values there


@dataclass(frozen=True)
class Beam:
    """Geometry and stiffness, all SI. The beam lies along +x; bending in the planes xy and xz."""

    length: float
    line_density: float  # [kg/m]
    bending_y: float = 0.0  # EI of bending in the x–y plane, displacement along y [N m²]
    bending_z: float = 0.0  # EI of bending in the x–z plane, displacement along z [N m²]
    torsion: float = 0.0  # GJ [N m²]
    axial: float = 0.0  # EA [N]
    section_inertia: tuple[float, float] = (0.0, 0.0)  # of the section about its y and z, per length [kg m]
    tip_mass: float = 0.0
    tip_inertia: tuple[float, float, float] = (0.0, 0.0, 0.0)  # about x, y, z

    @property
    def polar_inertia(self) -> float:
        """Of the section about the beam's axis, per length [kg m]: I_x = I_y + I_z of a lamina."""
        return sum(self.section_inertia)


@dataclass(frozen=True)
class Profile:
    """Variation along a beam: factors of its mass per length and of its stiffnesses by kind, linear between stations; curvature (3,) of the
    unloaded beam about its x, y, z [rad/m]; mass_center and tension_center: (y, z) [m] of the section's mass centre, and of the point at which an axial force
    does not bend."""

    factors: dict[str, Along] = field(default_factory=dict)
    curvature: Along = ((0.0, 1.0), ((0.0, 0.0, 0.0),) * 2)
    mass_center: tuple[float, float] = (0.0, 0.0)
    tension_center: tuple[float, float] = (0.0, 0.0)

    def factor(self, key: str, s):
        """(…,) at s = x/L."""
        return np.interp(s, *self.factors[key]) if key in self.factors else np.ones_like(s)

    def turning(self, s):
        """(…, 3)."""
        x, values = self.curvature
        return np.stack([np.interp(s, x, column) for column in np.array(values, float).T], axis=-1)
