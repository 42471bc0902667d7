"""Large systems: one generated function per kind of joint and body, called for each of them (fmu_src/native/trace/sharing.py)."""

from functools import cache

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import constants
from spacefmu.fmu_src.native.c.generator import expressions
from spacefmu.fmu_src.native.trace import traces as trace
from spacefmu.fmu_src.native.trace.factoring import factored
from spacefmu.fmu_src.native.trace.sparsity import dependencies
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.large_crafts import BEADS, ORBIT, mixed_chain

FLAT, SHARED = 10**6, 1  # number of states from which functions are shared


CRAFTS = pytest.mark.parametrize(
    "craft",
    [mixed_chain(6), mixed_chain(6, closed=True), mixed_chain(6, more=ORBIT), BEADS],
    ids=["tree", "loop", "orbit", "beads"],
)


@cache
def traced(limit: int, craft: str) -> Traces:
    """The equations of a craft as functions that are shared from `limit` states on; both tests use the same ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "LARGE", limit)
        return Traces(load_text(craft))


@CRAFTS
def test_calls_and_flat_functions_give_the_same(craft):
    """Every generated function, derivatives included, at random arguments: 1e-12 of the largest entry of each result. Measured: 0.

    Parameters are those of the description, and constants those that follow: not all numbers make an orbit.
    """
    rng = np.random.default_rng(4)
    system = traced(FLAT, craft).system
    flat = {f.name(): f for f in expressions(traced(FLAT, craft))}
    p = np.array(system.signals.starts("parameters"))
    given = {"p": p, "k": constants(system, p)}
    shared = {f.name(): f for f in expressions(traced(SHARED, craft))}
    assert flat.keys() == shared.keys()
    assert any(f.is_a("MXFunction") for f in shared.values())
    assert all(f.is_a("SXFunction") for f in flat.values())
    if (assemble := shared.get("motion_assemble")) is not None:  # the flat function is already factored
        shared["motion_assemble"] = factored(assemble.expand(), system.motion.n, system.motion.m)
    for name, function in flat.items():
        arguments = [given.get(a, rng.uniform(0.05, 0.15, function.size1_in(a))) for a in function.name_in()]
        for a, b in zip(function.call(arguments), shared[name].call(arguments), strict=True):
            a, b = np.array(a), np.array(b)
            assert np.max(np.abs(a - b), initial=0.0) <= 1e-12 * np.max(np.abs(a), initial=1.0), name


@CRAFTS
def test_dependencies_are_as_true_as_those_of_flat_functions(craft):
    flat, shared = (dependencies(traces.system, traces) for traces in (traced(FLAT, craft), traced(SHARED, craft)))
    assert shared == flat


def test_small_systems_are_flat():
    system = load_text(mixed_chain(3))
    assert Traces(system).kinds is None
