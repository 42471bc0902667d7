"""Forces in a joint, one small class per joint kind; all have the same interface.

passive(k, u, d, q, v)                 forces (nv,) along the speeds, and dissipated power [W]
drive(k, u)                            input forces (nv,); their power is work of the inputs
potential(k, q)                        stored energy [J]
prescribed                             axes whose v̇ an input gives
locks                                  a Lock for each axis that can be locked
stops                                  (number, Axis) of each axis with stops
known(k, u, d, q, v)                   mask (nv,) 1 where v̇ is prescribed or locked, and v̇ there; None: never
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from ..algebra.scalar import where
from ..system.formula import law_constants, value_of
from ..system.pieces import Declared, HoldsSpeeds, Piece, input_, parameter
from ..system.signals import Discrete, Parameter, Quantity
from .axis import PRESCRIBED, Axis, Lock


class JointForces(HoldsSpeeds, Protocol):
    """See the top of this file."""

    terminal: ClassVar[str]

    @property
    def prescribed(self) -> frozenset[int]: ...

    @property
    def locks(self) -> tuple[Lock, ...]: ...

    @property
    def stops(self) -> tuple[tuple[int, Axis], ...]: ...

    def known(self, k: Any, u: Any, d: Any, q: Any, v: Any) -> tuple[Any, Any] | None: ...

    def inputs(self) -> list[Quantity]: ...

    def parameters(self) -> list[Parameter]: ...

    def discretes(self) -> list[Discrete]: ...


@dataclass(frozen=True)
class NoForces(Piece):
    """A free body's joint: no forces."""

    nv: int
    prescribed: ClassVar[frozenset[int]] = frozenset()
    locks: ClassVar[tuple[Lock, ...]] = ()
    stops: ClassVar[tuple[tuple[int, Axis], ...]] = ()

    def passive(self, k, u, d, q, v):
        return np.zeros(self.nv), 0.0

    def drive(self, k, u):
        return np.zeros(self.nv)

    def potential(self, k, q):
        return 0.0

    def known(self, k, u, d, q, v):
        return None


@dataclass(frozen=True)
class AxesForces(Piece):
    """Springs, dampers, friction, stops, drives and locks of an AxesJoint, axis by axis."""

    axes: tuple[Axis, ...]
    name: str = ""
    terminal = "joint"
    constants: tuple[tuple[str, float], ...] = ()  # of the axes' formulas

    @cached_property
    def constant(self) -> dict[str, Parameter]:
        return law_constants(self.name, self.constants)

    def parts(self):
        return self.axes

    def parameters(self):
        return [*super().parameters(), *self.constant.values()]

    def _declared(self, group):
        """stiffness[1], stiffness[2], damping[1], …: FMI 2.0 requires the elements of an array in sequence (section 2.2.9)."""
        quantities = super()._declared(group)
        first = {quantity.array: i for i, quantity in reversed(list(enumerate(quantities)))}
        return sorted(quantities, key=lambda quantity: first[quantity.array])

    @property
    def prescribed(self):
        return frozenset(i for i, axis in enumerate(self.axes) if axis.law.drive in PRESCRIBED)

    @property
    def locks(self):
        found = (axis.lock(i) for i, axis in enumerate(self.axes))
        return tuple(lock for lock in found if lock is not None)

    @property
    def stops(self):
        return tuple((i, axis) for i, axis in enumerate(self.axes) if axis.touches is not None)

    def passive(self, k, u, d, q, v):
        pairs = [self._acting(axis, k, d, q[i], v[i]) for i, axis in enumerate(self.axes)]
        return np.array([force for force, _ in pairs]), sum(loss for _, loss in pairs)

    def _acting(self, axis: Axis, k, d, q, v):
        """Force along the axis and dissipated power; energy that a formula takes counts as dissipated, energy that it gives as negative."""
        force, lost = axis.passive_force(k, d, q, v)
        if axis.law.formula is None:
            return force, lost
        known = {axis.kind.coordinate: q, "rate": v}
        law = value_of(axis.law.formula, lambda name: known[name] if name in known else k[self.constant[name]])
        return force + law, lost - law * v

    def drive(self, k, u):
        return np.array([0.0 if axis.force is None else u[axis.force] for axis in self.axes])

    def potential(self, k, q):
        return sum(axis.potential(k, q[i]) for i, axis in enumerate(self.axes))

    def known(self, k, u, d, q, v):
        if not self.prescribed and not self.locks:
            return None
        mask, rates = [0.0] * len(self.axes), [0.0] * len(self.axes)
        for i in self.prescribed:
            mask[i], rates[i] = 1.0, self.axes[i].prescribed_rate(k, u, q[i], v[i])
        for lock in self.locks:
            i, held = lock.axis, d[lock.locked] > 0.5
            mask[i], rates[i] = where(held, 1.0, mask[i]), where(held, 0.0, rates[i])
        return np.array(mask), np.array(rates)


