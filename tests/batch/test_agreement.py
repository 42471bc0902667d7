"""Runs that share vectors against the same runs by their FMU, one after the other: to the tolerance; where steps are not shared, bit for bit."""

from itertools import pairwise

import numpy as np
import pytest

import spacefmu
from spacefmu.dynamics.algebra.scalar import where
from spacefmu.dynamics.system.contract import About, Staged, System
from spacefmu.dynamics.system.signals import SignalTable
from spacefmu.fmu_src import api
from spacefmu.fmu_src.batch.batch import RunNumber
from spacefmu.fmu_src.cosim.single import Simulator
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.results import Result
from spacefmu.fmu_src.studies.metrics import KINDS, Measure, Metric
from tests.catalogue_fmus import fmu_file, system_of
from tests.session import once, session_folder
from tests.systems_small import BALL, Signal, _plain

RNG = np.random.default_rng(35)
PANEL = {
    "hub.mass": 400.0 * RNG.uniform(0.8, 1.2, 11),
    "panel.mode[1].frequency": RNG.uniform(0.3, 0.9, 11),
    "hub.angular_velocity[1]": RNG.uniform(-0.1, 0.1, 11),
    "panel.mode[1].amplitude": RNG.uniform(-0.05, 0.05, 11),
}


def _sampled_update(t, x, u, k, d, g, z, multipliers, carry):
    due = t >= d[1] - 1e-9
    return x, np.array([where(due, -k[1] * x[1] + u[0], d[0]), where(due, d[1] + k[2], d[1])])


# An oscillator with sampled feedback of its speed: samples that meet communication points, or do not, as `period` is
SAMPLED = System(
    name="Sampled",
    about=About("an oscillator, damped by samples", experiment={"stop": 10.0, "step": 0.1, "tolerance": 1e-10}),
    signals=SignalTable(
        states=(
            Signal("place", "of the mass", "m", 1.0, derivative="speed"),
            Signal("speed", "of the mass", "m/s", 0.0, derivative="der(speed)", derivative_unit="m/s2"),
        ),
        inputs=(Signal("push", "beside the feedback", "m/s2"),),
        parameters=(Signal("square", "of the angular frequency", "rad2/s2", 9.0, min=0.0), Signal("gain", "of the feedback", "1/s", 0.5), Signal("period", "of samples", "s", 0.2, min=1e-3)),
        discretes=(Signal("held", "feedback", "m/s2"), Signal("next", "time of the next sample", "s", output=False)),
        outputs=(Signal("energy", "per mass", "m2/s2"),),
    ),
    motion=_plain(lambda t, x, u, k, d: (np.array([x[1], -k[0] * x[0] + d[0]]), np.array([0.5 * (x[1] ** 2 + k[0] * x[0] ** 2)]), np.zeros(0))),
    next_time=lambda t, x, u, k, d: d[1],
    update=Staged(_sampled_update),
)  # fmt: skip


def small_fmu(system):
    return once(session_folder() / "batch" / f"{system.name}.fmu", lambda path: api.build(system, path))


def outputs_of(batch):
    return [variable.name for variable in variables_of(batch.system) if variable.causality == "output"]


def alone(fmu, values, stop, step, names, runs, inputs=None):
    """(runs, points, names) of runs of the FMU, one after the other."""
    with Simulator(fmu, logged=False) as simulator:
        settings = [{name: float(column[run]) for name, column in values.items()} for run in range(runs)]
        return np.array([simulator.run(stop, step, own, inputs, names).values for own in settings])


def compared(system, fmu, values, stop, step, bound, **more):
    """The largest difference over the largest value of each variable; and the batch, closed."""
    runs = len(next(iter(values.values())))
    with spacefmu.Batch(system, runs, **more) as batch:
        assert batch.begin(values, stop) == {}
        names = outputs_of(batch)
        found = batch.run(stop, step, names)
        work = batch.work()
        assert batch.reasons() == {}
    theirs = alone(fmu, values, stop, step, names, runs)
    scale = np.abs(theirs).max(axis=(0, 1)) + 1e-3
    assert (np.abs(found.values - theirs) / scale).max() < bound
    return found, work


