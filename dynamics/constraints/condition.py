"""A general linear condition on speeds, nonholonomic or rheonomic:   a(q, t)·v + b(t) = 0.

v are speeds as the states have them (joint rates, velocity and angular velocity of free bodies, rates of modes), the
coefficients a_i and the drift b are formulas in coordinates, time and constants. Differentiated once:

    a·v̇ = −ȧ·v − ḃ,   generalized forces aᵀλ,   power of what drives it λ a·v = −λ b     [stroe] eq. (30), (31)

so without drift the multiplier does no work. The row is given to the solve as a/|a|: rows of similar size are what
its rank decision needs (docs/architecture.md), and λ is scaled back. Proved by tests/constraints/test_conditions.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..pieces import output
from ..signals import Parameter
from .connection import Conditions, Connection, View
from .formula import evaluate
from .grip import End
from .rows import TINY


@dataclass(frozen=True)
class Condition(Connection):
    """`terms`: (name of a speed, its coefficient a_i), `drift` b: formulas; `constants`: (name, value), FMU parameters.

    `let`: (name, formula) of parts that others name; each may name those before it.
    """

    name: str
    a: End
    b: End
    terms: tuple[tuple[str, object], ...]
    drift: object = 0.0
    constants: tuple[tuple[str, float], ...] = ()
    let: tuple[tuple[str, object], ...] = ()
    rows = 1

    multiplier = output("generalized force of {self.name}: times its coefficient it acts along each speed", "1")

    @cached_property
    def constant(self) -> dict[str, Parameter]:
        """Its constants by the names that formulas have for them."""
        return {
            constant: Parameter(f"{self.name}.{constant}", f"constant {constant} of condition {self.name}", "1", value)
            for constant, value in self.constants
        }

    def parameters(self):
        return list(self.constant.values())

    def output_values(self, view: View, multipliers):
        return multipliers / self._size(self._coefficients(view)[0])

    def conditions(self, view: View) -> Conditions:
        a, a_dot = self._coefficients(view)
        b, b_dot = evaluate(self.drift, self._looker(view))
        v = np.array([view.x[speed] for speed, _ in self.terms])
        row = sum(a_i * view.speed_row(speed) for a_i, (speed, _) in zip(a, self.terms, strict=True))
        size = self._size(a)
        return Conditions(
            residual=np.zeros(1),
            jacobian=(row / size).reshape(1, -1),
            rate=np.array([(a @ v + b) / size]),
            gamma=np.array([-(a_dot @ v + b_dot) / size]),
            positional=np.zeros(1),
            driven=np.array([-b / size]),
        )

    def _coefficients(self, view: View):
        """a and ȧ, one a term."""
        pairs = [evaluate(tree, self._looker(view)) for _, tree in self.terms]
        return np.array([value for value, _ in pairs]), np.array([rate for _, rate in pairs])

    def _size(self, a):
        """|a|; not zero where all coefficients vanish: the row is zero there, and asks for nothing."""
        return np.sqrt(a @ a + TINY)

    def _looker(self, view: View):
        """name → (value, rate) of time, a constant, a coordinate or a part that has a name."""
        parts: dict[str, tuple] = {}

        def look(name):
            if name == "time":
                return view.t, 1.0
            if name in parts:
                return parts[name]
            if name in self.constant:
                return view.k[self.constant[name]], 0.0
            return view.x[name], view.coordinate_rate(name)

        for name, tree in self.let:
            parts[name] = evaluate(tree, look)
        return look
