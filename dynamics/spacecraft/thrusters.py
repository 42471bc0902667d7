"""Thrusters of descriptions: a load, or a thruster that burns propellant of tanks, with a valve if it has a maximum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..loads.actuator import ThrusterValve
from ..loads.wrench import Thruster
from ..system.formula import Curve
from ..system.frame_text import INERTIAL, FrameText
from ..system.keys import PLACE, Declaration, Key, Resolver
from ..system.pieces import Piece, output
from ..tanks.burner import G0, BlowDown, Burner, Feed, Level
from ..tanks.propulsion import Propulsion
from ..tanks.tank import Tank
from .outputs import ZEROS, Instant


@dataclass(frozen=True)
class BurnerShown(Piece):
    """The outputs of a thruster that burns propellant."""

    burner: Burner
    terminal = "thruster"

    thrust_given = output("thrust that {self.name} gives, as its tanks press", "N", name="given_force")
    flow = output("propellant that {self.name} takes", "kg/s")

    @property
    def name(self) -> str:
        return self.burner.name

    def values(self, instant: Instant):
        jet = next(jet for jet in instant.moment.propelling.jets if jet.burner.name == self.name)
        return np.array([jet.thrust, jet.flow])


@dataclass(frozen=True)
class WithExhaust(Piece):
    """Momenta of craft and exhaust together, which only external forces change."""

    propulsion: Propulsion
    frame: FrameText = INERTIAL
    name: str = field(default="propulsion", init=False)

    # fmt: off
    momentum = output("momentum of craft and exhaust{self.frame.relative}, in axes of N", "N.s", ZEROS)
    angular_momentum = output("angular momentum of craft and exhaust about the origin of positions, in axes of N", "N.m.s", ZEROS)
    # fmt: on

    def values(self, instant: Instant):
        total, left, x = instant.flowing_totals, self.propulsion, instant.moment.x
        about = total.angular_momentum + cross(total.mass_center, total.momentum)
        return np.concatenate([total.momentum + x[left.exhaust_momentum], about + x[left.exhaust_angular_momentum]])


def make_thruster(table: Any, names: Resolver) -> list:
    found = names.place()
    burns = bool(table.tank)
    if not burns:
        for key in ("isp", "exhaust_velocity", "shares", "blow_down"):
            if key in names.given:
                names.missing("tank", f"{key} says how propellant is burnt")
        load = [] if found is None else [Thruster(names.signal, *found, table.direction)]
    else:
        load = [] if found is None else _burning(table, names, *found)
    if table.maximum is not None:
        rise, fall = (None, None) if burns else _lags(table)
        pulse = table.minimum_impulse
        if table.minimum_pulse is not None:
            pulse = table.minimum_pulse * table.maximum
            if table.minimum_impulse is not None:
                names.refused("minimum_pulse", "and minimum_impulse are both set; give one of them")
        return [*load, ThrusterValve(names.signal, table.maximum, pulse, rise, fall, table.on_off)]
    needing = ("minimum_impulse", "minimum_pulse", "on_off", *(() if burns else ("rise_time", "fall_time")))
    if any(getattr(table, key) for key in needing):
        names.missing(
            "maximum",
            "a shortest pulse, a rise and a fall need it" if not burns else "a shortest pulse and on_off need it",
        )
    return load


def _lags(table: Any) -> tuple[float | None, float | None]:
    fall = table.fall_time if table.rise_time is None else table.fall_time or table.rise_time
    return table.rise_time or fall, fall


def _burning(table: Any, names: Resolver, body: int, node: Any) -> list:
    """A thruster that draws from tanks, and its outputs."""
    tanks = [names.mounted("tank", f"tank.{each}", Tank) for each in table.tank]
    shares = table.shares or [1.0] * len(tanks)
    if len(shares) != len(tanks):
        names.expected("shares", f"one number per tank, {len(tanks)}")
    given = [key for key in ("isp", "exhaust_velocity", "blow_down") if getattr(table, key) is not None]
    if len(given) != 1:
        found = f"; found {' and '.join(given)}" if given else ""
        names.refused("tank", f"needs one of isp, exhaust_velocity and blow_down{found}")
    curves = names.curves_of("blow_down", 3) if table.blow_down is not None else None
    if table.blow_down is not None and table.maximum is None:
        names.missing("maximum", "blow_down tells the thrust of the full command")
    if len(given) != 1 or any(tank is None for tank in tanks) or len(shares) != len(tanks):
        return []
    if len({tank.name for tank in tanks}) < len(tanks):
        names.expected("tank", "each tank once")
        return []
    feeds = tuple(Feed(Level(tank, tank.name), share / sum(shares)) for tank, share in zip(tanks, shares, strict=True))
    blow_down = None
    if curves and table.maximum is not None:
        thrust, isp = curves
        if min(_values(thrust)) < 0.0 or min(_values(isp)) <= 0.0:
            names.refused(
                "blow_down", "has a negative thrust or an Isp that is not positive, expected fill, thrust [N], Isp [s]"
            )
        blow_down = BlowDown(_scaled(thrust, 1.0 / table.maximum), _scaled(isp, G0))
    burner = Burner(
        names.signal,
        body,
        node,
        table.direction,
        feeds,
        table.exhaust_velocity if table.isp is None else G0 * table.isp,
        *_lags(table),
        blow_down,
    )
    return [burner, BurnerShown(burner)]


def _values(curve: Curve) -> list[float]:
    return [float(curve.value(knot)) for knot in curve.knots]


def _scaled(curve: Curve, factor: float) -> Curve:
    return Curve(curve.knots, curve.coefficients * factor)


THRUSTER = Declaration("A force input at a place of a body, along `direction` (the direction in which it pushes the body). With `tank` it burns propellant.", {
    **PLACE,
    "direction": Key("axis", "direction in which it pushes, in the axes of its place"),
    "maximum": Key("positive", "largest thrust [N]; with it the thrust can't be negative", None),
    "on_off": Key("flag", "true: any command above 0 asks for the maximum", False),
    "minimum_impulse": Key("positive", "of the shortest pulse [N s]; needs a maximum", None),
    "minimum_pulse": Key("positive", "length of the shortest pulse at the maximum [s]; needs a maximum", None),
    "rise_time": Key("positive", "time constant with which thrust builds up [s]; needs a maximum, or a tank", None),
    "fall_time": Key("positive", "time constant with which it decays [s]; default rise_time", None),
    "tank": Key("name", "the tank that it draws from, or several", [], each=True),
    "shares": Key("positive", "of the flow, one per tank; default: equal shares", [], each=True),
    "isp": Key("positive", "specific impulse [s], by 9.80665 m/s²", None),
    "exhaust_velocity": Key("positive", "effective exhaust velocity [m/s]", None),
    "blow_down": Key("file", ".csv with three columns: fill of the first tank, thrust of the full command [N], Isp [s]", None),
}, make_thruster)  # fmt: skip
