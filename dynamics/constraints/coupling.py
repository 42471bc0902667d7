"""A coupling between two places: the rows of its kind, permanently closed or switched.

A switched coupling closes in the current configuration: the relative place and attitude at closing are stored as discrete states, so no
body is displaced; only velocities jump, by an impulse between the two bodies that conserves momentum and angular momentum. It closes when the input `close` is true
and its trigger, if any, is met (docking: the places are close enough; latch: a joint has passed an angle), and opens when `close` is false.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import E3
from ..algebra.scalar import maximum, where
from ..system.pieces import discrete, input_, output, parameter
from .connection import Conditions, Connection, Decision, View
from .drive import Drive
from .grip import End
from .kinds import CouplingKind
from .rows import TINY, Row, apart, lowest_edge, slide, span, spin, square, stack, weighted

LETTERS = {"x": 0, "y": 1, "z": 2}

# a switched coupling that starts this near to its closing point starts closed: states copied from a run have round-off
AT_START = 1e-9


@dataclass(frozen=True)
class Switch:
    """When a coupling may close: `capture` [m] distance of its places, or `latch`: a joint coordinate beyond a value.

    latch is (state name, value, side): met where side (value − q) ≤ 0, side +1 for a value reached from below.
    Neither: it closes at once. `start`: the input's start value.
    """

    start: bool = False
    capture: float | None = None
    latch: tuple[str, float, float] | None = None


@dataclass(frozen=True)
class Coupling(Connection):
    """`axes_a`, `axes_b`: dcm of the coupling's axes to the axes of each place; z is the coupling's axis.

    `offset` (3,): the place of b in the coupling's axes on a: zero, or (0, 0, length or radius).
    """

    name: str
    a: End
    b: End
    kind: CouplingKind
    axes_a: np.ndarray
    axes_b: np.ndarray
    size: float = 0.0  # [m] length of a distance, radius of a ball
    switch: Switch | None = None
    drive: Drive | None = None

    @property
    def rows(self):
        return self.kind.rows

    @property
    def switches(self):
        return self.switch is not None

    @property
    def seen_as(self):
        return "rod" if self.kind.apart else ""

    @property
    def indicator_count(self):
        return 1 if self.switch and (self.switch.capture or self.switch.latch) else 0

    # ---- quantities

    # fmt: off
    length = parameter("{self._size_word} of coupling {self.name}", "m", lambda self: self.size, name="{self._size_word}", when=lambda self: self._size_word, min=0.0)
    capture = parameter("distance within which {self.name} can close", "m", lambda self: self.switch.capture, when=lambda self: self.switch and self.switch.capture, min=0.0)
    latch = parameter("value of {self.switch.latch[0]} beyond which {self.name} can close", "1", lambda self: self.switch.latch[1], when=lambda self: self.switch and self.switch.latch)

    close = input_("true: close {self.name}", "", lambda self: float(self.switch.start), when=lambda self: self.switch, kind="boolean")

    closed = discrete("coupling {self.name} is closed", when=lambda self: self.switch, kind="boolean", calculated=True)
    energy_lost = discrete("energy lost when {self.name} closed", "J", when=lambda self: self.switch, calculated=True)
    found = discrete("place of its second end from its first when {self.name} closed, in axes of the first", "m", np.zeros(3), when=lambda self: self.switch, output=False, calculated=True)
    turned = discrete("dcm from the axes of its second end to those of its first when {self.name} closed", "1", np.eye(3), when=lambda self: self.switch, output=False, calculated=True)

    force = output("force of coupling {self.name} on its second body, in axes of N", "N", np.zeros(3))
    torque = output("torque of coupling {self.name} on its second body, about its place, in axes of N", "N.m", np.zeros(3), when=lambda self: self._turns)
    # fmt: on

    @property
    def _size_word(self) -> str:
        if self.kind.apart and not self.drive and not self.switch:
            return "length"
        return "radius" if self.kind.rolls else ""

    @property
    def _turns(self) -> bool:
        return bool(self.kind.squares or self.kind.spins)

    def parts(self):
        return (self.drive,) if self.drive else ()

    def state_rates(self, view: View):
        return self.drive.rates(view) if self.drive else np.zeros(0)

    # ---- equations

    def output_values(self, view: View, multipliers):
        _, wrench = self.wrenches(view, multipliers)
        return wrench if self._turns else wrench[:3]

    def wrenches(self, view: View, multipliers):
        return weighted(self._rows(view), multipliers)

    def conditions(self, view: View) -> Conditions:
        return stack(view.near.a, view.near.b, self._rows(view.near))

    def _rows(self, view: View) -> list[Row]:
        a, b, kind = view.a, view.b, self.kind
        E, offset, F = self._held(view)
        carrier, omega = (E, a.omega) if kind.sliding == "a" else (F, b.omega)
        hold = E @ offset if kind.held else None
        rows = [slide(a, b, carrier[:, LETTERS[e]], omega, hold) for e in kind.slides]
        rows += [square(a, b, E[:, LETTERS[e]], F[:, LETTERS[f]]) for e, f in map(tuple, kind.squares)]
        rows += [spin(a, b, E[:, LETTERS[e]]) for e in kind.spins]
        rows += self._rolling(view, E, F)
        if kind.apart:
            rows.append(apart(a, b, 0.0 if self.drive else np.sqrt(offset @ offset)))
        if self.drive:
            rows = [Row(r.on_a, r.on_b, r.convective, r.residual, self.drive.values(view)) for r in rows]
        return rows

    def _rolling(self, view: View, E, F) -> list[Row]:
        """No slip at the contact of a ball, or of a disc's edge, whose height over the plane is also held."""
        a, b, kind = view.a, view.b, self.kind
        if not kind.rolls:
            return []
        radius = view.k[self.length]
        if not kind.edge:
            return [slide(a, b, E[:, LETTERS[e]], a.omega, arm=-E[:, 2] * radius) for e in kind.rolls]
        arm, arm_dot = lowest_edge(a, b, E[:, 2], F[:, 2], radius)
        held = {"z": E[:, 2] * self._height(view, radius) - arm}
        return [slide(a, b, E[:, LETTERS[e]], a.omega, held.get(e), arm, arm_dot) for e in kind.rolls]

    def _height(self, view: View, radius):
        """Height of a disc's contact over the plane: zero, or its value when a switched coupling closed."""
        if not self.switch:
            return 0.0
        pose, normal = self._pose(view), self.axes_a[:, 2]
        cosine = normal @ (pose[3:].reshape(3, 3) @ self.axes_b[:, 2])
        return normal @ pose[:3] - radius * np.sqrt(1.0 - cosine * cosine + TINY)

    def _pose(self, view: View):
        """For a switched coupling: the stored place and attitude; while it is open the current ones, so that a jump that closes it already uses its rows."""
        return where(view.d[self.closed] > 0.5, self._stored(view), self._found(view))

    def _held(self, view: View):
        """E (3, 3) axes on a, the place of b in them (3,), and F (3, 3) axes on b, E and F in N."""
        E = view.a.dcm @ self.axes_a
        if not self.switch:
            size = 0.0 if self.length is None else view.k[self.length]
            return E, np.array([0.0, 0.0, size]), view.b.dcm @ self.axes_b
        pose = self._pose(view)
        return E, self.axes_a.T @ pose[:3], view.b.dcm @ self._axes_on_b(pose[3:].reshape(3, 3))

    def _axes_on_b(self, turned):
        """(3, 3) the coupling's axes on b when it closes with b's axes `turned` relative to a's.

        If the kind holds an attitude they are those of a; a universal coupling keeps its second axis, orthogonalised against the first; a
        blade keeps all its axes.
        """
        along_a = turned.T @ self.axes_a
        if not self.kind.squares:
            return self.axes_b
        if "zz" not in self.kind.squares:
            return along_a
        first, second = along_a[:, 2], self.axes_b[:, 2]
        second = second - first * (first @ second)
        return np.column_stack([along_a[:, 0], along_a[:, 1], second / np.sqrt(second @ second + TINY)])

    # ---- switching

    def active(self, d):
        return d[self.closed] if self.switch else 1.0

    def _found(self, view: View):
        """Place of b in a's axes, and dcm from b's to a's axes, now: (12,)."""
        to_a = view.a.dcm.T
        return np.concatenate([to_a @ (view.b.position - view.a.position), (to_a @ view.b.dcm).ravel()])

    def _stored(self, view: View):
        return np.concatenate([view.d[self.found], view.d[self.turned].ravel()])

    def _distance_to_trigger(self, view: View):
        """Not positive if the coupling may close; about 1 far away."""
        if self.capture is not None:
            reach = view.k[self.capture]
            return span(view.a, view.b)[0] / reach - 1.0
        if self.switch is not None and self.switch.latch:
            state, _, side = self.switch.latch
            return side * (view.k[self.latch] - view.x[state])
        return -1.0

    def _wanted(self, view: View, closed, trigger):
        """1 if the input requests it and it is already closed or may close."""
        ready = maximum(closed, where(trigger <= 0.0, 1.0, 0.0))
        return where(view.u[self.close] > 0.5, ready, 0.0)

    def initial(self, view: View):
        if not self.switch:
            return np.zeros(0)
        closed = self._wanted(view, 0.0, self._distance_to_trigger(view) - AT_START)
        return np.concatenate([[closed, 0.0], self._found(view)])

    def indicators(self, view: View, multipliers):
        if not self.indicator_count:
            return np.zeros(0)
        return np.array([where(view.d[self.closed] > 0.5, -1.0, self._distance_to_trigger(view))])

    def decide(self, view: View, g, rate) -> Decision:
        if not self.switch:
            return Decision(np.zeros(0))
        closed = view.d[self.closed]
        closed_new = self._wanted(view, closed, g[0] if self.indicator_count else -1.0)
        closing = closed_new * (1.0 - closed)
        kept = where(closing > 0.5, self._found(view), self._stored(view))
        lost = view.d[self.energy_lost]
        return Decision(np.concatenate([[closed_new, lost], kept]), due=closing, active=closed_new)

    def note_loss(self, discretes, energy):
        return np.concatenate([discretes[:1], [discretes[1] + energy], discretes[2:]]) if self.switch else discretes


def axes_along(axis) -> np.ndarray:
    """dcm whose z column is the unit vector `axis`; x and y are chosen, the same for the same axis."""
    z = np.asarray(axis, float)
    x = np.roll(E3[int(np.argmax(np.abs(z)))], 1)
    x = x - z * (x @ z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
