"""Tables of couplings, relations, conditions, cables, springs and pairs → connections."""

from __future__ import annotations

from typing import Any

from ..constraints import Condition, HeldFormula, relation
from ..constraints.drive import Drive
from ..constraints.force_elements import PAIR, SPRING
from ..constraints.formula import names_in
from ..constraints.table import COUPLING
from ..joints.coordinates import mode_states
from ..tether.table import CABLE
from .formula import Names, make_formula, start_value
from .resolver import SPACE, Entry, Places

# makers of connections by the group of a description
CONNECTIONS: dict[str, Any] = {"couplings": COUPLING, "cables": CABLE, "springs": SPRING, "pairs": PAIR}


def make_couplings(table, places: Places, links, joints, problems) -> list:
    """All connections, group by group in the order of the description."""

    def made(group: str) -> list:
        make = CONNECTIONS[group].make
        return [
            make(entry, Entry(f"{group}.{name}", entry, problems, places))
            for name, entry in getattr(table, group).items()
        ]

    rows = made("couplings")
    for name, entry in table.relations.items():
        rows.append(_relation(entry, Entry(f"relations.{name}", entry, problems, places)))
    if table.conditions:
        names = _names(links, joints)
        rows += [_condition(name, entry, names, problems) for name, entry in table.conditions.items()]
    return [*rows, *made("cables"), *made("springs"), *made("pairs")]


def _relation(entry, names: Entry) -> Condition | HeldFormula:
    found = [(names.axis("terms", key), ratio) for key, ratio in entry.terms.items()]
    terms = [(axis[0], axis[1], ratio) for axis, ratio in found if axis is not None]
    drive = entry.driven and Drive(f"{names.name}.drive", "position", "rad", entry.driven.position, entry.driven.rate)
    return relation(names.name, (SPACE, SPACE), terms, entry.offset, entry.level == "position", drive)


def _names(links, joints) -> Names:
    """All coordinates and all speeds of the tree, as the states have them."""
    coordinates, speeds = [], []
    for link, joint in zip(links, joints, strict=True):
        modes = mode_states(link.body.name, link.body.modes, joint.eta0, joint.eta_dot0)
        for q, v in (link.joint.states(joint.name, joint.q0, joint.v0), modes):
            coordinates += [entry for state in q for entry in state.entries()]
            speeds += [entry for state in v for entry in state.entries()]
    return Names({q.name: float(q.start) for q in coordinates}, tuple(v.name for v in speeds))


def _condition(name, entry, names: Names, problems) -> Condition | HeldFormula:
    path = f"conditions.{name}"
    for key in ("constants", "let"):
        for own in getattr(entry, key).keys() & {"time", "pi", "multiplier"}:
            problems.add(f"{path}.{key}", own, "another name: this one has a meaning")
    for own in entry.let.keys() & entry.constants.keys():
        problems.add(f"{path}.let", own, "another name: it is one of the constants")
    known = Names(names.values | entry.constants | {"time": 0.0}, names.speeds)
    terms, let = [], []
    for part, text in entry.let.items():
        tree = make_formula(f"{path}.let.{part}", text, known, problems)
        let.append((part, tree))
        known = Names(known.values | {part: start_value(tree, known)}, known.speeds)
    constants = tuple((own, f"constant {own} of condition {name}", value) for own, value in entry.constants.items())
    if (entry.terms is None) == (entry.position is None):
        found = "neither terms nor position" if entry.terms is None else "both terms and position"
        problems.found.append(f"{path} has {found}, expected one of them")
    elif entry.position is not None:
        if entry.drift != 0.0:
            problems.add(f"{path}.drift", entry.drift, "nothing beside position: time may stand in its formula")
        tree = make_formula(f"{path}.position", entry.position, known, problems)
        named = sorted(
            set().union(*(names_in(each) for each in (tree, *(part for _, part in let)))) & names.values.keys()
        )
        return HeldFormula(name, SPACE, SPACE, tree, tuple(named), constants, tuple(let), said=f"{path}.position")
    for speed, text in (entry.terms or {}).items():
        if speed not in names.speeds:
            problems.unknown(f"{path}.terms", speed, names.speeds, "speed")
        terms.append((speed, make_formula(f'{path}.terms."{speed}"', text, known, problems)))
    drift = make_formula(f"{path}.drift", entry.drift, known, problems)
    return Condition(name, SPACE, SPACE, tuple(terms), drift, constants, tuple(let))
