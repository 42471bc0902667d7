"""Forces between two places without a constraint: a spring and damper along their line, and a force and torque pair.

Both are connections without conditions. Total momentum and angular momentum are conserved: b and a receive opposite forces, along the same
line or at the same point. Proved by tests/constraints/test_force_elements.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..system.formula import law_constants, value_of
from ..system.keys import CONSTANTS, ENDS, Declaration, Key, Resolver
from ..system.pieces import Declared, input_, output, parameter
from ..system.signals import Parameter
from .connection import Connection, Effort, View
from .grip import End
from .rows import span


@dataclass(frozen=True)
class LineSpring(Connection):
    """A spring and damper along the line between two places, which pulls and pushes; L may be zero.

        T = k s + c ṡ + f(D, ṡ, t) − F,   s = D − L,   ṡ = n·(v_b − v_a),   D n = r_b − r_a;   T n on a, −T n on b

    f is an optional formula (spacefmu.dynamics.system.formula) in length D, rate ṡ, time and constants; energy that it takes counts as
    dissipated, energy that it gives as negative. F, an input if `driven`, pushes the places apart: a jack, a gas spring. If the places
    coincide the line has no direction: with L = 0 and c = 0 the force k (r_b − r_a) needs none, otherwise forces that depend on the
    direction are zero there.
    """

    name: str
    a: End
    b: End
    length0: Declared[Parameter] = parameter("unstretched length of spring {self.name}", "m", min=0.0)
    stiffness: Declared[Parameter] = parameter("stiffness of spring {self.name}", "N/m", min=0.0, tunable=True)
    damping: Declared[Parameter] = parameter("damping of spring {self.name}", "N.s/m", min=0.0, tunable=True)
    driven: bool = False
    law: object = 0.0
    constants: tuple[tuple[str, float], ...] = ()
    seen_as = "spring"

    force = input_(
        "force of {self.name} that pushes its ends apart, along their line", "N", when=lambda self: self.driven
    )
    tension = output("tension of spring {self.name}, negative where it pushes", "N")
    distance = output("distance between the ends of {self.name}", "m", name="length")

    @cached_property
    def constant(self) -> dict[str, Parameter]:
        return law_constants(self.name, self.constants)

    def parameters(self):
        return [*super().parameters(), *self.constant.values()]

    def _state(self, view: View):
        """s, ṡ, F and n."""
        distance, n = span(view.a, view.b)
        pushing = view.u[self.force] if self.driven else 0.0
        return distance - view.k[self.length0], n @ (view.b.velocity - view.a.velocity), pushing, n

    def _by_law(self, view: View, rate):
        """f, tension by the formula."""
        known = {"length": span(view.a, view.b)[0], "rate": rate, "time": view.t}
        return value_of(self.law, lambda name: known[name] if name in known else view.k[self.constant[name]])

    def _tension(self, view: View):
        stretch, rate, pushing, _ = self._state(view)
        return view.k[self.stiffness] * stretch + view.k[self.damping] * rate + self._by_law(view, rate) - pushing

    def output_values(self, view: View, multipliers):
        return np.array([self._tension(view), span(view.a, view.b)[0]])

    def effort(self, view: View) -> Effort:
        stretch, rate, pushing, n = self._state(view)
        tension = self._tension(view)
        return Effort.of_forces(
            tension * n,
            -tension * n,
            potential=0.5 * view.k[self.stiffness] * stretch * stretch,
            dissipated=(view.k[self.damping] * rate + self._by_law(view, rate)) * rate,
            power=pushing * rate,
        )


@dataclass(frozen=True)
class WrenchPair(Connection):
    """A force and a torque on b at its place, in axes of a's place; a gets the opposite, at the same point: both inputs.

    (F, T) on b, (−F, −T − s×F) at a's place, s = r_b − r_a.
    """

    name: str
    a: End
    b: End

    force = input_("force of {self.name} on its second body at its place, in axes of the first; the opposite on the first", "N", np.zeros(3))  # fmt: skip
    torque = input_("torque of {self.name} on its second body, in axes of the first; the opposite on the first", "N.m", np.zeros(3))  # fmt: skip

    def effort(self, view: View) -> Effort:
        a, b = view.a, view.b
        force, torque = a.dcm @ view.u[self.force], a.dcm @ view.u[self.torque]
        on_b = np.concatenate([force, torque])
        on_a = -np.concatenate([force, torque + cross(b.position - a.position, force)])
        return Effort(on_a, on_b, power=on_a @ a.motion + on_b @ b.motion)


def make_spring(table: Any, names: Resolver) -> LineSpring:
    if not (table.stiffness or table.damping or table.force or table.law is not None):
        names.does_nothing("a stiffness, a damping, a law, or force = true")
    law = 0.0 if table.law is None else names.formula("law", table.law, {"length": 1.0, "rate": 0.0, "time": 0.0})
    constants = tuple(table.constants.items())
    return LineSpring(
        names.name, *names.ends(), table.length, table.stiffness, table.damping, table.force, law, constants
    )


SPRING = Declaration("A spring and damper along the line between two places; it pulls and pushes.", {
    **ENDS,
    "length": Key("not negative", "unstretched length [m]; may be zero", 0.0),
    "stiffness": Key("not negative", "[N/m]", 0.0),
    "damping": Key("not negative", "[N s/m]", 0.0),
    "force": Key("flag", "true: an input NAME.force, which pushes the ends apart", False),
    "law": Key("formula", "additional tension [N], a formula in `length`, `rate`, `time`, constants and tables", None),
    **CONSTANTS,
}, make_spring)  # fmt: skip
PAIR = Declaration(
    "A force and a torque between two places, as inputs: on b in the axes of a, and the opposite on a at the same point.",
    ENDS,
    lambda table, names: WrenchPair(names.name, *names.ends()),
)
