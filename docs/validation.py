"""Writes docs/validation.md: what agrees with what, measured as the page is made.   python -m docs.validation

Sections can be measured anew by themselves:   python -m docs.validation small_motions change_points

Every number of the page comes from a function here. The tests hold the same truths, and more of them, with their bounds.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

from spacefmu.dynamics.bodies.beam import bending_roots
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.spacecraft.structure import Spacecraft
from spacefmu.dynamics.system.evaluate import project, start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.report.figures import balances
from tests.check.counts import sentence

from .validation_tables import SECTIONS

PAGE = Path(__file__).parent / "validation.md"
SEED = 7
TEXTBOOK = (
    1.87510407,
    4.69409113,
    7.85475744,
    10.99554073,
)  # of a cantilever: Blevins, Formulas for Natural Frequency, table 8-1


def _near_the_start(name: str, size: float = 0.1):
    """A System at a state near its start, drawn at random."""
    system = api.load(name)
    x, u, k, d = start(system)
    random = np.random.default_rng(SEED)
    x = project(system, 0.0, x + size * random.normal(size=x.shape), u, k, d)
    return system, (0.0, x, u + random.normal(size=u.shape), k, d)


def recursion_against_kane(name: str) -> float:
    """Accelerations of a tree by the O(n) recursion and by Kane's equations: largest difference over the largest."""
    system, (t, x, u, k, d) = _near_the_start(name)
    craft: Spacecraft = system.made_by[1]
    dynamics = Dynamics(craft, system.signals)
    moment = dynamics.moment(t, x, u, k, d)
    v_dot = dynamics.recursive(moment)[0]
    M, right, _, _ = dynamics.kane(moment)
    given = np.zeros(len(v_dot), bool) if moment.known is None else np.asarray(moment.known) > 0.5  # by drives
    rates = np.where(given, 0.0 if moment.known_rates is None else moment.known_rates, 0.0)
    free = np.linalg.solve(M[np.ix_(~given, ~given)], (right - M @ rates)[~given])
    return float(np.abs(free - v_dot[~given]).max() / np.abs(v_dot).max())


def beam_against_textbook() -> float:
    """The first roots of a cantilever's frequency equation: largest relative difference."""
    return float(np.abs(np.array(bending_roots(len(TEXTBOOK))) / TEXTBOOK - 1.0).max())


def energy_balance(name: str) -> float:
    """Energies + losses − work of inputs and surroundings of the native FMU over its default experiment: largest change relative to the energy exchanged."""
    energy = balances(api.simulate(name))[0]
    return energy.largest / energy.scale


ROWS = (
    ("accelerations: O(n) recursion against Kane's equations [jin1991], FlexibleSatellite", lambda: recursion_against_kane("FlexibleSatellite"), "relative"),
    ("the same, SpaceManipulator", lambda: recursion_against_kane("SpaceManipulator"), "relative"),
    ("roots of a cantilever against a textbook (8 digits printed there)", beam_against_textbook, "relative"),
    ("energy balance of the native FMU over its default experiment, SpaceStation", lambda: energy_balance("SpaceStation"), "of the energy exchanged"),
    ("the same, FourBar (a closed loop)", lambda: energy_balance("FourBar"), "of the energy exchanged"),
    ("the same with the work of the surroundings, TetheredPair (an orbit, a cable that goes slack)", lambda: energy_balance("TetheredPair"), "of the energy exchanged"),
)  # fmt: skip


def page() -> str:
    """The page up to its sections."""
    rows = "\n".join(f"| {what} | {measure():.1e} | {unit} |" for what, measure, unit in ROWS)
    return f"""# Validation

`python -m docs.validation` measures the numbers on this page and writes it. Unless a row says otherwise, states are random, near the start.
`make test` checks these results against bounds, and more: `tests/laws` (conservation laws), `tests/papers` (one test per equation),
`tests/peers` (MuJoCo, SciPy; floats against symbols against C), `tests/fmi` (the standard).

| what | largest difference | |
|---|---|---|
{rows}

`spacefmu check` tests FMUs ([checking](check.md)): {sentence()}.

References outside this project are in the [record](record.md), which `spacefmu validate` reruns.

Speed is measured by `make bench`.
"""


def whole(parts) -> str:
    return "\n\n".join(part.strip() for part in parts) + "\n"


def renewed(text: str, names) -> str:
    """The page with the sections of these functions measured anew."""
    places = [section.__name__ for section in SECTIONS]
    first, *parts = re.split(r"(?m)^(?=## )", text)
    for name in names:
        if name not in places:
            raise ValueError(f"there is no section {name!r}, expected {', '.join(places)}")
        parts[places.index(name)] = SECTIONS[places.index(name)]()
    return whole([first, *parts])


if __name__ == "__main__":
    names = sys.argv[1:]
    written = (
        renewed(PAGE.read_text(encoding="utf-8"), names)
        if names
        else whole([page(), *(section() for section in SECTIONS)])
    )
    PAGE.write_text(written, encoding="utf-8")
    print(PAGE)
