"""A value that is not finite is named in a message and does not affect other values."""

from __future__ import annotations

import re

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.solver.loop import Solver, StepFailed
from spacefmu.dynamics.solver.methods import METHODS
from spacefmu.dynamics.system.contract import About, Staged, System
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.recording import recorded
from spacefmu.dynamics.system.signals import Signal, SignalTable
from spacefmu.fmu_src.interface.variables import Group
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import open_fmu, system_of
from tests.environment.craft import MU
from tests.fmi.units import DISCARD, ERROR, status_of

RODAS5P = 1 + [method.name for method in METHODS].index("rodas5p")

# ẋ = x with two outputs: √(x − 1) has no derivative at the start x = 1, and 1/(x − 2) no value at x = 2.
ROOT = System(
    name="Root",
    about=About("a root and a pole"),
    signals=SignalTable(
        states=(Signal("x", "a state", start=1.0, derivative="x_rate"),),
        outputs=(Signal("double", "2x"), Signal("root", "√(x − 1)"), Signal("pole", "1/(x − 2)")),
    ),
    motion=Staged(
        lambda t, x, u, k, d, z, multipliers, carry: (
            x,
            np.array([2.0 * x[0], np.sqrt(x[0] - 1.0), 1.0 / (x[0] - 2.0)]),
            np.zeros(0),
        )
    ),
)


def test_a_derivative_that_nobody_asked_for_fails_none(unit):
    fmu = unit(ROOT, "cs").initialize()
    x, double, root = fmu.references("x", "double", "root")
    assert fmu.fmu.getDirectionalDerivative([double], [x], [1.0]) == [2.0]
    assert status_of(fmu.fmu.getDirectionalDerivative, [double, root], [x], [1.0]) == ERROR
    assert fmu.log[-1][2].endswith("at time 0 the derivative of root is not finite; check inputs and parameters")


def test_an_implicit_step_needs_no_derivative_of_an_output(unit):
    """rodas5p from the kink of an output: √e at t = 0.5."""
    fmu = unit(ROOT, "cs").initialize(solver__method=RODAS5P)
    fmu.run(0.5, 0.25)
    assert fmu["x"] == pytest.approx(np.exp(0.5), rel=1e-7)


def test_a_message_names_the_output(unit):
    """Both flavours' engines; Python's stops at a division by zero unless the equations are run again on NumPy's numbers."""
    fmu = unit(ROOT, "me")
    fmu.initialize(x=2.0)
    assert status_of(fmu.fmu.getReal, fmu.references("pole")) == DISCARD
    assert fmu.log[-1][2].endswith("at time 0 the output pole is not finite; check inputs and parameters")
    for system in (ROOT, recorded(ROOT)):
        solver = Solver(system)
        solver.place(0.0, np.array([2.0]), *(np.zeros(0) for _ in range(3)))
        with np.errstate(all="ignore"), pytest.raises(StepFailed, match="at time 0 the output pole is not finite"):
            solver.evaluate(0.0, np.array([2.0]))


FALLING = """
name = "Falling"
[bodies.hub]
mass = 5.0
inertia = [1.0, 1.0, 2.0]
initial = { position = [7e6, 0.0, 0.0] }
[environment]
gravity = "central"
"""


def test_a_start_at_rest(unit):
    """The default velocity: all outputs and all their derivatives are finite. In the planet's centre the message names a state."""
    craft = load_text(FALLING)
    fmu = unit(craft, "me").initialize()
    shown = [v.reference for v in fmu.built.variables.values() if v.group in (Group.DERIVATIVE, Group.OUTPUT)]
    assert np.all(np.isfinite(fmu.fmu.getReal(shown)))
    for state in (v.reference for v in fmu.built.variables.values() if v.group == Group.STATE):
        assert np.all(np.isfinite(fmu.fmu.getDirectionalDerivative(shown, [state], [1.0])))
    buried = unit(craft, "me")
    buried.set({"hub.position[1]": 0.0})
    buried.initialize()
    assert status_of(buried.fmu.getReal, buried.references("hub.acceleration[1]")) == DISCARD
    sentence = "at time 0 the derivative of hub.velocity[1] is not finite; check inputs and parameters"
    assert buried.log[-1][2].endswith(sentence)
    instance = Instance(load_text(FALLING.replace("7e6", "0.0")), "")
    instance.setup_experiment(0.0, None, None)
    with np.errstate(all="ignore"):
        instance.enter_initialization()
        instance.exit_initialization()
        with pytest.raises(StepFailed, match=f"^{re.escape(sentence)}$"):
            instance.get(buried.references("hub.acceleration[1]"), ("real",))


