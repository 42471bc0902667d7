"""Intermediate update: inputs at the solver's own times, outputs within steps by the dense output, and early return."""

from __future__ import annotations

import zipfile
from xml.etree.ElementTree import fromstring

import fmpy
import numpy as np
import pytest

from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.system.signals import Signal
from tests.fmi3.units import fmu3_file


class Follower(Block):
    """ẋ = u and y = 2x: what an input does between communication points, in closed form."""

    inputs = (Signal("u", "rate", "1/s"),)
    states = (Signal("x", "integral", "1", derivative_unit="1/s"),)
    outputs = (Signal("y", "twice the integral", "1"),)

    def rates(self, now):
        return {"x": now.u}

    def results(self, now):
        return {"y": 2.0 * now.x}


FOLLOWER = Follower().system()


class Host:
    """A host that listens: it answers each update by `sets` = (name, function of time), and notes what it `reads` at accepted points.

    wants: function of time and values; a number is the time at which it asks to return. calls: (time, finished) of each update.
    """

    def __init__(self, unit, of, reads=(), sets=None, wants=None, required=None, **options):
        self.points: list[tuple[float, np.ndarray]] = []
        self.calls: list[tuple[float, bool]] = []
        self.reads, self.sets, self.wants = reads, sets, wants
        known = {v.name: v.valueReference for v in fmpy.read_model_description(str(fmu3_file(of))).modelVariables}
        names = (*reads, *(sets[:1] if sets else ())) if required is None else required
        self.unit = unit(
            of,
            intermediateUpdate=self._update,
            requiredIntermediateVariables=[known[name] for name in names],
            **options,
        )

    def _update(self, environment, t, set_requested, get_allowed, finished, can_return, requested, return_time):
        self.calls.append((t, bool(finished)))
        values = np.zeros(0)
        if get_allowed:
            values = self.unit.get(*self.reads) if self.reads else values
            self.points.append((t, values))
        if set_requested and self.sets:
            self.unit.set(self.sets[0], self.sets[1](t))
        if can_return and self.wants is not None and (at := self.wants(t, values)) is not None:
            requested[0], return_time[0] = True, at


def test_inputs_are_those_of_the_solvers_times(unit):
    """x of ẋ = u is the integral of a sine that the host gives within steps of a third of its period; held inputs miss it by half."""
    rate = 2.0 * np.pi / 3.0
    host = Host(unit, FOLLOWER, reads=("y",), sets=("u", lambda t: np.sin(rate * t)))
    follower = host.unit
    follower.initialize(tolerance=1e-9)
    for i in range(4):
        follower.fmu.doStep(float(i), 1.0)
        exact = (1.0 - np.cos(rate * (i + 1.0))) / rate
        assert follower.get("x")[0] == pytest.approx(exact, abs=2e-8)
    for t, (y,) in host.points:
        assert y == pytest.approx(2.0 * (1.0 - np.cos(rate * t)) / rate, abs=2e-7)
    assert len(host.points) >= 16

    plain = unit(FOLLOWER)
    plain.initialize(tolerance=1e-9)
    plain.set("u", 0.0)
    plain.fmu.doStep(0.0, 1.0)
    assert abs(plain.get("x")[0] - (1.0 - np.cos(rate)) / rate) > 0.4


def test_times_are_within_the_step_and_never_before_an_accepted_one(unit):
    host = Host(unit, FOLLOWER, reads=("y",), sets=("u", lambda t: np.cos(40.0 * t)))
    host.unit.initialize(tolerance=1e-8)
    for i in range(3):
        host.calls.clear()
        host.unit.fmu.doStep(0.5 * i, 0.5)
        accepted = -np.inf
        for t, finished in host.calls:
            assert 0.5 * i <= t <= 0.5 * (i + 1)
            assert t >= accepted
            accepted = t if finished else accepted
        assert accepted == 0.5 * (i + 1)


