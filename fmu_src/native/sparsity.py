"""Which states and inputs each derivative and output really depends on, from the sparsity of the equations.

Masters read it from the model description to find algebraic loops, so it is true and not merely safe.
Dependencies travel as Boolean matrices: one row an entry of an array, one column a known variable.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi
import numpy as np

from dynamics.system import System

from .trace import Traced, Traces


@dataclass(frozen=True)
class Dependencies:
    """Names of the known variables each unknown depends on; "time" stands for the independent variable.

    derivatives (per state) and outputs (per y): on time, states and inputs, while the simulation runs.
    initial_*: on time, start values of states and discrete states, inputs and parameters, in initialization.
    """

    derivatives: list[set[str]]
    outputs: list[set[str]]
    initial_states: list[set[str]]
    initial_derivatives: list[set[str]]
    initial_outputs: list[set[str]]
    initial_discretes: list[set[str]]


def dependencies(system: System, traces: Traces | None = None) -> Dependencies:
    """Structural dependencies, composed through the solve: what enters M, G, f or gamma reaches every z. `traces` of the System, where there are."""
    traces = traces or Traces(system)
    motion = traces.motion
    running = _running(system)
    x_dot, y = _through(motion, "rates_outputs", running.point)
    initial = _initialized(system, traces)
    x_dot0, y0 = _through(motion, "rates_outputs", initial.point)
    return Dependencies(
        running.names_of(x_dot),
        running.names_of(y),
        initial.names_of(initial.point[1]),
        initial.names_of(x_dot0),
        initial.names_of(y0),
        initial.names_of(initial.point[4]),
    )


@dataclass
class _Knowns:
    """The known variables (columns), and what t, x, u, k, d depend on of them."""

    names: list[str]
    point: list[np.ndarray]

    def names_of(self, rows: np.ndarray) -> list[set[str]]:
        return [{name for name, depends in zip(self.names, row, strict=True) if depends} for row in rows]


def _running(system: System) -> _Knowns:
    """While the simulation runs time, states and inputs are known; parameters and discrete states stand still."""
    groups = _identity_blocks(system, "states", "inputs")
    t, x, u = groups.point
    still = np.zeros((system.nk, len(groups.names)), dtype=bool)
    return _Knowns(groups.names, [t, x, u, still, np.zeros((system.nd, len(groups.names)), dtype=bool)])


def _initialized(system: System, traces: Traces) -> _Knowns:
    """After initialization: start values and parameters, sent through derive, initialize, projections and update."""
    groups = _identity_blocks(system, "states", "inputs", "parameters", "discretes")
    t, x, u, p, d = groups.point
    (k,) = _apply(traces.derive, [p])
    x, d = _apply(traces.initialize, [t, x, u, k, d])
    for i, projection in enumerate(traces.projections):
        (x,) = _through(projection, f"project_{i}", [t, x, u, k, d])
    if traces.update is not None:
        (g,) = _through(traces.motion, "indicators", [t, x, u, k, d])
        x, d = _through(traces.update, "update", [t, x, u, k, d, g])
    return _Knowns(groups.names, [t, x, u, k, d])


def _identity_blocks(system: System, *groups: str) -> _Knowns:
    names = [["time"], *([s.name for s in getattr(system.signals, group)] for group in groups)]
    identity = np.eye(sum(map(len, names)), dtype=bool)
    return _Knowns(sum(names, []), np.split(identity, np.cumsum([len(part) for part in names])[:-1]))


def _through(stage: Traced, result: str, point: list[np.ndarray]) -> list[np.ndarray]:
    """Dependencies of a staged function's results: every entry of z and the multipliers depends on the whole solve."""
    finish = stage.results[result]
    columns = point[0].shape[1]
    n, m, c = (finish.size1_in(name) for name in ("z", "multipliers", "carry"))
    if stage.assemble is None:
        z, multipliers, carry = (np.zeros((size, columns), dtype=bool) for size in (n, m, c))
    else:
        *solve, carry = _apply(stage.assemble, point)
        reached = np.concatenate(solve).any(axis=0)
        z, multipliers = np.tile(reached, (n, 1)), np.tile(reached, (m, 1))
    return _apply(finish, [*point, z, multipliers, carry])


def _apply(function: casadi.Function, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """Dependencies of a function's results, from those of its arguments."""
    results = []
    for o in range(function.n_out()):
        rows = np.zeros((function.size1_out(o), arguments[0].shape[1]), dtype=bool)
        for i, argument in enumerate(arguments):
            sparsity = function.jac_sparsity(o, i)
            for row, column in zip(*sparsity.get_triplet(), strict=True):
                rows[row] |= argument[column]
        results.append(rows)
    return results
