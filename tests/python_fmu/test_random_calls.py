"""Calls in any order with any values, three Python instances at a time: each is answered, and a reset instance is a fresh one.

The calls are those of tests/fmi/test_random_calls.py. What the wrapper can't say (fmu_src/python/limits.py) is not asked: only
fmi2DoStep has another answer than fmi2OK, and steps that are far too long take minutes.
"""

from __future__ import annotations

import math
import random

import pytest

from tests.fmi.test_random_calls import Caller
from tests.python_fmu.units import OK, Unit, status_of

NAMES = ("TetheredMasses", "AttitudeController", "FourBar")  # events, samples, constraints
WRONG = (-1.0, 0.0, math.nan, math.inf, -math.inf)


class PythonCaller(Caller):
    def __init__(self, instance: Unit, dice: random.Random):
        super().__init__(instance, "cs", dice)
        self.calls += 6 * [self.reset]
        self.steps = 0

    @property
    def variable_count(self) -> int:
        return len(self.unit.variables)

    def method_reference(self) -> list[int]:
        return [self.unit.variables["solver.method"].valueReference]

    def step(self):
        """Steps that end well are counted: an instance in its error state answers all others, too."""
        super().step()
        self.steps += 1

    def reset(self):
        """Often, since most errors end in the error state; and not by a method that was refused."""
        self.fmu.reset()
        self.start()

    def wrong_step(self):
        if self.dice.random() < 0.2:
            self.fmu.doStep(self.number(), self.dice.choice(WRONG))


def play(unit, name: str, calls: int, seed: int) -> None:
    dice = random.Random(f"{name} {seed}")
    callers = [PythonCaller(unit(name), dice) for _ in range(3)]
    for _ in range(calls):
        dice.choice(callers)()
    assert sum(caller.steps for caller in callers) > 0.03 * calls
    fresh = unit(name).start().run(0, 5).everything()
    for caller in callers:
        caller.free()
        assert status_of(caller.fmu.reset) == OK  # whatever has happened
        assert caller.unit.start().run(0, 5).everything() == fresh


@pytest.mark.parametrize("name", NAMES)
def test_any_call_at_any_time(unit, name):
    play(unit, name, 300, 30)


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", NAMES)
def test_many_calls_at_any_time(unit, name, seed):
    play(unit, name, 2000, seed)
