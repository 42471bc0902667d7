"""Divisions by the same number become products with its reciprocal: a division takes as long as four products and more, in a chain three times that.

Equations have vectors over their length, and series with a number under every term, as papers have them. In what runs at every evaluation
one division is left for each number. Proved by tests/fmi/test_reciprocals.py.
"""

from __future__ import annotations

import re
from collections import Counter

_ASSIGNED = re.compile(r"^  (?P<name>a\d+)=(?P<value>.*);$")
_DIVISION = re.compile(r"\((?P<above>a\d+)/(?P<below>a\d+)\)")
_NUMBER = re.compile(r"-?\d\.\d+e[+-]\d+|-?\d+\.")


def with_reciprocals(text: str) -> str:
    """CasADi's C of one flat function. A name is given again and again to other values: what counts is where it was given last."""
    lines = text.split("\n")
    below: dict[int, int | str] = {}  # line with a division → the line that gave its denominator, or the number itself
    given: dict[str, int | str] = {}
    for i, line in enumerate(lines):
        if not (assigned := _ASSIGNED.match(line)):
            continue
        if division := _DIVISION.fullmatch(assigned["value"]):
            below[i] = given[division["below"]]
        given[assigned["name"]] = assigned["value"] if _NUMBER.fullmatch(assigned["value"]) else i
    uses = Counter(below.values())
    names: dict[int, str] = {}
    for i, denominator in below.items():
        division = _DIVISION.search(lines[i])
        if isinstance(denominator, str):
            factor, before = f"(1./{denominator})", ""
        elif uses[denominator] == 1:
            continue
        elif denominator in names:
            factor, before = names[denominator], ""
        else:
            factor = names[denominator] = f"per{len(names)}"
            before = f"  const casadi_real {factor}=1./{division['below']};\n"
        lines[i] = before + lines[i].replace(division.group(), f"({division['above']}*{factor})")
    return "\n".join(lines)
