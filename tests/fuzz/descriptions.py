"""Spoiled descriptions, seeded: python -m tests.fuzz.descriptions [ROUNDS [SEED ...]]

A description with pieces of every sort is parsed, its data are changed in one to three places, and written again: values of a wrong
sort or size, keys that are lost, renamed or taken from another description, names that collide, entries said twice. What comes
of it is sentences (`DescriptionError`), or a System whose start is refused by a sentence or whose rates are computed and whose first
steps succeed or fail by a sentence. Anything else, and more than SECONDS of CPU or MEMORY bytes, is a fault: printed with the text.
"""

from __future__ import annotations

import copy
import datetime
import math
import random
import re
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, MutableMapping
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.description.writer import toml_text
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.solver.step_length import StepFailed
from spacefmu.dynamics.system.evaluate import Refused, start
from spacefmu.dynamics.texts import parse_toml
from tests.cli.command import ROOT

SEEDS = (
    *(f"examples/{name}.toml" for name in (
        "tanks", "gyros", "segments", "deployed_tether", "electrodynamic_tether", "extending_boom", "roll_out_array", "slosh", "burning", "actuators_real", "joints",
        "couplings_separation", "couplings_beaded", "couplings_reel", "environment_perturbations", "environment_orbit", "force_elements", "sensors", "laws", "plate")),
    *(f"examples/keys/{name}.toml" for name in (
        "prescribed", "extending", "air", "air_file", "harmonics", "magnetic", "magnetic_file", "mars", "third_bodies", "time", "tle", "facets", "driven", "warm_boom",
        "couplings", "flexible", "inverse", "thermal", "craft", "attitude_controller")),
    *(f"fmu_src/catalogue/{name}.toml" for name in ("ApogeeBurn", "GyroSatellite", "Separation")),
)  # fmt: skip
SECONDS, MEMORY = 20.0, 4 << 30  # of CPU and bytes per description
LONGEST = 1500  # letters of a sentence
EVALUATIONS = 300  # per communication step: steps of spoiled models end there
HUGE = 10**400
WRONG = (
    0, 0.0, -1, -1.0, 7, 1e-310, 1e300, -1e300, 1e30, HUGE, 2**63, math.nan, math.inf, -math.inf, True, False,
    "", "x", "-z", "hub", "hub.frame", "30 deg", "1e999 deg", "../../x", "none.csv", "a" * 300, "ü", "a.b[1]", "%s\n<&>", "1.0",
    [], {}, [0.0], [0.0, 0.0, 0.0], [math.nan] * 3, [1e300] * 3, [-1.0, -1.0, -1.0], [1.0, 1.0], ["x", "y"], [[1.0, 0.0], [0.0, 1.0]], [[]], [{}],
    {"x": 1.0}, {"kind": "none"}, datetime.date(2024, 2, 29), datetime.datetime(9999, 12, 31, 23, 59, 59),
)  # fmt: skip
NAMES = (
    "hub",
    "system",
    "solver",
    "time",
    "frame",
    "environment",
    "orbit",
    "N",
    "x",
    "hub.frame",
    "1",
    "",
    "A" * 300,
    "ä b",
    "__class__",
    "int",
)
UNCLEAR = re.compile(r"Traceback|object at 0x|<class|NoneType|np\.|array\(|KeyError|lambda|\n|\\n.*\\n")


class TooLong(BaseException):
    """More than SECONDS of CPU: no `except Exception` takes it."""


