"""Every function that can fail does so once on each path of callers, under AddressSanitizer and UBSan: no call crashes, hangs, leaks or gives
a number that is not finite, whatever fails below it (sweep.c)."""

from __future__ import annotations

import pytest

from tests.fuzz.programs import program, sweep
from tests.fuzz.sweeps import SWEPT, Played


def play(name: str, tmp_path, runs) -> tuple[int, int]:
    """Paths of callers, and runs with a fault."""
    swept = program(SWEPT[name][0](), 3, tmp_path / name, sources=("sweep.c",))
    found = [sweep(swept, played) for played in runs]
    for each in found:
        assert each["injected"] > each["paths"] > 20
    return sum(each["paths"] for each in found), sum(each["injected"] for each in found)


def test_a_fault_on_every_path(tmp_path):
    play("Ball", tmp_path, [Played("event"), Played("exchange")])


@pytest.mark.ci
@pytest.mark.parametrize("name", SWEPT)
def test_a_fault_on_every_path_of_every_model(name, tmp_path):
    paths, faults = play(name, tmp_path, SWEPT[name][1])
    print(f"swept: {name}, {paths} paths, {faults} runs with a fault")
