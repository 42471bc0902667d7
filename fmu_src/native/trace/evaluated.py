"""A System on floats by its CasADi functions: a hundred times quicker than on arrays, and nothing to compile.

They are made for the C anyway. Evaluated = plain to round-off: tests/fmi/test_evaluated.py.
"""

from __future__ import annotations

from dataclasses import replace

import casadi
import numpy as np

from spacefmu.dynamics.system.contract import Staged, System

from .traces import Traced, Traces


def evaluated(traces: Traces) -> System:
    """The same System, whose motion, update and projections are these functions; for floats only."""
    system = traces.system
    parts = tuple(_first(traces.motion.results[name]) for name in ("rates", "outputs", "indicators"))
    motion = _staged(system.motion, traces.motion, lambda *a: tuple(part(*a) for part in parts))
    update = None
    if system.update is not None and traces.update is not None:
        update = _staged(system.update, traces.update, _all(traces.update.results["update"]))
    projections = tuple(
        replace(own, stage=_staged(own.stage, traced, _first(next(iter(traced.results.values())))))
        for own, traced in zip(system.projections, traces.projections, strict=True)
    )
    return replace(system, motion=replace(motion, parts=parts), update=update, projections=projections)


def _staged(stage: Staged, traced: Traced, finish) -> Staged:
    if traced.assemble is None:
        return replace(stage, finish=finish)
    parts = _all(traced.assemble)

    def assemble(*arguments):
        M, G, f, gamma, carry = parts(*arguments)
        return M.reshape(stage.n, stage.n), G.reshape(stage.m, stage.n), f, gamma, carry

    return replace(stage, assemble=assemble, finish=finish)


def _all(function: casadi.Function):
    """The function on floats and arrays; its results as columns."""

    def call(*arguments):
        return [found.full().ravel() for found in function.call([casadi.DM(np.atleast_1d(a)) for a in arguments])]

    return call


def _first(function: casadi.Function):
    whole = _all(function)
    return lambda *arguments: whole(*arguments)[0]
