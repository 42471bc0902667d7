"""Samples belong to the nearest communication point, whether a host computes its time by t = n h, or by t += h, which drifts from the grid."""

import numpy as np
import pytest

from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.system.signals import Signal
from spacefmu.fmu_src.python.instance import Instance
from tests.fmi.units import WARNING


class Sampling(Block):
    """Holds the last sample of its input."""

    inputs = (Signal("seen", "what is sampled", "1"),)
    states = (Signal("state", "decays", "1", 1.0, derivative_unit="1/s"),)
    parameters = (Signal("period", "of sampling", "s", 0.1),)
    sampled = (Signal("held", "last sample", "1"), Signal("count", "of samples", "1"))
    outputs = (Signal("shown", "last sample", "1", sampled=True), Signal("taken", "samples so far", "1"))
    sample_time = "period"

    def rates(self, now):
        return {"state": -now.state}

    def sample(self, now):
        return {"held": now.seen, "count": now.count + 1.0}

    def results(self, now):
        return {"shown": now.held, "taken": now.count}


SAMPLING = Sampling().system()


class Floats:
    """The Python flavour with the interface of the native one."""

    def __init__(self):
        self.instance, self.fmu = Instance(SAMPLING, "Sampling"), self
        self.names = {variable.name: variable.reference for variable in self.instance.variables}

    def initialize(self, start=0.0, **values):
        self.instance.setup_experiment(start, None, None)
        self.set(values)
        self.instance.enter_initialization()
        self.instance.exit_initialization()
        return self

    def set(self, values):
        self.instance.set([self.names[name] for name in values], list(values.values()), ("real",))

    def __getitem__(self, name):
        return self.instance.get([self.names[name]], ("real",))[0]

    def doStep(self, t, h):
        self.instance.step(t, h)


@pytest.fixture(params=["native", "python"])
def sampling(request, unit):
    def begun(start, period):
        made = Floats() if request.param == "python" else unit(SAMPLING)
        return made.initialize(start, period=period)

    return begun


def warnings(unit) -> list[str]:
    return (
        unit.instance.notices
        if isinstance(unit, Floats)
        else [text for status, _, text in unit.log if status == WARNING]
    )


def late_samples(unit, start, h, steps) -> tuple[int, int]:
    """For a host with t += h: the number of samples that did not use the input of their communication point, and of all samples."""
    t, late = start, 0
    begun = unit["taken"]
    for i in range(steps):
        before = unit["taken"]
        unit.set({"seen": i + 1.0})
        fresh = unit["shown"]
        unit.fmu.doStep(t, h)
        t += h
        if unit["taken"] != before:
            late += unit["shown"] != i + 1.0 or fresh != i + 1.0
    return late, int(unit["taken"] - begun)


@pytest.mark.parametrize("h, per_sample, steps", [(0.1, 1, 7600), (0.01, 10, 9500), (1.0 / 3.0, 3, 4000)])
def test_no_sample_is_late_from_the_start_on(unit, h, per_sample, steps):
    """Before: the first at 747 s (h = 0.1), at 92 s (h = 0.01)."""
    late, count = late_samples(unit(SAMPLING).initialize(period=per_sample * h), 0.0, h, steps)
    assert late == 0
    assert abs(count - steps / per_sample) <= 1


# Time by t += 0.1 after that many steps: about n ε t / 2 off the grid; here by the largest offset of the clock, and by a third of it.
LATE = [(n, sign * share) for n in (10**4, 10**6, 10**9) for sign in (1.0, -1.0) for share in (0.3, 1.0)]


@pytest.mark.parametrize("n, share", LATE)
def test_no_sample_is_late_late_in_a_run(sampling, n, share):
    h = 0.1
    start = n * h + share * n * 2.0**-53 * n * h
    late, count = late_samples(sampling(start, h), start, h, 12)
    assert late <= 1  # the first is taken at the start, where the length of steps is not yet known
    assert abs(count - 12) <= 1


def test_a_clock_that_drifts_by_more_than_half_a_step(unit):
    """At 1e12 s a step of 0.1 s is rounded by 2.4e-5: half a step after 2000 of them. As many samples as sample times, none late."""
    late, count = late_samples(unit(SAMPLING).initialize(1e12), 1e12, 0.1, 3000)
    elapsed = np.add.accumulate([1e12, *[0.1] * 3000])[-1] - 1e12
    assert late <= 2
    assert abs(count - elapsed / 0.1) <= 2


def test_points_that_miss_the_samples_are_told_of_once(sampling):
    unit = sampling(0.0, 0.07)
    for i in range(20):
        unit.fmu.doStep(0.1 * i, 0.1)
    said = warnings(unit)
    assert len(said) == 1
    assert "the sample at time 0.07 lies between the communication points 0 and 0.1" in said[0]
    assert unit["taken"] == 1 + int(2.0 / 0.07)


@pytest.mark.parametrize("period", [0.1, 0.3])
def test_points_that_meet_the_samples_are_not_told_of(sampling, period):
    unit = sampling(0.0, period)
    late_samples(unit, 0.0, 0.1, 20)
    assert not warnings(unit)


def test_a_sample_at_the_end_of_a_calm_stretch_sees_the_new_input(sampling):
    """Steps that reach beyond communication points end at the sample, which waits for the inputs of its point."""
    unit = sampling(0.0, 1.0)
    for i in range(12):
        if i == 10:
            unit.set({"seen": 5.0})
            assert unit["shown"] == 5.0
        unit.fmu.doStep(0.1 * i, 0.1)
    assert unit["shown"] == 5.0


def test_a_saved_state_remembers_the_host_clock(unit):
    """Restored into another instance, which has taken no step: both continue equally."""
    t, seen = 1e8 - 1.2546, []
    first, second = unit(SAMPLING).initialize(t), unit(SAMPLING).initialize(t)
    for _ in range(5):
        first.fmu.doStep(t, 0.1)
        t += 0.1
    state = first.fmu.serializeFMUstate(first.fmu.getFMUState())
    second.fmu.setFMUState(second.fmu.deSerializeFMUstate(state))
    for each in (first, second):
        each.set({"seen": 3.0})
        seen.append(each["shown"])
        each.fmu.doStep(t, 0.1)
        seen.append(each["shown"])
    assert seen == [3.0] * 4
