"""The gimbal of a control-moment gyro: the inertia about the gimbal axis without the spin of the rotor.

The transverse inertia of an axisymmetric rotor does not change as it spins, so it counts as part of the gimbal:

    J = I_s s sᵀ + (I_t + J_t) t tᵀ + (I_g + J_t) g gᵀ,     s spin axis, g gimbal axis, t = g × s; I of the gimbal, J_t of the rotor

The rotor's inertia about s is a separate body on the gimbal (rotor.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..system.pieces import Declared, parameter
from ..system.signals import SMALLEST, Parameter
from .body import Node, WithoutModes
from .integrals import Integrals, rigid_integrals

ONES = np.ones(3)


@dataclass(frozen=True)
class Gimbal(WithoutModes):
    """Its frame is at the gyro's place; its axes are those of the place where the gimbal angle is zero. spin_axis, gimbal_axis: unit, at right angles."""

    name: str
    spin_axis: tuple[float, float, float]
    gimbal_axis: tuple[float, float, float]
    # fmt: off
    inertia: Declared[Parameter] = parameter("inertia of {self.name} without its rotor about the spin axis, across both axes, and about the gimbal axis", "kg.m2", ONES, min=SMALLEST)
    transverse_inertia: Declared[Parameter] = parameter("inertia of the rotor in {self.name} across its spin axis", "kg.m2", min=0.0)
    mass: Declared[Parameter] = parameter("mass of {self.name} with its rotor, as far as its host does not have it", "kg", min=0.0)
    mass_center: Declared[Parameter] = parameter("mass centre of {self.name} with its rotor from its frame, in axes of {self.name}", "m", np.zeros(3))
    # fmt: on
    nodes: Mapping[str, Node] = field(default_factory=dict)

    @property
    def transverse_axis(self) -> np.ndarray:
        return np.cross(self.gimbal_axis, self.spin_axis)

    def laws(self, k) -> list[tuple[str, object]]:
        return [
            *((f"{self.name}.inertia[{i}] must be positive", k[self.inertia][i - 1]) for i in (1, 2, 3)),
            (f"{self.name}.transverse_inertia must not be negative", k[self.transverse_inertia] + SMALLEST),
            (f"{self.name}.mass must not be negative", k[self.mass] + SMALLEST),
        ]

    def integrals(self, k, x=None) -> Integrals:
        rotor = k[self.transverse_inertia] * np.array([0.0, 1.0, 1.0])
        moments = k[self.inertia] + rotor
        axes = np.array([self.spin_axis, self.transverse_axis, self.gimbal_axis])
        about = sum(moment * np.outer(axis, axis) for moment, axis in zip(moments, axes, strict=True))
        return rigid_integrals(k[self.mass], k[self.mass_center], about)
