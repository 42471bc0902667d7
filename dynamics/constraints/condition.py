"""General conditions, with formulas in coordinates, time and constants; relations of joints are also conditions (relation.py).

On speeds, linear, nonholonomic or rheonomic:   a(q, t)·v + b(t) = 0.

v are speeds as the states have them (joint rates, velocity and angular velocity of free bodies, rates of modes), the
coefficients a_i and the drift b are formulas in coordinates, time and constants. Differentiated once:

    a·v̇ = −ȧ·v − ḃ,   generalized forces aᵀλ,   power of what drives it λ a·v = −λ b     [stroe] eq. (30), (31)

so without drift the multiplier does no work.

On coordinates, held as a position:   φ(q, t) = 0. With q̇ = T(q) v, which is tangent to unit quaternions,

    a = Tᵀ ∂φ/∂q,   b = ∂φ/∂t,   γ = −φ̈ at v̇ = 0,   power λ a·v = −λ ∂φ/∂t.

A drive may prescribe the value: a·v + b = φ̇₀, φ = φ₀. The row is passed to the solve as a/|a|, because its rank decision needs rows of
similar size (docs/architecture.md), and λ is scaled back. Proved by tests/constraints/test_conditions.py and test_held_formulas.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..algebra.dual import Dual, rates_of, values_of
from ..system.formula import evaluate
from ..system.pieces import output
from ..system.signals import Parameter
from .connection import Conditions, Connection, View
from .drive import Drive
from .grip import End
from .rows import TINY


class WithFormulas(Connection):
    """The base of both.

    constants: (name, description, value), FMU parameters; let: (name, formula) of subexpressions, each may use those before it; drive: prescribes the
    value, which is otherwise zero; acts: the effect of its multiplier.
    """

    constants: tuple[tuple[str, str, float], ...]
    let: tuple[tuple[str, object], ...]
    drive: Drive | None
    acts: str
    rows = 1

    multiplier = output("generalized force of {self.name}: {self.acts}", "1")

    def parts(self):
        return (self.drive,) if self.drive else ()

    def state_rates(self, view: View):
        return self.drive.rates(view) if self.drive else np.zeros(0)

    def prescribed(self, view: View):
        """(φ₀, φ̇₀, φ̈₀)."""
        return self.drive.values(view) if self.drive else (0.0, 0.0, 0.0)

    @cached_property
    def constant(self) -> dict[str, Parameter]:
        """Its constants by their names in formulas."""
        return {
            constant: Parameter(f"{self.name}.{constant}", description, "1", value)
            for constant, description, value in self.constants
        }

    def parameters(self):
        return [*self.constant.values(), *super().parameters()]

    def _looker(self, view: View, time, coordinate: Callable):
        """name → (value, rate): of time the given pair, of a coordinate `coordinate(name)`, of a constant, or of a named subexpression."""
        parts: dict[str, tuple] = {"time": time}

        def look(name):
            if name in parts:
                return parts[name]
            return (view.k[self.constant[name]], 0.0) if name in self.constant else coordinate(name)

        for name, tree in self.let:
            parts[name] = evaluate(tree, look)
        return look


ALONG_SPEEDS = "acts along each speed, times its coefficient"


def _size(a):
    """|a|; not zero if all coefficients vanish: the row is then zero, and has no effect."""
    return np.sqrt(a @ a + TINY)


@dataclass(frozen=True)
class Condition(WithFormulas):
    """On speeds. `terms`: (name of a speed, its coefficient a_i), `drift` b: formulas."""

    name: str
    a: End
    b: End
    terms: tuple[tuple[str, object], ...]
    drift: object = 0.0
    constants: tuple[tuple[str, str, float], ...] = ()
    let: tuple[tuple[str, object], ...] = ()
    drive: Drive | None = None
    acts: str = ALONG_SPEEDS

    def output_values(self, view: View, multipliers):
        return multipliers / _size(self._coefficients(view)[0])

    def conditions(self, view: View) -> Conditions:
        a, a_dot = self._coefficients(view)
        b, b_dot = evaluate(self.drift, self._moving(view))
        v = np.array([view.x[speed] for speed, _ in self.terms])
        row = sum(a_i * view.speed_row(speed) for a_i, (speed, _) in zip(a, self.terms, strict=True))
        size, (_, rate, acceleration) = _size(a), self.prescribed(view)
        return Conditions(
            residual=np.zeros(1),
            jacobian=(row / size).reshape(1, -1),
            rate=np.array([(a @ v + b - rate) / size]),
            gamma=np.array([(acceleration - a_dot @ v - b_dot) / size]),
            positional=np.zeros(1),
            driven=np.array([(rate - b) / size]),
        )

    def _coefficients(self, view: View):
        """a and ȧ, one per term."""
        pairs = [evaluate(tree, self._moving(view)) for _, tree in self.terms]
        return np.array([value for value, _ in pairs]), np.array([rate for _, rate in pairs])

    def _moving(self, view: View):
        """All values with their rates in time."""
        return self._looker(view, (view.t, 1.0), lambda name: (view.x[name], view.coordinate_rate(name)))


@dataclass(frozen=True)
class HeldFormula(WithFormulas):
    """On coordinates: the formula is zero. `named`: the coordinates in it and its subexpressions; `said`: its field in the description."""

    name: str
    a: End
    b: End
    formula: object
    named: tuple[str, ...]
    constants: tuple[tuple[str, str, float], ...] = ()
    let: tuple[tuple[str, object], ...] = ()
    drive: Drive | None = None
    acts: str = ALONG_SPEEDS
    said: str = ""

    def output_values(self, view: View, multipliers):
        return multipliers / _size(self.gradient(view))

    def conditions(self, view: View) -> Conditions:
        a, (phi, phi_dot, phi_ddot) = self.gradient(view), self._motion(view)
        size, swept, (place, rate, acceleration) = _size(a), a @ view.v, self.prescribed(view)
        return Conditions(
            residual=np.array([(phi - place) / size]),
            jacobian=(a / size).reshape(1, -1),
            rate=np.array([(phi_dot - rate) / size]),
            gamma=np.array([(acceleration - phi_ddot) / size]),
            positional=np.ones(1),
            driven=np.array([(rate - (phi_dot - swept)) / size]),
        )

    def gradient(self, view: View):
        """a = Tᵀ ∂φ/∂q, (nv,)."""
        return sum(
            (self._slope(view, name) * view.coordinate_map[view.x.index(name)] for name in self.named),
            np.zeros(view.nv),
        )

    def _slope(self, view: View, coordinate: str):
        """∂φ/∂q of one coordinate."""
        alone = self._looker(view, (view.t, 0.0), lambda name: (view.x[name], 1.0 if name == coordinate else 0.0))
        return evaluate(self.formula, alone)[1]

    def _motion(self, view: View):
        """φ, φ̇, and φ̈ at v̇ = 0: its rate in time, by nested duals."""

        def coordinate(name):
            rate, bent = view.coordinate_rate(name), view.bent_rates[view.x.index(name)]
            return Dual(view.x[name], rate), Dual(rate, bent)

        phi, phi_dot = evaluate(self.formula, self._looker(view, (Dual(view.t, 1.0), 1.0), coordinate))
        both = np.empty(2, dtype=object)
        both[:] = phi, phi_dot
        return *values_of(both), rates_of(both)[1]
