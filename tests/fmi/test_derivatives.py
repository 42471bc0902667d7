"""Directional derivatives: every legal pair against finite differences of the Python equations."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from spacefmu.dynamics.system.evaluate import constants, motion, start
from spacefmu.fmu_src.interface.variables import Group
from tests.fmi.units import ERROR, status_of
from tests.systems_small import ALL, OSCILLATOR, PENDULUM, RELAXATION, SAMPLER


def central(function, at, i, size=1e-5):
    """Central difference of a vector function along entry i, extrapolated once: error about 1e-11."""
    step = np.zeros(len(at))
    step[i] = size
    coarse = (function(at + step) - function(at - step)) / (2 * size)
    fine = (function(at + step / 2) - function(at - step / 2)) / size
    return (4 * fine - coarse) / 3


def continuous(built, *groups):
    return [
        v
        for v in built.variables.values()
        if v.group in groups and v.signal.kind == "real" and not (v.signal.sampled and v.group != Group.DISCRETE)
    ]


@pytest.mark.parametrize("kind", ["cs", "me"])
@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_all_pairs_during_the_run(unit, built, system, kind):
    """Unknown: states, derivatives, outputs. Known: states, inputs. Redundant multipliers included."""
    fmu = unit(system, kind)
    fmu.initialize(**{s.name: 0.3 for s in system.signals.inputs if s.kind == "real"})
    x, u, d = (fmu.array(g) for g in (Group.STATE, Group.INPUT, Group.DISCRETE))
    k = constants(system, system.signals.starts("parameters"))
    unknowns = continuous(built(system), Group.STATE, Group.DERIVATIVE, Group.OUTPUT)
    for known in continuous(built(system), Group.STATE, Group.INPUT):
        on_state = known.group == Group.STATE

        def everything(value, on_state=on_state):
            at = (value, u) if on_state else (x, value)
            x_dot, y, _ = motion(system, 0.0, *at, k, d)
            return {Group.STATE: at[0], Group.DERIVATIVE: x_dot, Group.OUTPUT: y}

        def stacked(value):
            parts = everything(value)
            return np.array([parts[v.group][v.index] for v in unknowns])

        found = fmu.fmu.getDirectionalDerivative([v.reference for v in unknowns], [known.reference], [2.0])
        assert np.array(found) == pytest.approx(
            2.0 * central(stacked, x if on_state else u, known.index), rel=1e-8, abs=1e-8
        )


def test_seeds_add_up(unit):
    """A direction of several knowns is the sum of its parts."""
    pendulum = unit(PENDULUM).initialize()
    unknown, known = pendulum.references("ax", "tension[2]"), pendulum.references("x", "vy", "force")
    parts = [
        pendulum.fmu.getDirectionalDerivative(unknown, [k], [s]) for k, s in zip(known, (0.3, -2.0, 5.0), strict=True)
    ]
    assert pendulum.fmu.getDirectionalDerivative(unknown, known, [0.3, -2.0, 5.0]) == pytest.approx(
        np.sum(parts, axis=0)
    )


@pytest.mark.parametrize("system", [OSCILLATOR, PENDULUM, RELAXATION, SAMPLER], ids=lambda s: s.name)
def test_all_pairs_in_initialization_mode(unit, built, system):
    """In this mode start values and parameters are knowns, and act through the assembly of the initial state."""
    fmu = unit(system)
    fmu.fmu.setupExperiment()
    fmu.fmu.enterInitializationMode()
    starts = {g: np.array(system.signals.starts(g)) for g in ("states", "inputs", "parameters", "discretes")}
    arrays = {Group.STATE: "states", Group.INPUT: "inputs", Group.PARAMETER: "parameters", Group.DISCRETE: "discretes"}
    unknowns = continuous(built(system), Group.STATE, Group.DERIVATIVE, Group.OUTPUT)
    for known in continuous(built(system), *arrays):
        group = arrays[known.group]
        if known.name == "next":
            continue  # the sampler's initial sample is a jump in it

        def stacked(value, group=group):
            given = starts | {group: value}
            x, u, k, d = start(system, 0.0, given["states"], given["inputs"], given["parameters"], given["discretes"])
            x_dot, y, _ = motion(system, 0.0, x, u, k, d)
            parts = {Group.STATE: x, Group.DERIVATIVE: x_dot, Group.OUTPUT: y}
            return np.array([parts[v.group][v.index] for v in unknowns])

        found = fmu.fmu.getDirectionalDerivative([v.reference for v in unknowns], [known.reference], [1.0])
        assert np.array(found) == pytest.approx(central(stacked, starts[group], known.index), rel=1e-6, abs=1e-6)
    fmu.fmu.exitInitializationMode()  # and the call leaves no trace
    x, _, _, d = start(system)
    assert fmu.array(Group.STATE) == pytest.approx(x, abs=1e-14)
    assert fmu.array(Group.DISCRETE) == pytest.approx(d, abs=1e-14)


@pytest.mark.parametrize(
    ("unknown", "known", "seed"),
    [
        ("energy", "mass", 1.0),
        ("mass", "position", 1.0),
        ("energy", "time", 1.0),
        ("right", "position", 1.0),
        ("energy", "locked", 1.0),
        ("energy", "position", float("nan")),
    ],
)
def test_illegal_pairs_are_refused(unit, unknown, known, seed):
    osc = unit(OSCILLATOR).initialize()
    references = osc.references(unknown), osc.references(known)
    assert status_of(osc.fmu.getDirectionalDerivative, *references, [seed]) == ERROR
    assert "fmi2GetDirectionalDerivative" in osc.log[-1][2]


@pytest.mark.parametrize("kind", ["cs", "me"])
def test_in_initialization_mode_a_derivative_is_finite_or_refused(unit, kind):
    """d(energy)/d(position) = mass frequency² position: 3 · 4 · 1e150. Tiny seeds gave NaN, huge ones inf, with fmi2OK."""

    def begun():
        osc = unit(OSCILLATOR, kind)
        osc.set({"position": 1e150})
        osc.fmu.setupExperiment()
        osc.fmu.enterInitializationMode()
        return osc, osc.references("energy"), osc.references("position")

    for seed in (1.0, 1e-100, 1e-300, 1e-308):
        osc, energy, position = begun()
        found = osc.fmu.getDirectionalDerivative(energy, position, [seed])
        assert found == pytest.approx([1.2e151 * seed], rel=1e-10, abs=0.0)  # measured 4.6e-12
    osc, energy, position = begun()  # below the smallest normal number: 1e-310 itself has 13 digits; it gave 0
    assert osc.fmu.getDirectionalDerivative(energy, position, [1e-310]) == pytest.approx([1.2e-159], rel=1e-10, abs=0.0)
    osc, energy, position = begun()
    assert status_of(osc.fmu.getDirectionalDerivative, energy, position, [1e200]) == ERROR
    assert "the derivative of energy is not finite" in osc.log[-1][2]
    osc, _, position = begun()
    osc.set({"mass": sys.float_info.max})
    assert status_of(osc.fmu.getDirectionalDerivative, position, osc.references("mass"), [1.0]) == ERROR
    assert "mass is too large to be moved along its seed of 1; use a smaller seed" in osc.log[-1][2]