@pytest.mark.parametrize("step", [0.1, 0.02, 1.0])
def test_free_motion(step):
    """Steps that end at communication points, span many of them, or are shorter."""
    _, (evaluations, by_themselves) = compared(
        system_of("HingedPanel"), fmu_file("HingedPanel"), PANEL, 6.0, step, 2e-8
    )
    assert evaluations > 0.0
    assert by_themselves == 11.0  # each run's first step, which finds the lengths


def test_samples_in_step_and_between_communication_points():
    values = {"square": RNG.uniform(4.0, 16.0, 9), "period": np.array([0.2, 0.2, 0.1, 0.3, 0.2, 0.15, 0.2, 0.07, 0.2])}
    _, (_, by_themselves) = compared(SAMPLED, small_fmu(SAMPLED), values, 10.0, 0.1, 1e-9)
    assert 100 < by_themselves < 250  # 0.15 and 0.07 s do not meet the points


def test_events_in_state():
    """Balls that bounce, each at its own times: the step with the bounce is the ball's own."""
    values = {"height": RNG.uniform(0.5, 2.0, 13), "restitution": RNG.uniform(0.85, 0.95, 13)}
    found, (evaluations, by_themselves) = compared(BALL, small_fmu(BALL), values, 2.5, 0.05, 1e-8)
    bounces = found["bounces"][:, -1]
    assert (bounces >= 2.0).all()
    assert 13 + bounces.sum() <= by_themselves < 13 * 50
    assert evaluations > 0.0


def test_loops_run_by_the_scalar_core():
    """Rows are solved with their rank, run by run: the FMU's own bits."""
    values = {"solver.tolerance": np.array([1e-6, 1e-7, 1e-8])}
    compared(system_of("FourBar"), fmu_file("FourBar"), values, 2.0, 0.05, 1e-300)


def test_any_number_of_threads_gives_the_same_bits():
    found = []
    for threads in (1, 2, 5):
        with spacefmu.Batch(system_of("HingedPanel"), 11, lanes=2, threads=threads) as batch:
            for _ in range(2):  # and a second time
                batch.begin(PANEL)
                batch.sort()
                found.append(batch.run(3.0, 0.1, ["hub.quaternion"]).values)
    assert all(np.array_equal(found[0], other) for other in found[1:])


def test_who_shares_a_vector_matters_to_the_tolerance_alone():
    """Eleven runs together, and the same as three and eight: then some have other neighbours, with 2, 4 and 8 lanes."""
    system, values = system_of("HingedPanel"), {}
    for parts in ((0, 11), (0, 3, 11)):
        found = []
        for first, last in pairwise(parts):
            with spacefmu.Batch(system, last - first, threads=1) as batch:
                batch.begin({name: column[first:last] for name, column in PANEL.items()})
                found.append(batch.run(5.0, 0.1, ["hub.angular_velocity", "panel.mode[1].amplitude"]).values)
        values[len(parts)] = np.concatenate(found)
    assert not np.array_equal(values[2], values[3])
    np.testing.assert_allclose(values[2], values[3], rtol=0.0, atol=1e-9)


