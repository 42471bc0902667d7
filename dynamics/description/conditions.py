"""Conditions of descriptions given by formulas, which are parsed here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..constraints import Condition, HeldFormula
from ..constraints.relation import SPACE
from ..system.formula import names_in
from ..system.keys import TABLES, Declaration, Key
from .formula import Names, make_formula, start_value

if TYPE_CHECKING:
    from .resolver import Entry


def make_condition(entry: Any, at: Entry) -> Condition | HeldFormula:
    name, path, problems, names = at.name, at.path, at.problems, at.places.coordinates
    for key in ("constants", "let"):
        for own in getattr(entry, key).keys() & {"time", "pi", "multiplier"}:
            problems.add(f"{path}.{key}", own, "another name: this one is reserved")
    for own in entry.let.keys() & entry.constants.keys():
        problems.add(f"{path}.let", own, "another name: it is one of the constants")
    known = Names(names.values | entry.constants | {"time": 0.0}, names.speeds, at.curves())
    terms, let = [], []
    for part, text in entry.let.items():
        tree = make_formula(f"{path}.let.{part}", text, known, problems)
        let.append((part, tree))
        known = replace(known, values=known.values | {part: start_value(tree, known)})
    constants = tuple((own, f"constant {own} of condition {name}", value) for own, value in entry.constants.items())
    if (entry.terms is None) == (entry.position is None):
        found = "neither terms nor position" if entry.terms is None else "both terms and position"
        problems.found.append(f"{path} has {found}, expected one of them")
    elif entry.position is not None:
        if entry.drift != 0.0:
            problems.add(f"{path}.drift", entry.drift, "nothing with position, whose formula may contain time")
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


CONDITION = Declaration('Σ coefficient × speed + drift = 0, keys are speeds among the states: "arm.rate", "hub.velocity[1]"; or position = 0.', {
    "terms": Key("formulas by text", "coefficient of each speed", None),
    "position": Key("formula", "instead of terms: a formula in coordinates and time that is held at zero", None),
    "drift": Key("formula", "drift added to the sum", 0.0),
    "constants": Key("numbers by name", "numbers by name, which are FMU parameters", {}),
    "let": Key("formulas by name", "subexpressions of formulas by name; each may use those before it", {}),
    **TABLES,
}, make_condition)  # fmt: skip