def places(data: object) -> Iterator[tuple[MutableMapping | list, str | int]]:
    """(table or list, key or number) of everything in parsed TOML."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in list(entries):
        yield data, key
        yield from places(value)


def tables(data: dict) -> list[dict]:
    return [data, *(table[key] for table, key in places(data) if isinstance(table[key], dict))]


def spoiled(data: dict, others: list[dict], dice: random.Random) -> dict:
    data = copy.deepcopy(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        way = dice.choices(list(WAYS), WEIGHTS)[0]
        everywhere = list(places(data))
        numbers = [each for each in everywhere if isinstance(each[0][each[1]], int | float)]
        if everywhere := numbers if way is scaled and numbers else everywhere:
            way(data, *dice.choice(everywhere), others, dice)
    return data


def wrong(_, table, key, others, dice):
    table[key] = copy.deepcopy(dice.choice(WRONG))


def scaled(_, table, key, others, dice):
    if isinstance(table[key], int | float):
        table[key] = (
            table[key] * dice.choice((-1.0, 0.0, 1e-30, 1e-9, 1e-3, 0.5, 2.0, 1e3, 1e9, 1e30, 1e200))
            if abs(table[key]) < 1e300
            else 0.0
        )


def lost(_, table, key, others, dice):
    del table[key]


def renamed(data, table, key, others, dice):
    if isinstance(table, dict):
        names = [name for each in tables(data) for name in each]
        table[dice.choice(dice.choice((NAMES, names)))] = table.pop(key)
    else:
        table[key] = dice.choice(NAMES)


def swapped(data, table, key, others, dice):
    """A value of the same sort from elsewhere in the same description."""
    alike = [each[name] for each, name in places(data) if type(each[name]) is type(table[key])]
    table[key] = copy.deepcopy(dice.choice(alike))


def twice(data, table, key, others, dice):
    if isinstance(table, list):
        table.append(copy.deepcopy(table[key]))
    else:
        target = dice.choice(tables(data))
        target[dice.choice((key, f"{key}2", *NAMES[:5]))] = copy.deepcopy(table[key])


def grafted(data, table, key, others, dice):
    """A group of entries, an entry or a key of another description, where it would stand there."""
    source, target = dice.choice(others), data
    for _ in range(dice.randrange(1, 4)):
        name = dice.choice(list(source))
        deeper = isinstance(source[name], dict) and source[name] and isinstance(target.get(name), dict)
        if not deeper or dice.random() < 0.2:
            target[name] = copy.deepcopy(source[name])
            return
        source, target = source[name], target[name]
    target.update(copy.deepcopy(source))


WAYS = (wrong, scaled, lost, renamed, swapped, twice, grafted)
WEIGHTS = (2, 5, 1, 1, 3, 1, 2)  # most values of a wrong sort are refused at once


def said(end: str, *sentences: str) -> str:
    assert sentences
    for sentence in sentences:
        assert len(sentence) < LONGEST, sentence
        assert not UNCLEAR.search(sentence), sentence
    return end


def outcome(text: str, folder: Path) -> str:
    """Which of the allowed ends a description came to; AssertionError: another."""
    try:
        system = load_text(text, folder=folder)
    except DescriptionError as refused:
        return said("refused", *refused.problems)
    try:
        t, (x, u, k, d) = 0.0, start(system)
        solver = Solver(system)
        solver.place(t, x, u, k, d)
        for step in (1e-6, 1e-3):
            solver.advance(solver.t + step)
    except (Refused, StepFailed) as refused:
        return said("ended", str(refused))
    assert np.isfinite(solver.x).all(), "states are not finite"
    return "ran"


@cache
def _parsed() -> list[dict]:
    return [parse_toml((ROOT / each).read_text("utf-8")) for each in SEEDS]


def _too_long(*_):
    raise TooLong


def feed(seed: str, rounds: int, word: str = "", report=None) -> Counter[str]:
    """Outcomes of so many spoiled descriptions. report(text of the fault, description): called for each fault; without it the first one is raised."""
    others = _parsed()
    data, folder = others[SEEDS.index(seed)], (ROOT / seed).parent
    dice, found = random.Random(f"{seed} {word}"), Counter()
    signal.signal(signal.SIGPROF, _too_long)
    with warnings.catch_warnings(), patch("spacefmu.dynamics.solver.attempts.EVALUATION_LIMIT", EVALUATIONS):
        warnings.simplefilter("ignore")
        assert outcome(toml_text(data), folder) != "refused", seed
        for i in range(rounds):
            text = toml_text(spoiled(data, others, dice))
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                found[outcome(text, folder)] += 1
            except (Exception, TooLong) as fault:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
                if report is None:
                    raise AssertionError(
                        f"{seed} {word}, round {i}: {type(fault).__name__}: {fault}\n{text}"
                    ) from fault
                found["fault"] += 1
                report(f"{seed} {word}, round {i}: " + "".join(traceback.format_exception(fault)), text)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
    return found


def main() -> int:
    rounds, *words = sys.argv[1:] or ["100"]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    total: Counter[str] = Counter()
    for seed in [each for each in SEEDS if not words or any(word in each for word in words)]:
        found = feed(
            seed, int(rounds), "campaign", lambda fault, text: print(f"{fault}\n{text}\n{'-' * 100}", flush=True)
        )
        print(seed, dict(found), flush=True)
        total += found
    print(f"{sum(total.values())} descriptions: {dict(total)}")
    return 1 if total["fault"] else 0


if __name__ == "__main__":
    sys.exit(main())
