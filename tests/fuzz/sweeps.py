"""Runs that are played with a fault on each path of callers (sweep.c), with models that together meet all parts of the runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.methods import METHODS
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.fold import fold
from tests.catalogue_fmus import system_of
from tests.constraints.linkages import NATURAL
from tests.fuzz.models import (
    CHANGING,
    FOLDED,
    GRAZE,
    HELD,
    JUMPY,
    KICKED,
    RESTING,
    SLOW,
    STEEP,
    TORN,
    WATCH,
    WAVY,
    beside,
    chain,
    linkage,
    locking,
    opened,
    pair,
)
from tests.systems_small import BALL, LATCH, OSCILLATOR, PENDULUM, RELAXATION, SAMPLER, STUCK

METHOD = {"": 0} | {method.name: i for i, method in enumerate(METHODS, 1)}


@dataclass(frozen=True)
class Played:
    """kind: as in sweep.c; count steps of a length [s]; derive: derivatives that are asked for at a time; turned: the step from which the first
    switch is on, 0: none; faults: whether it is played again with them."""

    kind: str
    method: str = ""
    tolerance: float = 1e-6
    step: float = 0.05
    count: int = 8
    derive: int = 6
    turned: int = 0
    faults: bool = True
    values: tuple[tuple[str, float], ...] = ()

    @property
    def arguments(self) -> list[str]:
        numbers = (
            METHOD[self.method],
            self.tolerance,
            self.step,
            self.count,
            self.derive,
            self.turned,
            int(self.faults),
        )
        return [self.kind, *map(str, numbers)]


def _waves(seed: int, count: int, **more) -> tuple[Played, ...]:
    rng, played = np.random.default_rng(seed), []
    for _ in range(count):
        values = zip("abcsf", (rng.uniform(0.1, 0.9), 10.0 ** rng.uniform(-4, 0), 10.0 ** rng.uniform(0, 4), rng.uniform(0.1, 0.9), rng.choice([1.0, 3.0, 50.0])), strict=True)  # fmt: skip
        method, tolerance, step = (
            rng.choice(["", "rk4", "rodas5p"]),
            10.0 ** -rng.integers(1, 9),
            rng.choice([0.1, 0.3, 1.0]),
        )
        own = tuple((name, float(value)) for name, value in values)
        played.append(Played("step", str(method), float(tolerance), float(step), 4, values=own, **more))
    return tuple(played)


def _bars(name: str, angle: float, rate: float) -> tuple[tuple[str, float], ...]:
    """Starts of a parallelogram."""
    signs = (("pivot0", 1.0), ("pivot1", 1.0), ("knee0", -1.0))
    numbers = {"angle": angle, "rate": rate}
    return tuple(
        (f"{name}{joint}.{number}", sign * value) for joint, sign in signs for number, value in numbers.items()
    )


def _scattered(seed: int, count: int, names: tuple[str, ...]) -> tuple[Played, ...]:
    """Starts just before a change point of all linkages at almost the same time, slow and fast ones, in all kinds of hosts."""
    rng, played = np.random.default_rng(seed), []
    for _ in range(count):
        time, values = rng.choice([0.005, 0.02, 0.05, 0.1]), ()
        for name in names:
            rate = -float(rng.choice([0.1, 0.3, 1.0, 2.0, 5.0, 25.0]))
            away = time * (1.0 + rng.normal() * rng.choice([0.0, 1e-3, 1e-2, 0.1, 0.5]))
            resting = rng.random() < 0.3 and len(names) == 1
            values += _bars(name, *((-0.05, 1.07 + 0.04 * rng.random()) if resting else (-rate * away, rate)))
        kind, tolerance = rng.choice(["step", "step", "exchange", "often"]), 10.0 ** -rng.choice([2, 3, 4, 6, 8, 10])
        step = rng.choice([0.01, 0.02, 0.05, 0.1])
        played.append(Played(str(kind), "", float(tolerance), float(step), 12, 0, faults=False, values=values))
    return tuple(played)


def _wave(method: str, tolerance: float, step: float, *values: float, faults: bool) -> Played:
    return Played("step", method, tolerance, step, 4, values=tuple(zip("abcsf", values, strict=True)), faults=faults)


WAVES = (  # secants that lead before the step's start; true steps that their own pair refuses; an event that only the interpolant has
    _wave("", 0.01, 1.0, 0.540189, 0.840815, 191.341389, 0.637162, 50.0, faults=False),
    _wave("", 0.1, 0.1, 0.457679, 0.0100098, 1.961226, 0.33999, 3.0, faults=False),
    _wave("rk4", 0.01, 0.1, 0.8648013677, 0.000677216047, 2059.5841506753, 0.2194256985, 50.0, faults=True),
)
ALL_KINDS = tuple(map(Played, ("step", "event", "between", "shown", "exchange", "!step", "!exchange", "!event")))
METHODS_OF = tuple(Played("step", method) for method in ("rk4", "rodas5p", "real_time", "real_time_stiff", "automatic"))
CROSSING = (  # no derivatives: at a change point there are none
    *(Played(kind, step=0.01, count=5, derive=0) for kind in ("step", "between")),
    Played("event", "rodas5p", step=0.02, count=3, derive=0),
    Played("exchange", step=0.004, count=12, derive=0),
    Played("shown", step=0.003, count=10, derive=0),
    Played("often", step=0.002, count=16, derive=0, faults=False),
)
CHOICE = Played(
    "between", "automatic", step=5e-4, count=120, derive=0, faults=False
)  # looks beside a change point and within its gap
BESIDE = tuple(
    Played(kind, step=0.002, count=16, derive=derive, faults=False)
    for kind, derive in (("step", 0), ("exchange", 0), ("often", 2))
)
TURNED = tuple(
    Played(kind, step=0.0024, count=14, derive=0, turned=turned, faults=turned == 10)
    for kind in ("step", "often")
    for turned in (2, 9, 10, 11)
)
FALLING = Played(
    "exchange", step=0.01, count=250, faults=False, values=(("x", 1e-4), ("y", 1.0))
)  # drifts late, after many steps
SWEPT: dict[str, tuple[Callable[[], System], tuple[Played, ...]]] = {
    "Watch": (lambda: WATCH, (*ALL_KINDS, Played("step", "real_time"))),
    "Ball": (lambda: BALL, (*ALL_KINDS, *METHODS_OF)),
    "Latch": (lambda: LATCH, (*ALL_KINDS, *METHODS_OF)),
    "Oscillator": (
        lambda: OSCILLATOR,
        (
            *ALL_KINDS,
            *METHODS_OF,
            Played("between", step=1.0),
            Played("step", faults=False, values=(("position", 1e300),)),
            Played(
                "step", "automatic", 1e-10, 200.0, 2, 0, faults=False
            ),  # an implicit step is tried, and does not pay
        ),
    ),
    "Sampler": (lambda: SAMPLER, ALL_KINDS),
    "Relaxation": (lambda: RELAXATION, (*ALL_KINDS, *METHODS_OF)),
    "Pendulum": (lambda: PENDULUM, (*ALL_KINDS, *METHODS_OF, FALLING)),
    "Held": (lambda: HELD, (Played("step"), Played("step", turned=4), Played("step", "rodas5p"))),
    "Crossing": (
        linkage("Crossing", 1, -2.0, 0.05),
        (*CROSSING, CHOICE, Played("step", count=2), Played("exchange", count=2)),
    ),
    "Jumpy": (
        lambda: JUMPY,
        (
            Played("step", step=0.2),
            Played("step", "rk4", step=0.2),
            Played("step", "rodas5p", step=0.2),
            Played("exchange"),
        ),
    ),
    "Wavy": (lambda: WAVY, (*WAVES, *_waves(1, 100, faults=False), *_waves(2, 5))),
    "Graze": (
        lambda: GRAZE,
        tuple(
            Played("step", tolerance=10.0**-e, step=h, count=9, faults=e == 3)
            for e in range(1, 9)
            for h in (0.4, 1.0, 3.5)
        ),
    ),
    "Slow": (lambda: SLOW, (Played("step", count=12), Played("exchange", count=12, faults=False))),
    "AtFloor": (lambda: RESTING, (Played("exchange"),)),
    "Steep": (lambda: STEEP, (Played("step", "rodas5p"), Played("step", "automatic", count=1500, faults=False))),
    "Torn": (lambda: TORN, (Played("exchange"),)),
    "Changing": (lambda: CHANGING, (Played("step", "automatic", step=0.1, count=20),)),
    "Kicked": (lambda: KICKED, (Played("step"), Played("exchange"))),
    "Stuck": (lambda: STUCK, (Played("step", step=0.1), Played("exchange", step=0.1))),
    "Chain0": (lambda: chain(False), (Played("step", "rodas5p", count=4),)),
    "Chain1": (lambda: chain(True), (Played("step", "rodas5p", count=4),)),
    "Folded": (lambda: fold(load_text(FOLDED)), (Played("step"), Played("exchange", faults=False))),
    "Away": (  # from change points: where the number of rows changes there all the same
        linkage("Away", 1, -1.0, 0.8),
        (
            Played("step", step=0.05, count=3, derive=0),
            Played("step", "rk4", step=0.05, count=3, derive=0),
            Played("exchange", step=0.02, count=6, derive=0),
        ),
    ),
    "Resting": (
        linkage("Resting", 1, 1.086, -0.05),
        (
            *(Played("step", step=0.05, count=3, derive=0, values=_bars("", -0.05, rate)) for rate in (1.086, 1.1)),
            *_scattered(3, 200, ("",)),
        ),
    ),
    "Beside": (
        lambda: beside("Beside", SAMPLER, period=1e-3),
        (*BESIDE, Played("step", step=0.01, count=5, derive=0)),
    ),
    "BallBeside": (
        lambda: beside("BallBeside", BALL, height=0.5 * 9.81 * 0.025**2),
        (*BESIDE, Played("exchange", step=0.01, count=6, derive=0)),
    ),
    "Opened": (opened, tuple(Played(kind, step=0.005, count=9, derive=0) for kind in ("step", "often"))),
    "Locking": (locking, TURNED),
    "Pair": (pair, _scattered(1, 150, ("a", "b"))),
    "Still": (linkage("Still", 1, 0.01, 0.0), (Played("step", step=0.01, count=2, derive=0),)),
    "AtOnce": (
        linkage("AtOnce", 1, -2.0, 0.0),
        (*CROSSING, Played("step", count=1), Played("step", "real_time", count=2)),
    ),
    "Natural": (
        linkage("Natural", 1, -2.0, 0.05, NATURAL),
        (Played("step", step=0.01, count=5, derive=2), Played("exchange", step=0.01, count=5, derive=2)),
    ),
    "HingedPanel": (lambda: system_of("HingedPanel"), (Played("step", "rodas5p"), Played("between", count=4))),
}
