"""Every function that can fail does so once on each path of callers, under AddressSanitizer and UBSan: no call crashes, hangs, leaks or gives
a number that is not finite, whatever fails below it (sweep.c)."""

from __future__ import annotations

import pytest

from tests.fuzz.models import APART
from tests.fuzz.programs import lanes, parts, program, sweep
from tests.fuzz.sweeps import SWEPT, Played
from tests.systems_small import OSCILLATOR, PENDULUM


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of all programs: those with the same options have one runtime."""
    return tmp_path_factory.mktemp("swept")


def play(name: str, folder, runs) -> tuple[int, int]:
    """Paths of callers, and runs with a fault."""
    swept = program(SWEPT[name][0](), 3, folder / f"{name}{len(runs)}", sources=("sweep.c",))
    found = [sweep(swept, played) for played in runs]
    for played, each in zip(runs, found, strict=True):
        assert not played.faults or each["injected"] > each["paths"] > 20
    return sum(each["paths"] for each in found), sum(each["injected"] for each in found)


def test_a_fault_on_every_path(folder):
    play("Ball", folder, [Played("event"), Played("exchange")])


# Played by `make coverage` alone, without sanitizers: test-ci has a budget.
UNSANITIZED = (
    "AtFloor",
    "BallBeside",
    "Beside",
    "Chain0",
    "Chain1",
    "Graze",
    "Jumpy",
    "Pair",
    "Slow",
    "Steep",
    "Stuck",
)


@pytest.mark.ci
@pytest.mark.parametrize("name", [name for name in SWEPT if name not in UNSANITIZED])
def test_a_fault_on_every_path_of_every_model(name, folder):
    paths, faults = play(name, folder, SWEPT[name][1])
    print(f"swept: {name}, {paths} paths, {faults} runs with a fault")


@pytest.mark.ci
def test_parts_by_themselves(folder):
    """Solves, eliminations and rules of calls with numbers that no model has (parts.c)."""
    assert parts(program(PENDULUM, 3, folder / "parts", sources=("parts.c",))) > 50


@pytest.mark.ci
@pytest.mark.parametrize(("system", "least"), [(OSCILLATOR, 1000), (APART, 100_000)], ids=["Oscillator", "Apart"])
def test_batches_with_little_memory_and_wrong_values(system, least, folder):
    """Every allocation fails once; runs that refuse their values, or can't share steps any longer, leave the others; no number is not finite (lanes.c)."""
    assert parts(lanes(system, folder / f"lanes_{system.name}")) > least
