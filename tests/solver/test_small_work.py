"""Work that a communication step avoids: only the required functions are evaluated, and no event iteration is made if no event can be due."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.blocks.attitude_controller import AttitudeController
from spacefmu.dynamics.blocks.partner import partner_system
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src.native.c.generator import expressions
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.large_crafts import mixed_chain
from tests.systems_small import SAMPLER


def functions_of(system):
    return {function.name(): function for function in expressions(Traces(system))}


def results(function, given) -> dict[str, np.ndarray]:
    found = function.call([given[name] for name in function.name_in()])
    return {name: np.array(value).ravel() for name, value in zip(function.name_out(), found, strict=True)}


def test_the_residual_alone_is_that_of_the_whole_assembly():
    """Equal bit for bit, so that both flavours project at the same steps; and most of the work is avoided."""
    system, rng = load_text(mixed_chain(6, closed=True)), np.random.default_rng(4)
    functions = functions_of(system)
    assert len(system.projections) == 3
    for i in range(3):
        whole, alone = functions[f"projection_{i}_assemble"], functions[f"residual_{i}"]
        given = {name: rng.uniform(0.1, 1.0, whole.size1_in(name)) for name in whole.name_in()}
        gamma = results(alone, given)["gamma"]
        assert gamma.size == system.projections[i].stage.m
        assert np.array_equal(gamma, results(whole, given)["gamma"])
        assert alone.n_instructions() < (1.0 if i == 0 else 0.7) * whole.n_instructions()


def test_what_the_log_speaks_of_is_asked_for_alone():
    controller = AttitudeController(name="C", sample_time=0.1, stiffness=(4.0, 8.0, 6.0), damping=(9.0, 18.0, 14.0))
    system, rng = partner_system(controller), np.random.default_rng(5)
    functions = functions_of(system)
    outputs, noticed = functions["outputs"], functions["noticed"]
    given = {name: rng.uniform(0.1, 1.0, outputs.size1_in(name)) for name in outputs.name_in()}
    where = [i for i, _ in system.signals.notices()]
    assert where
    for size in (1.0, 0.0):  # an attitude, and none
        given["u"] = size * given["u"]
        seen = results(noticed, given)["seen"]
        assert np.array_equal(seen, results(outputs, given)["y"][where])
        assert seen.tolist() == [size]
    assert noticed.n_instructions() < 0.3 * outputs.n_instructions()


def native_evaluations(unit) -> int:
    fmu = unit(SAMPLER).initialize(input=1.0)
    fmu.run(10.0, 0.01)
    fmu.fmu.setDebugLogging(True, ["logSolver"])
    fmu.fmu.terminate()
    return int(fmu.log[-1][2].split(" evaluations=")[1].split()[0])


def float_evaluations(_) -> int:
    solver = Solver(SAMPLER)
    solver.place(0.0, *start(SAMPLER, 0.0, None, [1.0]))
    for i in range(1000):
        solver.advance(0.01 * (i + 1))
    assert solver.d[0] == pytest.approx(10.0)
    return solver.evaluations


@pytest.mark.parametrize("evaluations", [native_evaluations, float_evaluations])
def test_where_nothing_was_set_and_nothing_is_due_there_is_no_event_iteration(evaluations, unit):
    """Forty samples in a thousand steps: it is the samples that evaluate, a few times each."""
    assert evaluations(unit) < 4 * 41
