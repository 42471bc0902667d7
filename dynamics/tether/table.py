"""The cables of descriptions: one row per kind, with its keys in addition to its ends and its length."""

from __future__ import annotations

from typing import Any

from ..system.keys import ENDS, Declaration, Key, Keys, Kinds, Resolver
from .beaded import Beaded
from .cable import Cable
from .elastic import Elastic
from .reel import reel

SHORTEST = 1e-9  # [m]
REEL = {"reel": Key(Keys("Reel", "A reel drives the cable's length: input NAME.reel.acceleration.", {
    "rate": Key("number", "start of the length's rate [m/s]", 0.0),
}), "drives the length", None)}  # fmt: skip
SPRINGY = {
    "stiffness": Key("positive", "of the whole cable [N/m]"),
    "damping": Key("not negative", "of the whole cable [N s/m]", 0.0),
}


def _reeled(table: Any, names: Resolver) -> dict[str, Any]:
    """Name, ends, length and reel, the first arguments of all cables."""
    driven = table.reel and reel(names.name, table.length, table.reel.rate)
    a, b = names.ends()
    return {"name": names.name, "a": a, "b": b, "length": table.length, "reel": driven}


CABLES = {
    "inextensible": Declaration("keeps its length while taut", {
        "restitution": Key("fraction", "share of the speed that is given back when it tightens", 0.0),
        "nominal_tension": Key("positive", "scales its event indicator [N]", 1.0),
        **REEL,
    }, lambda table, names: Cable(**_reeled(table, names), restitution=table.restitution, nominal_tension=table.nominal_tension)),
    "elastic": Declaration("a massless spring and damper", {**SPRINGY, **REEL},
        lambda table, names: Elastic(**_reeled(table, names), stiffness=table.stiffness, damping=table.damping)),
    "beaded": Declaration("a chain of point masses", {
        **SPRINGY,
        "mass": Key("positive", "of all beads together [kg]"),
        "beads": Key("count", "how many", most=2000),
        **REEL,
    }, lambda table, names: Beaded(
        **_reeled(table, names), total_mass=table.mass, beads=table.beads, stiffness=table.stiffness, damping=table.damping)),
}  # fmt: skip
CABLE = Kinds("Cable", "cable", "A cable between two places that only pulls: inextensible, elastic, or a chain of beads.", {
    **ENDS,
    "length": Key("number", "without tension [m]", least=SHORTEST),
}, CABLES, default="inextensible")  # fmt: skip
