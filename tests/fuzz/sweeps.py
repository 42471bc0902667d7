"""Runs that are played with a fault on each path of callers (sweep.c): small models that together meet all parts of the runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spacefmu.dynamics.algebra.scalar import where
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.methods import METHODS
from spacefmu.dynamics.system.contract import About, Staged, System
from spacefmu.dynamics.system.signals import Signal, SignalTable
from tests.catalogue_fmus import system_of
from tests.constraints.linkages import NATURAL, UNIFORM, parallelograms
from tests.systems_small import BALL, LATCH, OSCILLATOR, PENDULUM, RELAXATION, SAMPLER

METHOD = {"": 0} | {method.name: i for i, method in enumerate(METHODS, 1)}


@dataclass(frozen=True)
class Played:
    """kind: step, event, between or exchange; count steps of a length [s]; derive: derivatives that are asked for at a time."""

    kind: str
    method: str = ""
    tolerance: float = 1e-6
    step: float = 0.05
    count: int = 8
    derive: int = 6

    @property
    def arguments(self) -> list[str]:
        return [self.kind, *map(str, (METHOD[self.method], self.tolerance, self.step, self.count, self.derive))]


def _watch(t, x, u, k, d):
    return np.zeros(0), np.array([k[0] * d[0]]), np.array([0.13 * (d[0] + 1.0) - t])


def _watched(t, x, u, k, d, g, z, multipliers, carry):
    return x, np.array([where(g[0] <= 0.0, d[0] + 1.0, d[0]), where(g[0] <= 0.0, 3.0 - d[1], d[1])])


# No state, but an indicator: nothing moves, and something is watched. With `scale` below 0 its next time event never comes to pass.
WATCH = System(
    name="Watch",
    about=About("counts every 0.13 s"),
    signals=SignalTable(
        parameters=(Signal("scale", "its square is shown per count", "1", 1.0),),
        discretes=(
            Signal("count", "so far", kind="integer"),
            Signal("side", "even or odd", kind="enumeration", start=1, items=("even", "odd")),
        ),
        outputs=(Signal("shown", "the count", "1"),),
    ),
    motion=Staged(lambda t, x, u, k, d, z, multipliers, carry: _watch(t, x, u, k, d)),
    derive=lambda p: np.array([p[0] ** 2, p[0]]),
    constant_count=2,
    indicator_count=1,
    next_time=lambda t, x, u, k, d: where(k[1] < 0.0, t, 1e9 + 0.0 * t),
    update=Staged(_watched),
)


def _linkage(name: str, count: int, rate: float, angle: float, more: str = "") -> Callable[[], System]:
    return lambda: load_text(f'name = "{name}"\n{more}' + UNIFORM + parallelograms(count, rate, angle))


ALL_KINDS = tuple(map(Played, ("step", "event", "between", "exchange", "!step", "!exchange", "!event")))
METHODS_OF = tuple(Played("step", method) for method in ("rk4", "rodas5p", "real_time", "real_time_stiff"))
CROSSING = (  # no derivatives: at a change point there are none
    *(Played(kind, step=0.01, count=5, derive=0) for kind in ("step", "between")),
    Played("event", "rodas5p", step=0.02, count=3, derive=0),
    Played("exchange", step=0.004, count=12, derive=0),
)
SWEPT: dict[str, tuple[Callable[[], System], tuple[Played, ...]]] = {
    "Watch": (lambda: WATCH, (*ALL_KINDS, Played("step", "real_time"))),
    "Ball": (lambda: BALL, (*ALL_KINDS, *METHODS_OF)),
    "Latch": (lambda: LATCH, (*ALL_KINDS, *METHODS_OF)),
    "Oscillator": (lambda: OSCILLATOR, (*ALL_KINDS, *METHODS_OF)),
    "Sampler": (lambda: SAMPLER, ALL_KINDS),
    "Relaxation": (lambda: RELAXATION, (*ALL_KINDS, *METHODS_OF)),
    "Pendulum": (lambda: PENDULUM, (*ALL_KINDS, *METHODS_OF)),
    "Crossing": (
        _linkage("Crossing", 1, -2.0, 0.05),
        (*CROSSING, Played("step", count=2), Played("exchange", count=2)),
    ),
    **{
        f"Resting{i}": (_linkage("Resting", 1, rate, -0.05), (Played("step", step=0.05, count=3, derive=0),))
        for i, rate in enumerate((1.086, 1.1))
    },
    "Still": (_linkage("Still", 1, 0.01, 0.0), (Played("step", step=0.01, count=2, derive=0),)),
    "AtOnce": (
        _linkage("AtOnce", 1, -2.0, 0.0),
        (*CROSSING, Played("step", count=1), Played("step", "real_time", count=2)),
    ),
    "Natural": (
        _linkage("Natural", 1, -2.0, 0.05, NATURAL),
        (Played("step", step=0.01, count=5, derive=2), Played("exchange", step=0.01, count=5, derive=2)),
    ),
    "HingedPanel": (lambda: system_of("HingedPanel"), (Played("step", "rodas5p"), Played("between", count=4))),
}
