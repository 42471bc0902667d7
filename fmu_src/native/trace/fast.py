"""A System evaluated by CasADi's virtual machine: the same interface, an order of magnitude faster than NumPy floats.

For smoke tests, tests and studies in Python. The equations are evaluated once on symbols; afterwards only on numbers. Equal to the equations to
round-off: tests/peers/test_floats_symbols_c.py, tests/interface/test_references.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import casadi
import numpy as np

from spacefmu.dynamics.system.contract import Staged, System

from .traces import Traced, Traces


def fast(system: System, traces: Traces | None = None) -> System:
    """The same System on compiled expressions, for floats only; `traces`: those of the System, if they exist."""
    traces = traces or Traces(system)
    motion = _staged(system.motion, traces.motion, "rates_outputs", "indicators")
    parts = [_callable(traces.motion.results[name]) for name in ("rates", "outputs", "indicators")]
    motion = replace(motion, parts=tuple(lambda *args, part=part: part(*args)[0] for part in parts))
    update = _staged(system.update, traces.update, "update") if system.update and traces.update else None
    projections = tuple(
        replace(projection, stage=_staged(projection.stage, traced, f"project_{i}"))
        for i, (projection, traced) in enumerate(zip(system.projections, traces.projections, strict=True))
    )
    return replace(system, motion=motion, update=update, projections=projections)


def _staged(stage: Staged, traced: Traced, *results: str) -> Staged:
    assemble = None if traced.assemble is None else _callable(traced.assemble, (stage.n, stage.m))
    functions = [_callable(traced.results[name]) for name in results]

    def finish(*args):
        parts = tuple(part for function in functions for part in function(*args))
        return parts if len(parts) > 1 else parts[0]

    return replace(stage, assemble=assemble, finish=finish)


def _callable(function: casadi.Function, shape: tuple[int, int] | None = None):
    """A CasADi function on NumPy arrays; an assemble gives M and G as matrices.

    Numbers pass through buffers that the function reads and writes directly: CasADi's conversions take longer than most evaluations.
    """
    buffer: Any
    buffer, evaluate = function.buffer()
    given = [np.zeros(function.numel_in(i)) for i in range(function.n_in())]
    found = [np.zeros(function.nnz_out(i)) for i in range(function.n_out())]
    for i, array in enumerate(given):
        assert function.nnz_in(i) == len(array)  # inputs are dense
        buffer.set_arg(i, array.data)
    for i, array in enumerate(found):
        buffer.set_res(i, array.data)
    sizes = [function.numel_out(i) for i in range(function.n_out())]
    places = [_places(function.sparsity_out(i)) for i in range(function.n_out())]

    def call(*args, alive=(function, buffer)):  # `evaluate` holds no references to them
        for array, argument in zip(given, args, strict=True):
            try:
                array[:] = argument
            except ValueError as fault:
                raise ValueError(_sizes(function, args)) from fault
        evaluate()
        results = [np.zeros(size) for size in sizes]
        for result, place, array in zip(results, places, found, strict=True):
            result[place] = array
        if shape is not None:
            n, m = shape
            return (results[0].reshape(n, n), results[1].reshape(m, n), *results[2:])
        return tuple(results)

    return call


def _sizes(function: casadi.Function, args) -> str:
    """The message on arguments of wrong sizes."""
    wanted = ((function.name_in(i), function.numel_in(i), np.size(each)) for i, each in enumerate(args))
    return f"{function.name()}: " + ", ".join(
        f"size of {name}: {wants}, not {has}" for name, wants, has in wanted if has != wants
    )


def _places(sparsity: casadi.Sparsity):
    """Row-major places of the entries of a matrix."""
    rows, columns = sparsity.get_triplet()
    return np.array(rows, int) * sparsity.size2() + np.array(columns, int)
