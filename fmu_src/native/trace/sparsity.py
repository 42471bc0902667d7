"""The states and inputs on which each derivative and output depends, from the sparsity of the equations.

Hosts read it from the model description to find algebraic loops, so it is exact and not only an upper bound.
Dependencies are propagated as numbers, one per entry of an array, with one bit per known variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from itertools import chain, count
from operator import or_

import casadi

from spacefmu.dynamics.system.contract import System

from .dataflow import Dataflow, NoDataflow, bits, dataflow_of
from .traces import Traced, Traces


class NameSet(Set[str]):
    """A subset of many names, as bits of a number: large models have thousands of such sets of thousands of names."""

    def __init__(self, mask: int, places: Mapping[str, int], names: Sequence[str]):
        self._mask, self._places, self._names = mask, places, names

    def __contains__(self, name: object) -> bool:
        return name in self._places and bool(self._mask >> self._places[str(name)] & 1)

    def __iter__(self) -> Iterator[str]:
        return (self._names[i] for i in bits(self._mask))

    def __len__(self) -> int:
        return self._mask.bit_count()

    @classmethod
    def _from_iterable(cls, it):
        return frozenset(it)


@dataclass(frozen=True)
class Dependencies:
    """NameSet of the known variables each unknown depends on; "time" stands for the independent variable.

    derivatives (per state) and outputs (per y): on time, states and inputs, while the simulation runs.
    initial_*: on time, start values of states and discrete states, inputs and parameters, in initialization.
    """

    derivatives: list[NameSet]
    outputs: list[NameSet]
    initial_states: list[NameSet]
    initial_derivatives: list[NameSet]
    initial_outputs: list[NameSet]
    initial_discretes: list[NameSet]


def dependencies(system: System, traces: Traces | None = None) -> Dependencies:
    """Structural dependencies, composed through the solve: every z depends on all that M, G, f or gamma depend on. `traces`: those of the System, if they
    exist."""
    traces = traces or Traces(system)
    motion, flows = traces.motion, _Dataflows()
    running = _running(system)
    x_dot, y = flows.through(motion, "rates_outputs", running.point)
    initial = _initialized(system, traces, flows)
    x_dot0, y0 = flows.through(motion, "rates_outputs", initial.point)
    return Dependencies(
        running.names_of(x_dot),
        running.names_of(y),
        initial.names_of(initial.point[1]),
        initial.names_of(x_dot0),
        initial.names_of(y0),
        initial.names_of(initial.point[4]),
    )


def rates_by_states(system: System, traces: Traces) -> list[int]:
    """The states on which each derivative depends: bit i stands for state i."""
    (x_dot,) = _Dataflows().through(traces.motion, "rates", _running(system).point)
    return [
        depends >> 1 & ((1 << system.nx) - 1) for depends in x_dot
    ]  # time is the first of the knowns, states follow


Depends = list[int]  # dependencies of each entry of an array: bit i stands for known variable i


@dataclass
class _Knowns:
    """The known variables (bits), and those on which t, x, u, k, d depend."""

    names: list[str]
    point: list[Depends]

    def names_of(self, entries: Depends) -> list[NameSet]:
        """The NameSet of each entry; entries with equal dependencies share one."""
        places = {name: i for i, name in enumerate(self.names)}
        sets = {mask: NameSet(mask, places, self.names) for mask in set(entries)}
        return [sets[mask] for mask in entries]


def _running(system: System) -> _Knowns:
    """While the simulation runs, time, states and inputs are known; parameters and discrete states are constant."""
    groups = _each_by_itself(system, "states", "inputs")
    return _Knowns(groups.names, [*groups.point, [0] * system.nk, [0] * system.nd])


def _initialized(system: System, traces: Traces, flows: _Dataflows) -> _Knowns:
    """After initialization: start values and parameters, sent through derive, initialize, projections and update."""
    groups = _each_by_itself(system, "states", "inputs", "parameters", "discretes")
    t, x, u, p, d = groups.point
    (k,) = flows.apply(traces.derive, [p])
    x, d = flows.apply(traces.initialize, [t, x, u, k, d])
    for i, projection in enumerate(traces.projections):
        (x,) = flows.through(projection, f"project_{i}", [t, x, u, k, d])
    if traces.update is not None:
        (g,) = flows.through(traces.motion, "indicators", [t, x, u, k, d])
        x, d = flows.through(traces.update, "update", [t, x, u, k, d, g])
    return _Knowns(groups.names, [t, x, u, k, d])


def _each_by_itself(system: System, *groups: str) -> _Knowns:
    """Time and the variables of some groups, each of which depends on itself."""
    names = [["time"], *([s.name for s in getattr(system.signals, group)] for group in groups)]
    number = count()
    return _Knowns(sum(names, []), [[1 << next(number) for _ in part] for part in names])


class _Dataflows:
    """Propagates dependencies through functions; the dataflow of each is found once."""

    def __init__(self) -> None:
        self._known: dict[str, Dataflow | None] = {}  # by the function's name

    def through(self, stage: Traced, result: str, point: list[Depends]) -> list[Depends]:
        """Dependencies of a staged function's results: every entry of z and the multipliers depends on the whole solve."""
        finish = stage.results[result]
        n, m, c = (finish.size1_in(name) for name in ("z", "multipliers", "carry"))
        reached, carry = 0, [0] * c
        if stage.assemble is not None:
            *solve, carry = self.apply(stage.assemble, point)
            reached = reduce(or_, chain(*solve), 0)
        return self.apply(finish, [*point, [reached] * n, [reached] * m, carry])

    def apply(self, function: casadi.Function, arguments: list[Depends]) -> list[Depends]:
        """Dependencies of a function's results, from those of its arguments."""
        name = function.name()
        if name not in self._known:
            try:
                self._known[name] = dataflow_of(function)
            except NoDataflow:  # tables of bodies with many modes
                self._known[name] = None
        flow = self._known[name]
        return _by_jacobians(function, arguments) if flow is None else flow.sent_through(arguments)


def _by_jacobians(function: casadi.Function, arguments: list[Depends]) -> list[Depends]:
    results = []
    for o in range(function.n_out()):
        entries = [0] * function.size1_out(o)
        for i, argument in enumerate(arguments):
            for row, column in zip(*function.jac_sparsity(o, i).get_triplet(), strict=True):
                entries[row] |= argument[column]
        results.append(entries)
    return results
