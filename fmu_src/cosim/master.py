"""The master: advances the FMUs of a system, one communication step after the other.

At every communication point tₙ = n·h

    exchange   outputs → inputs, so that all FMUs agree on the values at tₙ      (the table EXCHANGES)
    record     every output
    step       every FMU from tₙ to tₙ₊₁, inputs held

A sampled controller whose sample is due at tₙ responds to the inputs of tₙ *before* it steps: the Gauss-Seidel exchange sets its inputs
and reads its torque at the same instant, so the plant receives the current torque.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..archive.description import unit_of
from ..results.names import UnknownName, no_unit
from ..results.table import Result
from .coupling import Wired, connected
from .fmu import Port, SimulationError, Slave
from .fmu_log import logged_origin
from .instability import KEPT, running_away, swinging
from .system import CoupledSystem


@dataclass(frozen=True)
class UnitWire:
    """All scalar connections from one unit to another: inputs := factors · outputs."""

    outputs: Port
    inputs: Port
    factors: np.ndarray


class Master:
    """A system of FMUs, loaded once and run any number of times: a later run begins with a reset. Use it in a `with` block."""

    def __init__(self, system: CoupledSystem, fmus: Mapping[str, Path]):
        self.system = system
        self.slaves = {name: Slave(name, fmus[name]) for name in system.units}
        wired = connected(system, {name: slave.description for name, slave in self.slaves.items()})
        self._wires = _wires(wired, self.slaves)
        self._connections = {".".join(each.input): [".".join(each.output), each.factor] for each in wired}
        self._starts = {name: _starts(self.slaves[name], unit.start) for name, unit in system.units.items()}
        self._used = False
        self._exchanged: deque[list[np.ndarray]] = deque(maxlen=KEPT)

    def __enter__(self) -> Master:
        with ExitStack() as stack:
            for slave in self.slaves.values():
                stack.enter_context(slave)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure) -> None:
        self._stack.close()

    def run(
        self,
        starts: Mapping[str, Mapping[str, object]] | None = None,
        record: Collection[str] | None = None,
        on_progress: Callable[[float], object] | None = None,
        clock: Callable[[float], None] | None = None,
    ) -> Result:
        """One run: the variables to `record`, as `unit.variable`, at every communication point; default: all outputs.

        starts: start values by unit, on top of the system's own. on_progress: called with the fraction done; if it returns False, the run
        ends. clock: called with the time at every communication point (real_time.RealTimeClock waits there).
        A SimulationError has the results up to that time, `so_far`; after it the units can't continue.
        """
        strange = [name for name in record or () if name.partition(".")[0] not in self.slaves]
        if strange:
            raise UnknownName(no_unit(strange[0], self.slaves), strange[0])
        recorded = {name: _recorded(slave, record) for name, slave in self.slaves.items()}
        units = {f"{u}.{n}": unit_of(self.slaves[u].variables[n]) for u, own in recorded.items() for n in own}
        ports = [Port(self.slaves[name], own) for name, own in recorded.items()]
        rows: list[np.ndarray] = []

        def so_far() -> Result:
            values = np.array(rows) if rows else np.zeros((0, len(units)))
            logged = logged_origin({name: slave.fmu_log for name, slave in self.slaves.items()})
            origin = {"system": self.system.name, "connections": self._connections} | logged
            remarks = tuple(f"{u} ({s.path.name}): {words}" for u, s in self.slaves.items() for words in s.warned)
            return Result(np.arange(len(rows)) * self.system.step, tuple(units), values, units, remarks, origin)

        try:
            self._initialize(starts or {})
            self._advance(ports, rows, on_progress, clock)
        except SimulationError as error:
            coupling = self._by_exchange(len(rows))
            failed = coupling or error
            failed.so_far = so_far() if coupling is None else replace(so_far(), remarks=())
            raise failed from error.__cause__
        return so_far()

    def _by_exchange(self, steps: int) -> SimulationError | None:
        """Why the run failed, if values alternate with growing amplitude or diverge: then a unit's own message would mislead."""
        seen = [np.concatenate(values) for values in self._exchanged if values]
        swings, grows = swinging(seen), running_away(seen)
        number = grows if swings is None else swings
        if number is None:
            return None
        name = [f"{wire.inputs.owner}.{own}" for wire in self._wires for own in wire.inputs.names][number]
        last = ", ".join(f"{values[number]:.2g}" for values in seen[-3:])
        step = self.system.step
        if swings is None:
            return SimulationError(
                f"{self.system.name}: the units drive each other without bound at {steps * step - step:g} s: {name} was {last} at the last exchanges; "
                f"either the loop itself is unstable (check the signs of gains), or the communication step of {step:g} s is too long for it; "
                "algorithm = 'monolithic' rules out the second"
            )
        return SimulationError(
            f"{self.system.name}: the coupling is unstable at {steps * step - step:g} s: {name} was {last} at the last exchanges; "
            f"a communication step of {step:g} s delays the feedback between the units too much; use a shorter step, lower gains, or algorithm = 'monolithic'"
        )

    def _initialize(self, starts: Mapping[str, Mapping[str, object]]) -> None:
        slaves = self.slaves
        for name, slave in slaves.items():
            if self._used:
                slave.reset()
            slave.set(self._starts[name] | _starts(slave, starts.get(name, {})))
            slave.enter_initialization(_tolerance(slave))
        self._used = True
        self._exchanged.clear()
        EXCHANGES[self.system.algorithm](slaves, self._wires)
        for slave in slaves.values():
            slave.call("exitInitializationMode")

    def _advance(self, ports: list[Port], rows: list[np.ndarray], on_progress, clock) -> None:
        """From the start to the end; a row of values is added at every communication point."""
        slaves, step = self.slaves, self.system.step
        exchange = EXCHANGES[self.system.algorithm]
        count = round(self.system.stop / step)
        for n in itertools.count():
            self._exchanged.append(exchange(slaves, self._wires))
            rows.append(np.concatenate([port.get() for port in ports]))
            if clock:
                clock(n * step)
            if n == count:
                break
            for slave in slaves.values():
                # tₙ is n·h, never a sum
                slave.call("doStep", currentCommunicationPoint=n * step, communicationStepSize=step)
            if on_progress and on_progress((n + 1) / count) is False:
                count = n + 1  # the end is near: the next point is the last one
        for slave in slaves.values():
            slave.call("terminate")


