"""Calls in any order with any values, as Python FMUs get them (tests/python_fmu/test_random_calls.py); native ones get theirs in C (tests/fuzz)."""

from __future__ import annotations

import math
import random

import pytest

from spacefmu.dynamics.solver.rows_seen import indicator_count
from spacefmu.fmu_src.interface.variables import METHODS
from tests.fmi.units import Unit, status_of, with_pointer
from tests.systems_small import BALL, OSCILLATOR, PENDULUM

NUMBERS = (0.0, 1.0, -1.0, 0.3, 1e-9, 1e6, 1e308, -1e308, math.inf, math.nan)


class Caller:
    """Random calls of one instance; `t` is the host's time of the instance."""

    def __init__(self, instance: Unit, kind: str, dice: random.Random):
        self.unit, self.fmu, self.kind, self.dice, self.t = instance, instance.fmu, kind, dice, 0.0
        self.states: list = []
        both = [self.start, self.start, self.reset, self.get, self.set, self.choose_method, self.keep, self.back, self.derive, self.terminate]  # fmt: skip
        cs = [self.step, self.step, self.step, self.wrong_step, self.input_derivatives, self.output_derivatives]
        me = [self.event, self.event, self.continuous, self.states_set, self.completed, self.time, self.read_solver]
        self.calls = both + (cs if kind == "cs" else me)

    def __call__(self) -> None:
        status = status_of(self.dice.choice(self.calls))
        assert status in range(4)  # up to fmi2Error; never fmi2Fatal

    @property
    def variable_count(self) -> int:
        return len(self.unit.built.variables)

    def method_reference(self) -> list[int]:
        return self.unit.references("solver.method")

    def number(self) -> float:
        return self.dice.choice(NUMBERS) if self.dice.random() < 0.3 else self.dice.uniform(-2.0, 2.0)

    def references(self) -> list[int]:
        last = self.variable_count + (self.dice.random() < 0.05)
        return [self.dice.randrange(last) for _ in range(self.dice.randrange(4))]

    def start(self):
        self.t = 0.0
        self.fmu.setupExperiment(stopTime=self.dice.choice((None, 0.5, 50.0)))
        self.fmu.enterInitializationMode()
        if self.dice.random() < 0.8:
            self.fmu.exitInitializationMode()
        if self.kind == "me" and self.dice.random() < 0.8:
            self.fmu.newDiscreteStates()
            self.fmu.enterContinuousTimeMode()

    def reset(self):
        self.fmu.reset()
        if self.dice.random() < 0.8:  # the next run by any method
            self.choose_method()
            self.start()

    def choose_method(self):
        self.fmu.setInteger(self.method_reference(), [self.dice.choice((*range(1, len(METHODS) + 1), 0, 9))])

    def get(self):
        getattr(self.fmu, self.dice.choice(("getReal", "getInteger", "getBoolean")))(self.references())

    def set(self):
        references = self.references()
        if self.dice.random() < 0.7:
            return self.fmu.setReal(references, [self.number() for _ in references])
        return self.fmu.setBoolean(references, [self.dice.randrange(2) for _ in references])

    def keep(self):
        state = self.fmu.getFMUstate()
        self.states.append((state, self.t, self.fmu.serializeFMUstate(state)))

    def back(self):
        if self.states:
            state, self.t, data = self.dice.choice(self.states)
            if self.dice.random() < 0.3:
                place = self.dice.randrange(len(data))
                self.fmu.deSerializeFMUstate(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            self.fmu.setFMUstate(state)

    def derive(self):
        unknowns, knowns = self.references(), self.references()
        found = self.fmu.getDirectionalDerivative(unknowns, knowns, [self.number() for _ in knowns])
        assert all(map(math.isfinite, found))

    def terminate(self):
        if self.dice.random() < 0.2:
            self.fmu.terminate()

    def step(self):
        h = self.dice.choice((0.01, 0.01, 0.1, 0.3))
        self.fmu.doStep(self.t, h)
        self.t += h

    def wrong_step(self):
        if self.dice.random() < 0.2:
            self.fmu.doStep(self.number(), self.number())

    def input_derivatives(self):
        references = self.references()
        orders = [self.dice.randrange(-1, 7) for _ in references]
        self.fmu.setRealInputDerivatives(references, orders, [self.number() for _ in references])

    def output_derivatives(self):
        references = self.references()
        self.fmu.getRealOutputDerivatives(references, [self.dice.choice((1, 1, 2)) for _ in references])

    def event(self):
        self.fmu.enterEventMode()
        self.fmu.newDiscreteStates()

    def continuous(self):
        self.fmu.enterContinuousTimeMode()

    def states_set(self):
        count = self.unit.built.system.nx
        values = with_pointer([self.number() for _ in range(count)])
        self.fmu.fmi2SetContinuousStates(self.fmu.component, values, count)

    def completed(self):
        self.fmu.completedIntegratorStep()

    def time(self):
        self.t = self.number()
        self.fmu.setTime(self.t)

    def read_solver(self):
        system = self.unit.built.system
        for name, count in (("fmi2GetDerivatives", system.nx), ("fmi2GetEventIndicators", indicator_count(system))):
            call = getattr(self.fmu, name)
            call(self.fmu.component, with_pointer([0.0] * count), count)

    def free(self):
        for state, _, _ in self.states:
            self.fmu.freeFMUstate(state)


@pytest.mark.parametrize("system", [OSCILLATOR, BALL, PENDULUM], ids=lambda s: s.name)
@pytest.mark.parametrize("method", range(1, len(METHODS) + 1))
def test_a_reset_or_restored_instance_forgets_the_pair_of_its_last_step(unit, system, method):
    """Short steps are taken by the fourth pair of `explicit`; rk4 and rodas5p have one, and memory beyond it was once read."""
    used, fresh = unit(system), unit(system)
    new = used.fmu.getFMUstate()
    for again in (used.fmu.reset, lambda: used.fmu.setFMUstate(new)):
        for tolerance, step in (
            (1e-3, 1e-3),
            (1e-9, 1e-3),
            (1e-6, 1e-2),
            (1e-11, 1e-2),
        ):  # each of the pairs comes last in one
            used.fmu.reset()
            used.initialize(tolerance=tolerance).run(0.1, step)
            again()
            assert used.initialize(solver__method=method).run(0.4, 0.1)["solver.method"] == method
    used.fmu.freeFMUstate(new)
    fresh.initialize(solver__method=method).run(0.4, 0.1)
    assert used.everything() == fresh.everything()
