"""Tanks of descriptions: a body that follows its propellant on its carrier, with slosh masses beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bodies.body import plain_node
from ..constraints.grip import End
from ..joints.forces import NoForces
from ..joints.kinds import AxesJoint
from ..system.keys import PLACE, Declaration, Key, Keys, Kinds, Resolver
from ..tanks.fill import AtOnePlace, Cylinder, Ellipsoid, Tabled, TankShape
from ..tanks.slosh import SloshHold, SloshMass
from ..tanks.slosh_table import SloshKeys, round_about_outlet, slosh_table
from ..tanks.tank import SloshMode, Tank
from ..tree.topology import Link
from .structure import LinkJoint
from .tank_share import TankShare
from .wheels import Mounted


def _slosh(table: Any, names: Resolver, shape: TankShape) -> tuple[SloshMode, ...]:
    """The modes of a tank's slosh; none if its description is invalid."""
    said = table.slosh
    if not round_about_outlet(shape):
        names.refused(
            "slosh", "needs a cylinder, a sphere, or an ellipsoid that is round about an outlet along one of its axes"
        )
        return ()
    if (said.damping is None) == (said.viscosity is None):
        names.refused("slosh", "needs either damping or viscosity")
        return ()
    if said.viscosity is not None and not isinstance(shape, Cylinder):
        names.refused("slosh.viscosity", "has a published correlation for cylinders only; give damping")
        return ()
    if said.viscosity is not None and not said.acceleration:
        names.missing("slosh.acceleration", "the correlation of damping needs it")
        return ()
    springs = said.kind == "spring"
    if springs and not said.acceleration and not said.surface_tension:
        names.missing("slosh.acceleration", "the stiffness of springs follows from it")
        return ()
    density = table.capacity / shape.volume
    keys = SloshKeys(
        said.modes, said.damping, said.viscosity, said.acceleration, said.surface_tension, density, springs
    )
    return slosh_table(shape, keys)


def _sloshing(tank: Tank, n: int, host: int, node: Any, names: Resolver, table: Any) -> list:
    """The mass of mode n on its bowl, and what holds it."""
    mode, signal, none = tank.slosh[n], f"{tank.name}.slosh[{n + 1}]", np.zeros(0)
    body = SloshMass(signal, tank, mode)
    start = np.array(table.slosh.position if n == 0 else (0.0, 0.0))
    joint = LinkJoint(signal, NoForces(2), start, np.zeros(2), none, none)
    bowl = body.bowl(tank.propellant.start / tank.capacity.start)
    number = names.next_link() + 1 + n  # behind the tank itself
    hold = SloshHold(body, signal, End(host, node), End(number, plain_node("mass", np.zeros(3))))
    return [Mounted(Link(body, bowl, host, node, np.eye(3)), joint), hold]


def _make(shape):
    """The maker of a kind of tank, of shape(table, names) → TankShape or None."""

    def make(table: Any, names: Resolver) -> list:
        found, made = names.place(), shape(table, names)
        if not table.propellant <= table.capacity:
            names.expected("propellant", f"at most the capacity, {table.capacity:g} kg")
        if not table.residual <= table.capacity:
            names.expected("residual", f"at most the capacity, {table.capacity:g} kg")
        if found is None or made is None:
            return []
        host, node = found
        signal = names.signal
        modes = _slosh(table, names, made) if table.slosh is not None else ()
        tank = Tank(signal, made, table.capacity, table.dry, table.residual, table.propellant, modes)
        none = np.zeros(0)
        link = Mounted(
            Link(tank, AxesJoint(), host, node, np.eye(3)), LinkJoint(signal, NoForces(0), none, none, none, none)
        )
        return [
            link,
            TankShare(tank),
            *(part for n in range(len(modes)) for part in _sloshing(tank, n, host, node, names, table)),
        ]

    return make


def _ellipsoid(table: Any, names: Resolver) -> TankShape:
    return Ellipsoid(tuple(table.semi_axes), table.outlet)


def _sphere(table: Any, names: Resolver) -> TankShape:
    return Ellipsoid((table.radius,) * 3, table.outlet)


def _cylinder(table: Any, names: Resolver) -> TankShape:
    return Cylinder(table.radius, table.length, table.outlet)


def _tabled(table: Any, names: Resolver) -> TankShape | None:
    curves = names.curves_of("table", 10)
    outlet = np.zeros(3) if table.outlet_place is None else np.array(table.outlet_place)
    return None if curves is None else Tabled(curves, outlet)


OUTLET = {"outlet": Key("axis", "the way the liquid settles, in the axes of its place; it leaves there")}
SLOSH = Keys("SloshTable", "Slosh as pendulums or spring-masses, one per mode, of the tank's shape and fill.", {
    "kind": Key(("pendulum", "spring"), "pendulum: felt acceleration holds each mass; spring: a spring does, whose stiffness is that at `acceleration`", "pendulum"),
    "modes": Key("count", "number of modes, lowest first", 1, most=3),
    "damping": Key("not negative", "damping ratio of each mode at `acceleration`", None),
    "viscosity": Key("positive", "kinematic viscosity [m²/s], in place of damping: the correlation of Mikishev and Dorozhkin for cylinders", None),
    "acceleration": Key("not negative", "along the axis, at which the damping ratio holds, and the stiffness of springs [m/s²]", 0.0),
    "surface_tension": Key("not negative", "[N/m]; what swings without acceleration", 0.0),
    "position": Key("number", "of the first mode's mass across the axis at the start, along its two axes [m]", (0.0, 0.0), count=(2, 2)),
})  # fmt: skip
TANKS = {
    "sphere": Declaration("a ball", {"radius": Key("positive", "inner radius [m]"), **OUTLET}, _make(_sphere)),
    "cylinder": Declaration("a cylinder along `outlet`, with flat ends", {
        "radius": Key("positive", "inner radius [m]"), "length": Key("positive", "inner length [m]"), **OUTLET}, _make(_cylinder)),
    "ellipsoid": Declaration("an ellipsoid", {"semi_axes": Key("positive", "along the axes of its place [m]", count=(3, 3)), **OUTLET}, _make(_ellipsoid)),
    "table": Declaration("by a table over the fill", {
        "table": Key("file", ".csv with ten columns: fill from 0 to 1, mass centre of the liquid from its place (3) [m], its inertia about that per kg, xx, yy, zz, xy, xz, yz (6) [m²]"),
        "outlet_place": Key("vector", "where the liquid leaves, from its place; default: there", None)}, _make(_tabled)),
    "point": Declaration("all propellant at its place, whatever the fill", {}, _make(lambda table, names: AtOnePlace())),
}  # fmt: skip
TANK = Kinds("Tank", "tank", "A tank: its propellant [kg] is a state, settled flat towards `outlet`; it does not reorient.", {
    **PLACE,
    "capacity": Key("positive", "propellant when it is full [kg]"),
    "propellant": Key("not negative", "at the start [kg]"),
    "dry": Key("not negative", "mass of the empty tank, a thin even wall [kg]", 0.0),
    "residual": Key("not negative", "propellant that can't be drawn [kg]", 0.0),
    "slosh": Key(SLOSH, "modes of slosh; default: the liquid is at rest in its tank", None),
}, TANKS)  # fmt: skip
