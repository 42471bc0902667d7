"""Impossible values, steps and experiments are rejected with a sentence, and nothing changes."""

from __future__ import annotations

import math

import pytest

from tests.fmi.units import DISCARD, ERROR, bring_to, status_of
from tests.systems_small import OSCILLATOR, PENDULUM

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("state", "name", "value", "expected", "words"),
    [
        ("instantiated", "position", NAN, ERROR, "finite"),
        ("instantiated", "mass", INF, ERROR, "finite"),
        ("instantiated", "frequency", 1e5, DISCARD, "from -inf to 10000"),
        ("instantiated", "solver.tolerance", -1.0, DISCARD, "from 0 to 0.1"),
        ("instantiated", "solver.method", 9, DISCARD, "from 1 to 6"),
        ("instantiated", "energy", 1.0, ERROR, "can't be set in state 'instantiated'; the FMU computes it"),
        ("instantiated", "acceleration", 1.0, ERROR, "can't be set"),
        ("instantiated", "time", 1.0, ERROR, "can't be set"),
        ("initialization", "force", -INF, ERROR, "finite"),
        ("step complete", "mass", 1.0, ERROR, "'step complete'; set it in 'instantiated' or 'initialization mode'"),
        ("step complete", "position", 1.0, ERROR, "can't be set"),
        ("step complete", "solver.tolerance", 1e-3, ERROR, "can't be set"),
        ("step complete", "force", NAN, ERROR, "finite"),
        ("step complete", "frequency", -1.0, DISCARD, "frequency must be positive"),
    ],
)
def test_values_that_cannot_be(unit, state, name, value, expected, words):
    osc = unit(OSCILLATOR)
    bring_to(osc, state)
    assert status_of(osc.set, {name: value}) == expected
    assert name in osc.log[-1][2]
    assert words in osc.log[-1][2]


def test_a_refused_tuning_changes_nothing(unit):
    """frequency and mass in one call, one of them bad: neither changes, and the run goes on."""
    osc, other = unit(OSCILLATOR).initialize(), unit(OSCILLATOR).initialize()
    assert status_of(osc.set, {"frequency": -3.0}) == DISCARD
    assert osc["frequency"] == 2.0
    assert osc.run(1.0, 0.5).everything() == other.run(1.0, 0.5).everything()


def test_tunable_parameters_act_at_once(unit):
    osc = unit(OSCILLATOR).initialize()
    osc.set({"frequency": 3.0})
    assert osc["acceleration"] == -9.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.0, 0.0), "not positive"),
        ((0.0, -0.1), "not positive"),
        ((0.0, NAN), "not finite"),
        ((NAN, 0.1), "not finite"),
        ((0.0, INF), "not finite"),
        ((0.5, 0.1), "not where the last step ended"),
        ((0.0, 2.0), "past the stop time"),
        ((0.0, 1e-320), "resolution"),
    ],
)
def test_steps_that_cannot_be(unit, arguments, words):
    osc = unit(OSCILLATOR).initialize(stop=1.0, start=0.0)
    if "resolution" in words:
        osc.fmu.doStep(0.0, 0.5)
        arguments = (0.5, 1e-320)
    assert status_of(osc.fmu.doStep, *arguments) == ERROR
    assert words in osc.log[-1][2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 0.0, NAN, 0, 0.0), "start time"),
        ((0, 0.0, 1.0, 1, 1.0), "stop time"),
        ((0, 0.0, 0.0, 1, NAN), "stop time"),
        ((1, 0.0, 0.0, 0, 0.0), "tolerance"),
        ((1, NAN, 0.0, 0, 0.0), "tolerance"),
    ],
)
def test_experiments_that_cannot_be(unit, arguments, words):
    osc = unit(OSCILLATOR)
    assert status_of(osc.fmu.fmi2SetupExperiment, osc.fmu.component, *arguments) == ERROR
    assert words in osc.log[-1][2]


@pytest.mark.parametrize(
    ("values", "law"),
    [({"mass": -1.0}, "mass must be positive"), ({"frequency": 0.0, "mass": 0.0}, "frequency must be positive")],
)
def test_parameters_that_break_a_law_stop_the_initialization(unit, values, law):
    osc = unit(OSCILLATOR)
    osc.set(values)
    osc.fmu.setupExperiment()
    osc.fmu.enterInitializationMode()
    assert status_of(osc.fmu.exitInitializationMode) == ERROR
    assert law in osc.log[-1][2]


def test_a_projection_that_cannot_be_reached_is_named(unit):
    """A pendulum that starts in its pivot has no direction in which to project it on its circle."""
    pendulum = unit(PENDULUM)
    pendulum.set({"x": 0.0, "y": 0.0})
    pendulum.fmu.setupExperiment()
    pendulum.fmu.enterInitializationMode()
    assert status_of(pendulum.fmu.exitInitializationMode) == ERROR
    assert "at time 0 rod length: no state found that satisfies them; residual 1" in pendulum.log[-1][2]