def test_steps_with_inputs_of_each_run_and_a_run_that_begins_again():
    """Inputs by step and run against tables over time; a run in the middle begins anew while the others go on."""
    rng, steps = np.random.default_rng(1), 20
    pushes = rng.uniform(-1.0, 1.0, (steps, 3))
    with spacefmu.Batch(SAMPLED, 3) as batch:
        push, kept = batch.references(["push"]), batch.references(["place", "energy"])
        batch.begin({"square": [4.0, 5.0, 6.0], "push": pushes[0]})  # as a table has it at the start
        seen = []
        for i in range(steps):
            if i == 8:
                batch.begin({"square": [7.0], "push": pushes[8, 1]}, which=np.array([1]))
            seen.append(batch.step(0.1, (push, pushes[i][:, None]), kept))
        assert np.array_equal(batch.values(kept), seen[-1])
        assert batch.reasons() == {}
    seen = np.array(seen)
    for run, square, first in ((0, 4.0, 0), (2, 6.0, 0), (1, 7.0, 8)):
        times = np.repeat(np.arange(steps - first) * 0.1, 2)[1:]
        table = Result(times, ("push",), np.repeat(pushes[first:, run], 2)[:-1, None])
        stop = 0.1 * (steps - first)
        wanted = api.simulate(small_fmu(SAMPLED), stop, 0.1, {"square": square}, table, ["place", "energy"])
        np.testing.assert_allclose(seen[first:, run], wanted.values[1:], atol=1e-9)


def test_a_run_that_can_not_start_and_one_that_fails_leave_the_others():
    masses = np.array([1.0, -1.0, 2.0])
    with spacefmu.Batch(system_of("HingedPanel"), 3) as batch:
        reasons = batch.begin({"hub.mass": 400.0 * masses})
        assert list(reasons) == [1]
        assert "hub.mass" in reasons[1]
        found = batch.run(1.0, 0.1, ["hub.position"])
        assert np.isfinite(found.values[[0, 2]]).all()
        assert batch.reasons() == reasons
        with pytest.raises(ValueError, match="did you mean"):
            batch.begin({"hub.maas": 1.0})
        with pytest.raises(ValueError, match="shape"):
            batch.step(0.1, (batch.references(["hub.torque"]), np.zeros((2, 3))))
    with pytest.raises(ValueError, match="lanes is 3"):
        spacefmu.Batch(BALL, 3, lanes=3)
    with pytest.raises(ValueError, match="at least 1"):
        spacefmu.Batch(BALL, 0)


def test_numbers_of_runs_are_those_of_the_table():
    """Every kind of metric, of a scalar and of an array, from some time on, in another unit, against studies/metrics.py."""
    metrics = [
        Metric(of=of, kind=kind, after=after, **({"target": 0.01, "band": 0.05} if kind == "settling_time" else {}))
        for kind in KINDS
        for of, after in (("panel.mode[1].amplitude", 0.0), ("hub.angular_velocity", 1.35))
    ]
    with spacefmu.Batch(system_of("HingedPanel"), 11) as batch:
        batch.begin(PANEL)
        numbers = [RunNumber(m.of, m.kind, m.after, 57.0, 0.001, m.target, m.band or 0.0) for m in metrics]
        names = ["hub.angular_velocity", "panel.mode[1].amplitude"]
        found = batch.run(4.0, 0.1, names, numbers)
    for run in range(11):
        table = Result(found.time, found.names, found.values[run])
        for place, metric in enumerate(metrics):
            own = tuple(name for name in found.names if name.startswith(metric.of))
            wanted = Measure(metric, own, "", 57.0, 0.001)(table)
            number = found.numbers[run, place]
            assert np.isnan(number) if wanted is None else number == pytest.approx(wanted, rel=1e-12)


@pytest.mark.ci
@pytest.mark.parametrize("name, stop, bound", [("AttitudeSlew", 40.0, 1e-9), ("ThrusterSlew", 10.0, 1e-9), ("ThermalSnap", 20.0, 2e-6), ("DeployableWing", 20.0, 1e-8), ("SpaceManipulator", 10.0, 1e-7)])  # fmt: skip
def test_catalogue_with_draws(name, stop, bound):
    """Sampled systems, thrusters with pulses, eclipses, latches, a tree with drives."""
    system = system_of(name)
    masses = [p.name for p in system.signals.parameters if p.name.endswith(".mass") and p.start][:2]
    values = {p.name: p.start * RNG.uniform(0.95, 1.05, 5) for p in system.signals.parameters if p.name in masses}
    fmu = once(session_folder() / "native" / f"{name}.fmu", lambda path: api.build(system, path))
    compared(system, fmu, values, stop, system.about.experiment["step"], bound)