def cosimulate(
    system: CoupledSystem,
    fmus: Mapping[str, Path],
    on_progress: Callable[[float], object] | None = None,
    starts: Mapping[str, Mapping[str, object]] | None = None,
    record: Collection[str] | None = None,
    clock: Callable[[float], None] | None = None,
) -> Result:
    """Run a system of FMUs and return every output of every unit, as `unit.variable`, at every communication point.

    fmus: the .fmu file of each unit. The rest: as for `Master.run`. Raises ValueError for connections and start values that
    the FMUs do not have, SimulationError for what an FMU refuses.
    """
    with Master(system, fmus) as master:
        return master.run(starts, record, on_progress, clock)


def _sweep(slaves: Mapping[str, Slave], wires: tuple[UnitWire, ...]) -> list[np.ndarray]:
    """Gauss-Seidel: connection after connection, repeated until no input changes. Without algebraic loops, one sweep per unit suffices."""
    last = [np.full(len(wire.factors), np.nan) for wire in wires]
    for _ in range(len(slaves) + 1):
        changed = False
        for i, wire in enumerate(wires):
            values = wire.factors * wire.outputs.get()
            if not np.array_equal(values, last[i]):
                wire.inputs.set(values)
                last[i], changed = values, True
        if not changed:
            return last
    raise SimulationError(
        f"the connections of {', '.join(slaves)} form an algebraic loop: values still change after {len(slaves) + 1} "
        "exchanges at one instant; use algorithm = 'jacobi', or break the loop"
    )


def _all_at_once(slaves: Mapping[str, Slave], wires: tuple[UnitWire, ...]) -> list[np.ndarray]:
    """Jacobi: read every output, then set every input."""
    values = [wire.factors * wire.outputs.get() for wire in wires]
    for wire, given in zip(wires, values, strict=True):
        wire.inputs.set(given)
    return values


EXCHANGES = {"gauss_seidel": _sweep, "jacobi": _all_at_once}


def _wires(connections: Sequence[Wired], slaves: Mapping[str, Slave]) -> tuple[UnitWire, ...]:
    """Connections as arrays, in the order of the units they come from."""
    ends: dict[tuple[str, str], list[Wired]] = {}
    for wired in connections:
        ends.setdefault((wired.output[0], wired.input[0]), []).append(wired)
    order = list(slaves)
    wires = []
    for source, target in sorted(ends, key=lambda pair: order.index(pair[0])):
        own = ends[source, target]
        outputs = Port(slaves[source], [wired.output[1] for wired in own])
        inputs = Port(slaves[target], [wired.input[1] for wired in own])
        wires.append(UnitWire(outputs, inputs, np.array([wired.factor for wired in own])))
    return tuple(wires)


def _starts(slave: Slave, given: Mapping[str, object]) -> dict[str, object]:
    return {name: value for key, value in given.items() for name in slave.resolve(key)}


def _recorded(slave: Slave, record: Collection[str] | None) -> list[str]:
    """The unit's variables among `record`, names `unit.variable`; default its outputs."""
    if record is None:
        return [n for n, v in slave.variables.items() if v.causality == "output" and v.type != "String"]
    own = [name.removeprefix(f"{slave.name}.") for name in record if name.startswith(f"{slave.name}.")]
    return [found for name in own for found in slave.resolve(name)]


def _tolerance(slave: Slave) -> float | None:
    experiment = slave.description.defaultExperiment
    return float(experiment.tolerance) if experiment is not None and experiment.tolerance else None
