"""Extreme physical values: each call ends within a stated number of evaluations, successfully or with one sentence, and the last valid state is kept."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from spacefmu.dynamics.bounds import EVALUATION_LIMIT
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.solver.loop import Solver, StepFailed
from spacefmu.dynamics.system.evaluate import Refused, motion, start
from tests.cli.command import ROOT
from tests.fmi.units import DISCARD, ERROR, OK, status_of
from tests.solver.test_real_time import statistics
from tests.systems_small import BALL, OSCILLATOR, PENDULUM, RELAXATION

METHODS = range(1, 7)
HUB = 'name = "Hub"\n[bodies.hub]\nmass = {mass}\ninertia = [10.0, 12.0, 14.0]\nforces_at = ["frame"]\n'
# name → System, what is set before the start, what is set after it, first time, step, steps
CASES = {
    "1e30 m/s²": (OSCILLATOR, {}, {"force": 1e30}, 0.0, 0.1, 10),
    "1e300 m/s²": (OSCILLATOR, {}, {"force": 1e300}, 0.0, 0.1, 3),
    "1e30 N on a pendulum": (PENDULUM, {}, {"force": 1e30}, 0.0, 0.1, 3),
    "chatter": (BALL, {"restitution": 1.0, "gravity": 1e6, "height": 1e-3}, {}, 0.0, 1.0, 2),
    "Zeno": (BALL, {"restitution": 0.5}, {}, 0.0, 10.0, 2),
    "tolerance 1e-16": (OSCILLATOR, {"solver.tolerance": 1e-16}, {}, 0.0, 0.1, 10),
    "steps of 1e-12": (BALL, {}, {}, 0.0, 1e-12, 10),
    "steps of 1e9": (OSCILLATOR, {}, {}, 0.0, 1e9, 2),
    "times of 1e12": (OSCILLATOR, {}, {}, 1e12, 1e-3, 10),
    "below the resolution of 1e12": (OSCILLATOR, {}, {}, 1e12, 1e-5, 2),
    "stiffness 1e12": (RELAXATION, {"rate": 1e12}, {}, 0.0, 1.0, 2),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_a_call_ends_within_its_bound_and_keeps_the_last_valid_state(unit, case, method):
    system, before, after, first, step, steps = CASES[case]
    instance = unit(system)
    instance.set(before | {"solver.method": method})
    instance.initialize(start=first)
    instance.set(after)
    names = [signal.name for signal in system.signals.states]
    answer = OK
    for i in range(steps):
        answer = status_of(instance.fmu.doStep, first + i * step, step)
        if answer != OK:
            break
    assert answer in (OK, DISCARD, ERROR)
    assert all(math.isfinite(instance[name]) for name in names)
    said = [text for status, _, text in instance.log if status >= DISCARD]
    assert len(said) == (answer != OK)
    assert all(text.startswith("fmi2DoStep: ") and "\n" not in text for text in said)
    if answer == DISCARD:
        assert first <= instance.fmu.getRealStatus(2) <= first + steps * step  # fmi2LastSuccessfulTime
        assert instance["time"] == instance.fmu.getRealStatus(2)
    if answer != ERROR:
        assert statistics(instance)["most"] <= EVALUATION_LIMIT + 1000  # of the current internal step


def test_the_python_flavour_has_the_same_limit(monkeypatch):
    """Lowered to 3000: the step of a chattering ball is abandoned at a valid point."""
    monkeypatch.setattr("spacefmu.dynamics.solver.attempts.EVALUATION_LIMIT", 3000)
    p = np.array([1e6, 1.0])  # gravity, restitution
    solver = Solver(BALL)
    _, u, k, d = start(BALL, p=p)
    solver.place(0.0, np.array([1e-3, 0.0]), u, k, d)
    with pytest.raises(StepFailed, match=r"has taken \d+ internal steps and needs too many more"):
        solver.advance(1.0)
    assert solver.evaluations < 3500
    assert np.isfinite(solver.x).all()
    assert 0.0 < solver.t < 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_in_mid_run_is_refused(unit, value):
    instance = unit(OSCILLATOR).initialize().run(1.0, 0.1)
    before = instance.everything()
    assert status_of(instance.fmu.setReal, instance.references("force"), [value]) in (DISCARD, ERROR)
    assert len(instance.log) == 1
    assert "force" in instance.log[0][2]
    assert instance.everything() == before


@pytest.mark.parametrize("mass", ["0.0", "-1.0", "nan", "1e400"])
def test_a_mass_that_is_none_is_refused_by_name(mass):
    with pytest.raises(DescriptionError) as refused:
        load_text(HUB.format(mass=mass))
    assert any("mass" in problem for problem in refused.value.problems)


NUMBER = re.compile(r"(?<![\w.\"'])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.\"'])")
BAD = ("nan", "-1.0", "0.0", "1e300", "inf", "-1e30")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # for floats; in C by the exception flags
@pytest.mark.parametrize("name", ["gyros", "tanks", "segments", "deployed_tether"])
def test_each_number_of_newer_pieces_is_refused_or_computed_with(name):
    """Each number of an example in turn is replaced by an invalid one: the result is a sentence, or finite rates unless the number itself is extreme."""
    text, refused = (ROOT / f"examples/{name}.toml").read_text("utf-8"), 0
    places = [match.span() for match in NUMBER.finditer(re.sub(r"#.*", lambda comment: " " * len(comment[0]), text))]
    for i, (begin, end) in enumerate(places):
        bad = BAD[i % len(BAD)]
        try:
            system = load_text(text[:begin] + bad + text[end:], folder=ROOT / "examples")
            rates = motion(system, 0.0, *start(system))[0]
        except (DescriptionError, Refused):
            refused += 1
            continue
        assert bad not in ("nan", "inf"), text[begin - 40 : begin]
        assert np.isfinite(np.asarray(rates, float)).all() or abs(float(bad)) > 1.0, text[begin - 40 : begin]
    assert refused > len(places) // 2


def test_sizes_beyond_all_bounds_are_a_sentence():
    """The volume of such a sphere overflows; this once was an internal error."""
    text = (ROOT / "examples/tanks.toml").read_text("utf-8").replace("radius = 0.1", "radius = 1e300", 1)
    with pytest.raises(DescriptionError, match="too large or too small to be computed with"):
        load_text(text, folder=ROOT / "examples")


@pytest.mark.parametrize("mass", [0.0, -1.0])
def test_a_parameter_that_breaks_a_law_is_refused_at_the_start(unit, mass):
    instance = unit(OSCILLATOR)
    instance.set({"mass": mass})
    instance.fmu.setupExperiment(startTime=0.0)
    instance.fmu.enterInitializationMode()
    assert status_of(instance.fmu.exitInitializationMode) == ERROR
    assert "mass must be positive" in instance.log[-1][2]