STARTS = {
    "radial": ([7e6, 0.0, 0.0], [3e3, 0.0, 0.0]),
    "at rest over the pole": ([0.0, 0.0, -7e6], [0.0, 0.0, 0.0]),
    "falling on the pole": ([0.0, 0.0, 7e6], [0.0, 0.0, -3e3]),
    "parabolic": ([7e6, 0.0, 0.0], [0.0, np.sqrt(2.0 * MU / 7e6), 0.0]),
    "radial and parabolic": ([0.0, 7e6, 0.0], [0.0, np.sqrt(2.0 * MU / 7e6), 0.0]),
}


def test_other_starts_without_a_plane_or_a_size(unit):
    """Outputs and derivatives at the start, and after 10 s with the followed frame looked at."""
    craft = load_text(FALLING)
    for name, (position, velocity) in STARTS.items():
        given = {f"hub.{what}[{i + 1}]": value for what, values in (("position", position), ("velocity", velocity)) for i, value in enumerate(values)}  # fmt: skip
        exchanged = unit(craft, "me")
        exchanged.set(given)
        exchanged.initialize()
        shown = [v.reference for v in exchanged.built.variables.values() if v.group in (Group.DERIVATIVE, Group.OUTPUT)]
        assert np.all(np.isfinite(exchanged.fmu.getReal(shown))), name
        simulated = unit(craft, "cs")
        simulated.set(given)
        simulated.initialize()
        simulated.run(10.0, 10.0)
        assert np.all(np.isfinite(simulated.fmu.getReal(shown))), name


@pytest.mark.parametrize("name", ["TetheredPair", "TetheredPairElastic"])
def test_every_derivative_on_an_equatorial_orbit(name):
    """Of all outputs by all states, and a step of the implicit method."""
    fmu, reference = open_fmu(name, FMU2Slave)
    fmu.setInteger([reference["solver.method"]], [RODAS5P])
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    signals = system_of(name).signals
    outputs = [reference[signal.name] for signal in signals.outputs]
    for state in signals.states:
        found = fmu.getDirectionalDerivative(outputs, [reference[state.name]], [1.0])
        assert np.all(np.isfinite(found)), state.name
    fmu.doStep(0.0, 1.0)
    fmu.terminate()
    fmu.freeInstance()


BENT = """
name = "Bent"
[bodies.hub]
mass = 1.0
inertia = [0.01, 0.01, 0.01]
[bodies.boom.initial]
amplitudes = [0.5]
rates = [40.0]
[bodies.boom.beam]
length = 2.0
mass = 1.0
bending_y = 1.0
modes = { bending_y = 1 }
[joints.root]
parent = "hub"
child = "boom"
kind = "fixed"
"""


def test_a_beam_bent_beyond_its_range(unit):
    """M of a beam of 2 m is indefinite from a deflection of about 0.7 m on, where a solve would continue with wrong numbers: a tree reports it, like a loop."""
    craft = load_text(BENT)
    sentence = r"the derivative of .* is not finite: the mass matrix is not positive definite, for example because a flexible body is bent .*"
    fmu = unit(craft, "cs").initialize()
    assert status_of(fmu.run, 1.0, 0.1) == DISCARD
    assert any(re.search(sentence, text) for *_, text in fmu.log)
    x, u, k, d = start(craft)
    far = x.copy()
    far[craft.signals.where("states", "boom.mode[1].amplitude")] = 1.0
    solver = Solver(recorded(craft))
    solver.place(0.0, far, u, k, d)
    with pytest.raises(StepFailed, match=sentence):
        solver.evaluate(0.0, far)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        motion(craft, 0.0, far, u, k, d)
    with pytest.raises(DescriptionError, match="the mass matrix is not positive definite at the start"):
        load_text(BENT.replace("[0.5]", "[1.0]"))
