"""Tables of couplings, relations, conditions, cables, springs and pairs → connections."""

from __future__ import annotations

import numpy as np

from ..bodies.body import plain_node
from ..constraints import KINDS, Condition, Coupling, HeldFormula, Switch, relation
from ..constraints.coupling import axes_along
from ..constraints.drive import Drive
from ..constraints.force_elements import LineSpring, WrenchPair
from ..constraints.formula import names_in
from ..constraints.grip import End
from ..joints.coordinates import mode_states
from ..tether import Beaded, Cable, Elastic
from ..tether.reel import reel
from .bodies import find_place
from .formula import Names, make_formula, start_value
from .resolver import JointAxes

SPACE = End(-1, plain_node("space", np.zeros(3)))
# what each kind of cable takes beside its ends and its length: needed, optional
CABLE_KEYS = {
    "inextensible": ((), ("restitution", "nominal_tension", "reel")),
    "elastic": (("stiffness",), ("damping", "reel")),
    "beaded": (("stiffness", "mass", "beads"), ("damping", "reel")),
}
SWITCHING = ("closed", "capture", "latch")


def make_couplings(table, index, bodies, links, joints, axes: JointAxes, problems) -> list:
    """All connections, in the order of the description."""
    rows: list = []
    for name, entry in table.couplings.items():
        rows.append(_coupling(name, entry, axes, _ends(f"couplings.{name}", entry, index, bodies, problems), problems))
    for name, entry in table.relations.items():
        rows.append(_relation(name, entry, axes, problems))
    if table.conditions:
        names = _names(links, joints)
        rows += [_condition(name, entry, names, problems) for name, entry in table.conditions.items()]
    for name, entry in table.cables.items():
        rows.append(_cable(name, entry, _ends(f"cables.{name}", entry, index, bodies, problems), problems))
    for name, entry in table.springs.items():
        rows.append(_spring(name, entry, _ends(f"springs.{name}", entry, index, bodies, problems), problems))
    for name, entry in table.pairs.items():
        rows.append(WrenchPair(name, *_ends(f"pairs.{name}", entry, index, bodies, problems)))
    return rows


def _ends(path, entry, index, bodies, problems) -> tuple[End, End]:
    def end(key) -> End:
        name, place = getattr(entry, key), getattr(entry, f"place_{key}")
        if name == "space":
            return End(-1, plain_node("space", np.zeros(3) if place is None else place))
        found = find_place(path, name, place, bodies, problems, (key, f"place_{key}"))
        return SPACE if found is None else End(index[found[0]], found[1])

    if entry.a.split(".")[0] == entry.b.split(".")[0]:
        problems.add(f"{path}.b", entry.b, f"a place on another body than a = {entry.a!r}")
    return end("a"), end("b")


def _coupling(name, entry, axes: JointAxes, ends: tuple[End, End], problems) -> Coupling:
    path, kind = f"couplings.{name}", KINDS[entry.kind]
    for key in ("axis_b", "length", "radius"):
        if (
            key in kind.takes
            and getattr(entry, key) is None
            and not (key == "length" and (entry.driven or entry.switched))
        ):
            problems.found.append(f"{path}.{key} is missing: a {entry.kind} coupling has one")
        elif key != "axis_b" and key not in kind.takes and getattr(entry, key) is not None:
            problems.add(f"{path}.{key}", getattr(entry, key), f"nothing: a {entry.kind} coupling has none")
    for key in SWITCHING:
        if getattr(entry, key) and not entry.switched:
            problems.add(f"{path}.{key}", getattr(entry, key), "switched = true beside it")
    if entry.driven and (kind.rows > 1 or entry.switched):
        problems.add(f"{path}.driven", entry.kind, "a kind of one condition that is not switched")
    axes_a = axes_along(entry.axis)
    aligned = len(kind.squares) == 3
    axes_b = np.array(entry.orientation).T @ axes_a if aligned else axes_along(entry.axis_b or entry.axis)
    switch = None
    if entry.switched:
        switch = Switch(entry.closed, entry.capture, _latch(path, entry.latch, axes, problems))
    unit = "rad" if kind.spins else "m"
    start = entry.length if entry.driven and entry.length else None
    drive = entry.driven and Drive(f"{name}.drive", "position", unit, start or entry.driven.position, entry.driven.rate)
    return Coupling(name, *ends, kind, axes_a, axes_b, entry.length or entry.radius or 0.0, switch, drive)


def _latch(path, latch, axes: JointAxes, problems):
    """(state name, value, side): the side from which the joint's start reaches the value."""
    if latch is None:
        return None
    found = axes.find(f"{path}.latch.joint", latch.joint, problems)
    if found is None:
        return None
    coordinate, _, start = found
    return coordinate, latch.at, 1.0 if start < latch.at else -1.0


def _relation(name, entry, axes, problems) -> Condition | HeldFormula:
    path, terms = f"relations.{name}", []
    for key, ratio in entry.terms.items():
        found = axes.find(f"{path}.terms", key, problems)
        if found is not None:
            terms.append((found[0], found[1], ratio))
    drive = entry.driven and Drive(f"{name}.drive", "position", "rad", entry.driven.position, entry.driven.rate)
    return relation(name, (SPACE, SPACE), terms, entry.offset, entry.level == "position", drive)


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


def _spring(name, entry, ends: tuple[End, End], problems) -> LineSpring:
    if not (entry.stiffness or entry.damping or entry.force):
        problems.found.append(f"springs.{name} does nothing, expected a stiffness, a damping, or force = true")
    return LineSpring(name, *ends, entry.length, entry.stiffness, entry.damping, entry.force)


def _cable(name, entry, ends, problems):
    path = f"cables.{name}"
    needed, optional = CABLE_KEYS[entry.kind]
    for key in ("restitution", "nominal_tension", "stiffness", "damping", "mass", "beads", "reel"):
        if key in needed and getattr(entry, key) is None:
            problems.found.append(f"{path}.{key} is missing: cable {name} is {entry.kind}")
        elif key in entry.model_fields_set and key not in (*needed, *optional):
            problems.add(f"{path}.{key}", getattr(entry, key), f"nothing: cable {name} is {entry.kind}")
    driven = entry.reel and reel(name, entry.length, entry.reel.rate)
    damping = entry.damping or 0.0
    if entry.kind == "elastic":
        return Elastic(name, *ends, entry.length, driven, entry.stiffness or 1.0, damping)
    if entry.kind == "beaded":
        mass, beads = entry.mass or 1.0, entry.beads or 1
        return Beaded(name, *ends, entry.length, driven, mass, beads, entry.stiffness or 1.0, damping)
    return Cable(name, *ends, entry.length, driven, entry.restitution, entry.nominal_tension)
