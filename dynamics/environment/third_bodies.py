"""Sun, Moon and planets as third bodies: their attraction of the craft less that of the planet, which falls toward them itself.

    g(R) = −μ [(R − s)/|R − s|³ + s/s³]      s from the planet to the body

in the closed form of a difference (attraction.py), with H = μ/q³ (E − 3eeᵀ), q e = R − s. The place s(t) is polynomials (over_time.py) over a `span` from time 0,
fitted at build to a series (ephemeris.py) or to a file (ephemeris_file.py); after the span the body stands still. Proved by tests/environment/test_third_bodies.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..algebra.rotation import E3
from ..system.keys import Key, Resolver
from ..system.pieces import Declared, parameter
from ..system.signals import Parameter
from .attraction import differential_attraction
from .ephemeris import MU, seen_from
from .epoch import DAY
from .expansion import FieldExpansion, Weak
from .frames import Sky
from .gravity import Falling
from .over_time import OverTime, fitted
from .surrounding import SeveralPieces, Surrounding
from .turning import Turning

GOOD = 1e-9  # of a place, by its distance
LONGEST = 400.0 * DAY


@dataclass(frozen=True)
class ThirdBody(Weak):
    """`body`: its name; `path`: its place [m] over time, in N."""

    body: str
    mu: Declared[Parameter] = parameter("gravitational parameter of the {self.body}", "m3/s2", 0.0, name="{self.body}.mu", min=0.0)  # fmt: skip
    path: OverTime | None = None

    def place(self, t, k):
        """Position [m] and velocity [m/s] (3,) from the planet's centre, in N."""
        assert self.path is not None
        return self.path.at(t)

    def seen(self, R, sky: Sky, k) -> FieldExpansion:
        s, _ = sky.others[self.body]
        mu, away = k[self.mu], R - s
        distance2 = away @ away
        size = mu / (distance2 * np.sqrt(distance2))
        return FieldExpansion(R, differential_attraction(mu, -s, R)[0], size * (E3 - 3.0 * np.outer(away, away) / distance2))  # fmt: skip

    def fall(self, R, V, sky: Sky, k) -> Falling:
        here = self.seen(R, sky, k)
        s, s_dot = sky.others[self.body]
        return Falling(here.g, -here.H @ (V - s_dot) - _tide(k[self.mu], s, s_dot))


def _tide(mu, s, s_dot):
    """Rate of μ s/s³."""
    square = s @ s
    return mu / (square * np.sqrt(square)) * (s_dot - 3.0 * (s @ s_dot) / square * s)


def _path(turning: Turning, body: str, table: Any, file: Path | None) -> OverTime:
    """Place of a body in N over the span, of the series or of a file."""
    from .ephemeris_file import places  # not carried by Python FMUs, which have the polynomials

    series = partial(seen_from, turning.planet, body)
    place = (
        series if file is None else places(file, turning.planet, body, turning.days, turning.days + table.span / DAY)
    )
    return fitted(lambda t: turning.from_GCRF(place(turning.days + t / DAY)), 0.0, table.span, GOOD)


def make_third_bodies(table: Any, names: Resolver) -> SeveralPieces | None:
    turning = names.environment.medium(Turning)
    if turning is None:
        names.does_nothing("a table environment.time, which has the date")
        return None
    file = None if table.file is None else names.file("file")
    found = []
    for body in table.bodies:
        if body == turning.planet or (body == "moon" and turning.planet != "earth"):
            names.expected("bodies", f"bodies that pull at what is near {turning.planet}", body)
            continue
        try:
            found.append(ThirdBody(body, MU[body], _path(turning, body, table, file)))
        except ValueError as error:
            names.refused("file", f"{table.file} {error}")
            break
    return SeveralPieces(tuple(found))


THIRD_BODIES = Surrounding("Sun, Moon and planets pull at the craft, by their places at the date of environment.time.", {
    "bodies": Key(tuple(body for body in MU if body != "earth"), "that pull", ["sun", "moon"], each=True),
    "file": Key("file", "their places in place of series: an SPK kernel (.bsp, as DE440), or an OEM of one body", None),
    "span": Key("positive", "time over which their places are known [s]; after it they stand still", 30.0 * DAY, most=LONGEST),
}, make_third_bodies, "pull of Sun, Moon and planets")  # fmt: skip