@dataclass(frozen=True)
class BallForces(NoForces):
    """Spring and damper of a ball joint: torque −k sin(φ) n − c ω_rel, for a turn by φ about n, in the child's axes.

    With q = (cos φ/2, n sin φ/2), here q/|q|, the spring's torque is −2k q₀ q_v and its energy 2k |q_v|² = k (1 − cos φ):
    smooth everywhere, and k φ for small turns.
    """

    name: str = ""
    terminal = "joint"
    # fmt: off
    stiffness: Declared[Parameter] = parameter("spring of {self.name}: torque k sin(angle)", "N.m/rad", min=0.0, tunable=True)
    damping: Declared[Parameter] = parameter("viscous damper of {self.name}", "N.m.s/rad", min=0.0, tunable=True)
    # fmt: on
    driven: bool = False
    nv: int = 3

    torque = input_(
        "drive of {self.name}, in the child's axes; its reaction on the parent",
        "N.m",
        np.zeros(3),
        when=lambda self: self.driven,
    )

    def passive(self, k, u, d, q, v):
        damping = k[self.damping]
        return -2.0 * k[self.stiffness] / (q @ q) * q[0] * q[1:] - damping * v, damping * (v @ v)

    def drive(self, k, u):
        return u[self.torque] if self.driven else np.zeros(3)

    def potential(self, k, q):
        return 2.0 * k[self.stiffness] * (q[1:] @ q[1:]) / (q @ q)


@dataclass(frozen=True)
class FreeForces(NoForces):
    """The drive of a free joint: a force on the child at its frame and a torque, with their reaction on the parent there."""

    name: str = ""
    terminal = "joint"
    nv: int = 6

    force = input_("drive of {self.name}: force on the child at its frame, in axes of the joint's place; its reaction on the parent", "N", np.zeros(3))  # fmt: skip
    torque = input_("drive of {self.name}: torque on the child, in the child's axes; its reaction on the parent", "N.m", np.zeros(3))  # fmt: skip

    def drive(self, k, u):
        return np.concatenate([u[self.force], u[self.torque]])


@dataclass(frozen=True)
class WheelForces(NoForces):
    """A reaction wheel's motor and bearing: torque input on the rotor, viscous and smooth Coulomb friction."""

    name: str = ""
    terminal = "wheel"
    # fmt: off
    damping: Declared[Parameter] = parameter("viscous friction of {self.name}", "N.m.s/rad", min=0.0, tunable=True)
    friction: Declared[Parameter] = parameter("Coulomb friction of {self.name}", "N.m", min=0.0, tunable=True)
    friction_rate: Declared[Parameter] = parameter("rate at which friction reaches 76 % of its full value", "rad/s", 0.1, min=1e-12, tunable=True)
    # fmt: on
    nv: int = 1

    torque = input_("motor torque of {self.name}: acts on the rotor, its reaction on the host", "N.m")

    def passive(self, k, u, d, q, v):
        rate = v[0] / k[self.friction_rate]
        torque = k[self.damping] * v[0] + k[self.friction] * np.tanh(rate)
        return np.array([-torque]), torque * v[0]

    def drive(self, k, u):
        return np.array([u[self.torque]])
