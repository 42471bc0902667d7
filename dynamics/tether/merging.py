"""Events at the reel: a bead is born or merges, or the reel stops. The missing momentum and angular momentum become impulses (deployed.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import both, maximum, minimum, where
from ..constraints.connection import View
from .outlet import Leaving, Stock, leaving

CUT = 2.0  # the reel is stopped, for good


@dataclass(frozen=True)
class Change:
    """How many beads are out, whether the reel is stopped; length and rate of the segment at the outlet, place and velocity (3,) of its bead; own states before impulses; impulse on
    that bead (3,), and on the host at the outlet (6,) with what the bead leaves it. `born` (N,), `gone` (N,), `begins` (N,): 1 for the bead that is born, that merges,
    and that is the first after a merger."""

    count: Any
    stop: Any
    length: Any
    rate: Any
    place: Any
    velocity: Any
    states: Any
    impulse: Any
    pulse: Any
    born: Any
    gone: Any
    begins: Any

    def pulling(self, pulls, merged):
        """Which segments pull, from `pulls` before: both halves of one that did, and the merged one if `merged` is 1."""
        after = [*pulls[1:], 0.0]
        born, gone, begins = ([*own, 0.0] for own in (self.born, self.gone, self.begins))
        each = zip(pulls, after, born, gone, begins, strict=True)
        return [
            where(new > 0.5, outer, where(old > 0.5, 0.0, where(merging > 0.5, merged, own)))
            for own, outer, new, old, merging in each
        ]


def changed(tether: Any, view: View, g: Any, whole: Any) -> Change:
    """g (4,): indicators of a birth, of a merger, of the stops at full and at the least length; whole: 0 from a cut on."""
    N, reel, x = tether.beads, tether.reel, view.x
    line, (stock, seen) = tether._line(view), tether._outlet(view)
    count, h = view.d[tether.beads_out], reel.part
    is_born = where(both(g[0] <= 0.0, count < N - 0.5), 1.0, 0.0)
    merges = where(both(g[1] <= 0.0, count > 1.5), 1.0, 0.0)
    stop = where(g[2] <= 0.0, 1.0, where(g[3] <= 0.0, -1.0, 0.0))
    rate = x[reel.rate]
    rate = whole * where(stop > 0.5, minimum(rate, 0.0), where(stop < -0.5, maximum(rate, 0.0), rate))
    stop = whole * stop + (1.0 - whole) * CUT
    length = stock.length + h * (merges - is_born)
    outer = np.array([*line.first[1:], 0.0])
    born, gone, begins = is_born * outer, merges * line.first, merges * np.array([0.0, *line.first[:-1]])
    places, velocities = x[tether.bead_position], x[tether.bead_velocity]
    o, v = view.a.position, view.a.velocity
    middle = o + 0.5 * seen.d, v + seen.middle
    moved = [
        [where(b > 0.5, mid, where(c > 0.5, stowed, own)) for own, b, c in zip(all_, born, gone, strict=True)]
        for all_, mid, stowed in ((places, middle[0], o), (velocities, middle[1], v))
    ]
    starts = born + begins + (1.0 - is_born - merges) * line.first
    place, velocity = (starts @ np.array(own) for own in moved)
    now = tether.spool.stock(view.k, length, rate)
    after = leaving(now, place - o, velocity - v)
    P, H = _lacking(_held(stock, seen, merges, 0.0), _held(now, after, 0.0, is_born, seen), v - _drift(view))
    due = where(is_born + merges + where((rate - stock.rate) ** 2 > 0.0, 1.0, 0.0) > 0.5, 1.0, 0.0)
    # a reel that stops does not change the first bead's momentum ½b u_m + m v_1; the momentum missing along the line at a merger goes to the bead
    along = where(is_born + merges > 0.5, P, 0.5 * stock.middle * (seen.middle - after.middle))
    impulse, pulse = _impulses(now, after.d, due * P, due * H, due * along)
    states = np.concatenate([[x[reel.position], rate, length], np.ravel(moved[0]), np.ravel(moved[1])])
    return Change(
        count + is_born - merges, stop, length, rate, place, velocity, states, impulse, pulse, born, gone, begins
    )


def _drift(view: View):
    """Velocity of the mass centre of all (3,)."""
    whole = view.whole()
    return whole.momentum / whole.mass


def _held(stock: Stock, seen: Leaving, merges, is_born, before: Leaving | None = None):
    """(mass, place from the outlet, velocity from it) of what an event may change; `before`: the segment in whose middle a bead is born."""
    new = seen if before is None else before
    return [
        (stock.end, np.zeros(3), seen.out),
        (stock.middle, 0.5 * seen.d, seen.middle),
        (merges * stock.bead, seen.d, seen.d_dot),
        (is_born * stock.bead, 0.5 * new.d, new.middle),
    ]


def _lacking(before, after, faster):
    """Momentum, and angular momentum about the outlet of velocities from the mass centre's, that `after` lacks; `faster` (3,): the outlet's own."""
    P, H = np.zeros(3), np.zeros(3)
    for sign, parts in ((1.0, before), (-1.0, after)):
        for mass, place, velocity in parts:
            P, H = P + sign * mass * velocity, H + sign * mass * cross(place, velocity + faster)
    return P, H


def _impulses(stock: Stock, d, P, H, along):
    """On the first bead (3,), with `along` along the line, and on the host at the outlet (6,) less the bead's share."""
    squared = d @ d
    on_bead = (cross(H, d) + (along @ d) * d) / squared
    couple = (H @ d) * d / squared
    return on_bead, np.concatenate([P - on_bead - stock.share * on_bead, couple])
