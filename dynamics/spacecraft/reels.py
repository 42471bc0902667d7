"""Cables of descriptions that need more than their ends: deployed cables with mass, whose stowed part is a body at the outlet, and cables in air and magnetic
field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..bodies.body import plain_node
from ..constraints.grip import End
from ..environment.air import AirMotion
from ..environment.magnetic import MagneticField
from ..joints.forces import NoForces
from ..joints.kinds import AxesJoint
from ..system.keys import Declaration, Key, Keys, Resolver
from ..tether.beaded import Beaded
from ..tether.cut import CUT, Cutter
from ..tether.deployed import Deployed
from ..tether.exposed import Exposure
from ..tether.spool import MERGED, Reel, Spool
from ..tether.table import CABLE, CABLES, SPRINGY
from ..tree.topology import Link
from .structure import LinkJoint
from .wheels import Mounted

REEL = Keys("MassReel", "The reel at end a: input NAME.reel.acceleration, or NAME.reel.pull of a drum that the tether turns.", {
    "rate": Key("number", "start of the length's rate [m/s]", 0.0),
    "drum_mass": Key("not negative", "moment of inertia of the empty drum over its radius squared [kg]", 0.0),
    "brake": Key("flag", "true: the tether turns the drum, and the input NAME.reel.pull [N] holds it", False),
})  # fmt: skip


def make_deployed(table: Any, names: Resolver) -> list:
    part = table.full_length / (table.beads + 1)
    shortest = (0.5 + MERGED) * part
    if not table.least_length >= shortest:
        names.expected("least_length", f"at least {shortest:.6g} m, 7/6 of a part of full_length/(beads + 1)")
    if not max(table.least_length, 1.5 * part) <= table.length <= table.full_length:
        lower = max(table.least_length, 1.5 * part)
        names.expected("length", f"between {lower:.6g} m, least_length and 3/2 of a part, and full_length")
    if table.a == "space":
        names.expected("a", "a body: its reel carries what is stowed")
    a, b = names.ends()
    reel = Reel(
        f"{names.name}.reel",
        "length",
        "m",
        table.length,
        table.reel.rate,
        table.full_length,
        table.beads,
        table.reel.brake,
    )
    spool = Spool(f"{names.name}.spool", reel, table.mass, table.reel.drum_mass)
    none = np.zeros(0)
    link = Link(spool, AxesJoint(), max(a.body, 0), a.node, np.eye(3))
    mounted = Mounted(link, LinkJoint(spool.name, NoForces(0), none, none, none, none))
    outlet = End(names.next_link(), plain_node("outlet", np.zeros(3)))
    own = names.name, outlet, b, spool, table.least_length, table.stiffness, table.damping
    return [mounted, Deployed(*own, **exposed(table, names))]


DEPLOYED = Declaration("a chain of point masses that leaves a reel at a, or is wound in; `length` is out at the start", {
    **{key: replace(own, text=own.text.replace("whole cable", "whole cable at full length")) for key, own in SPRINGY.items()},
    "mass": Key("positive", "of the whole cable, stowed and out [kg]"),
    "beads": Key("count", "at full length", most=2000),
    "full_length": Key("positive", "of the whole cable without tension [m]; the reel stops there"),
    "least_length": Key("positive", "the reel stops there, too [m]"),
    "reel": Key(REEL, "at a; what is stowed is carried there"),
}, make_deployed)  # fmt: skip
EXPOSED = {
    "drag": Key(Keys("CableDrag", "The cable in the environment's air: a thin cylinder in free molecular flow.", {
        "diameter": Key("positive", "[m]"),
        "coefficient": Key("not negative", "drag coefficient", 2.2),
    }), "in the air of the environment", None),
    "current": Key("number or flag", "true, or the start value of the input (true: 0 A): the input NAME.current flows along it in the magnetic field of the environment; output NAME.emf [V]", False),
    "cut": Key(CUT, "cuts it, by time or by an input", None),
}  # fmt: skip


PLAIN = CABLES["beaded"]


def exposed(table: Any, names: Resolver) -> dict[str, Any]:
    """The loads along a cable with mass, and its cut."""
    air, magnetic = names.environment.medium(AirMotion), names.environment.medium(MagneticField)
    if table.drag is not None and air is None:
        names.refused("drag", "requires a table environment.air")
    flows = table.current is not False
    if flows and magnetic is None:
        names.refused("current", "requires a table environment.magnetic")
    sizes = {} if table.drag is None else {"diameter": table.drag.diameter, "drag": table.drag.coefficient}
    start_current = 0.0 if table.current is True else float(table.current)
    around = Exposure(names.name, air if sizes else None, magnetic if flows else None, start_current, **sizes)
    cutter = None if table.cut is None else Cutter(names.name, table.cut.at, table.cut.time)
    exposure = around if around.air is not None or around.magnetic is not None else None
    return {"exposure": exposure, "cutter": cutter}


def make_beaded(table: Any, names: Resolver) -> Beaded:
    return replace(PLAIN.make(table, names), **exposed(table, names))


BEADED = replace(PLAIN, keys={**PLAIN.keys, **EXPOSED}, make=make_beaded)
CABLES["beaded"] = BEADED
CABLES["deployed"] = replace(DEPLOYED, keys={**DEPLOYED.keys, **EXPOSED})
CABLE_OR_REEL = CABLE  # with the rows above