@pytest.mark.parametrize("name", ["FlexibleSatellite", "FourBar"])
def test_outputs_within_steps_are_those_of_short_steps(unit, name):
    """By the dense output, on the manifolds: what communication steps that end there give, within the tolerance."""
    body = "hub" if name == "FlexibleSatellite" else "bar1"
    reads = (f"{body}.position", f"{body}.quaternion", "system.angular_momentum")
    tolerance = 1e-9
    host = Host(unit, name, reads=reads)
    host.unit.initialize(tolerance=tolerance)
    for i in range(3):
        host.unit.fmu.doStep(0.4 * i, 0.4)
    plain, t = unit(name), 0.0
    plain.initialize(tolerance=tolerance)
    assert len(host.points) > 8
    for at, values in host.points:
        plain.fmu.doStep(t, at - t)
        t = at
        np.testing.assert_allclose(values, plain.get(*reads), rtol=1e-7, atol=1e-7)
        assert np.linalg.norm(values[3:7]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("ahead", [0.0, 0.03])
def test_the_host_returns_where_it_asks(unit, ahead):
    """At an accepted point, or at a time behind it: the state there is that of a step that ends there."""
    wanted: list[float] = []

    def wants(t, values):
        if t < 0.3 or wanted:
            return None
        wanted.append(t + ahead)
        return t + ahead

    host = Host(unit, "FlexibleSatellite", reads=("hub.position",), wants=wants, earlyReturnAllowed=True)
    host.unit.set("hub.force", [1.0, 2.0, 3.0])
    host.unit.initialize(tolerance=1e-9)
    needed, terminate, early, reached = host.unit.fmu.doStep(0.0, 1.0)
    assert (needed, terminate, early) == (False, False, True)
    assert reached == wanted[0]
    plain = unit("FlexibleSatellite")
    plain.set("hub.force", [1.0, 2.0, 3.0])
    plain.initialize(tolerance=1e-9)
    plain.fmu.doStep(0.0, reached)
    np.testing.assert_allclose(host.unit.get("hub.position"), plain.get("hub.position"), rtol=1e-8)
    *_, early, reached = host.unit.fmu.doStep(reached, 1.0 - reached)
    assert (early, reached) == (False, 1.0)


def test_no_early_return_unless_it_is_allowed(unit):
    host = Host(unit, FOLLOWER, reads=("y",), wants=lambda t, values: t)
    host.unit.initialize()
    *_, early, reached = host.unit.fmu.doStep(0.0, 1.0)
    assert (early, reached) == (False, 1.0)


def test_events_are_met_as_without_listening(unit):
    """TetheredPair with event mode: a listening host gets the same catches, to a thousandth of the tolerance's time."""
    times = []
    for listens in (False, True):
        options = {"eventModeUsed": True, "earlyReturnAllowed": True}
        tether = (
            Host(unit, "TetheredPair", reads=("tether.length",), **options).unit
            if listens
            else unit("TetheredPair", **options)
        )
        tether.initialize(1800.0)
        tether.fmu.updateDiscreteStates()
        tether.fmu.enterStepMode()
        found, t = [], 0.0
        while t < 1800.0 and len(found) < 3:
            needed, _, _, t = tether.fmu.doStep(t, min(20.0, 1800.0 - t))
            if needed:
                found.append(t)
                tether.fmu.enterEventMode()
                tether.fmu.updateDiscreteStates()
                tether.fmu.enterStepMode()
        times.append(found)
    np.testing.assert_allclose(times[1], times[0], rtol=1e-7)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda u: u.get("x"), "x was not among the required intermediate variables at instantiation"),
        (lambda u: u.fmu.doStep(0.0, 1.0), "not allowed in co-simulation, instance is in state 'intermediate update"),
        (lambda u: u.fmu.getFMUState(), "not allowed in co-simulation, instance is in state 'intermediate update"),
        (lambda u: u.fmu.reset(), "not allowed in co-simulation, instance is in state 'intermediate update"),
        (lambda u: u.fmu.setFloat64([u.reference("y")], [1.0]), "fmi3SetFloat64: y"),
        (lambda u: u.fmu.fmi3FreeInstance(u.fmu.component), "fmi3FreeInstance: not allowed in an intermediate update"),
    ],
)
def test_what_an_update_may_not_do(unit, call, message):
    """A refused call breaks the step: fmi3DoStep returns fmi3Error, and the instance can be reset."""
    refused: list[Exception] = []

    def wants(t, values):
        try:
            call(host.unit)
        except Exception as error:
            refused.append(error)

    host = Host(unit, FOLLOWER, reads=("y",), wants=wants, earlyReturnAllowed=True)
    host.unit.initialize()
    with pytest.raises(Exception, match="fmi3DoStep"):
        host.unit.fmu.doStep(0.0, 1.0)
    assert any(message in text for _, _, text in host.unit.log), host.unit.log
    host.wants = None
    host.unit.fmu.reset()
    host.unit.initialize()
    host.unit.fmu.doStep(0.0, 1.0)


def test_only_what_changes_between_can_be_required(unit):
    with pytest.raises(Exception, match="instantiate"):
        Host(unit, "FlexibleSatellite", required=["hub.mass"])
    with zipfile.ZipFile(fmu3_file("AttitudeController")) as archive:
        variables = fromstring(archive.read("modelDescription.xml")).find("ModelVariables")
    between = {v.get("name") for v in variables if v.get("intermediateUpdate") == "true"}
    assert {"quaternion", "error"} <= between
    assert "torque" not in between
