"""Several Systems as one: what a master exchanges between FMUs is done inside the equations, without a coupling error.

    u_i = external inputs, and factor · (state, discrete state, output or derivative) of a unit j      (Wire)

The fused System has the states, parameters, discrete states and outputs of all units, named `unit.variable`, and those inputs
that nothing is connected to. Solves stand side by side: M = diag(M_1, M_2, …), G = diag(G_1, G_2, …).

Which output needs which inputs is read off the recorded equations (dynamics.recording), so values pass in an order in
which each is known before it is needed: `before` the solves, and `after` them for what accelerations and multipliers decide.
A unit with a solve of its own needs all its inputs before. What no order can bring about is an algebraic loop, and refused.

A sampled output shows its new value at the instant of a sample, before the event. Rates must not see it yet: the last stage of a
solver's step that ends there would. So each input that follows one is a discrete state too, renewed at events, and rates read that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np

from .recording import needed
from .scalar import minimum
from .signals import Discrete, Quantity, SignalTable, State
from .system import Attitude, Projection, Staged, System

_SEEN = (
    "states",
    "discretes",
    "outputs",
    "rates",
)  # what a wire may read, `rates` being derivatives that are no states


@dataclass(frozen=True)
class Wire:
    """One scalar connection: input := factor · source, both as (unit, name)."""

    source: tuple[str, str]
    target: tuple[str, str]
    factor: float = 1.0


@dataclass(frozen=True)
class Part:
    """A unit: its name, what its System is made by (`System.made_by`), and starts by entry that differ from the System's."""

    name: str
    made_by: tuple[Callable, Any] | None  # None: a person's block, which is no data
    starts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Fused:
    """Units and wires: what a fused System is made of, and a Python FMU of one carries."""

    name: str
    parts: tuple[Part, ...]
    wires: tuple[Wire, ...]
    experiment: dict
    description: str = ""
    documentation: str = ""


def fused_system(settings: Fused) -> System:
    """The System of units that are given as data."""
    return fuse(settings, {part.name: part.made_by[0](part.made_by[1]) for part in settings.parts})


def fuse(settings: Fused, systems: Mapping[str, System]) -> System:
    """The one System of several, by unit. ValueError names a wire's end that is not there, and algebraic loops."""
    units = _units(systems)
    wiring = _Wiring(units, settings.wires)
    motion = _Solves([(unit, unit.system.motion) for unit in units])
    events = _Solves([(unit, unit.system.update) for unit in units if unit.system.update is not None])
    jumps = _Solves([*(motion.rows if wiring.after else ()), *events.rows])

    def each(function: str, p):
        return np.concatenate([getattr(unit.system, function)(unit.own("parameters", p)) for unit in units])

    def finish(t, x, u, k, d, z, multipliers, carry):
        """ẋ and g with held samples, y with fresh ones."""
        inputs, solves = motion.taken(z, multipliers, carry) or (wiring.before(t, x, u, k, d), {})
        inputs = wiring.afterwards(inputs, solves, t, x, k, d)
        held = wiring.held(inputs, d)
        found = [unit.motion(held[unit.name], solves, t, x, k, d) for unit in units]
        shown = [unit.motion(inputs[unit.name], solves, t, x, k, d) for unit in units] if wiring.sampled else found
        x_dot, g = (np.concatenate([part[i] for part in found]) for i in (0, 2))
        return x_dot, np.concatenate([part[1] for part in shown]), g

    def assemble(t, x, u, k, d):
        fresh = wiring.before(t, x, u, k, d)
        inputs = wiring.held(fresh, d)
        return motion.assembled(fresh, lambda unit: unit.point(inputs[unit.name], t, x, k, d))

    def jump_arguments(unit: _Unit, stage: Staged, inputs, t, x, k, d, g):
        point = unit.point(inputs[unit.name], t, x, k, d)
        return point if stage is unit.system.motion else (*point, unit.own("indicators", g))

    def assemble_jumps(t, x, u, k, d, g):
        inputs = wiring.before(t, x, u, k, d)
        return jumps.assembled(
            inputs, lambda unit, stage: jump_arguments(unit, stage, inputs, t, x, k, d, g), with_stage=True
        )

    def update(t, x, u, k, d, g, z, multipliers, carry):
        inputs, solves = jumps.taken(z, multipliers, carry) or (wiring.before(t, x, u, k, d), {})
        inputs = wiring.afterwards(inputs, solves, t, x, k, d)
        states, discretes = [], []
        for unit in units:
            stage, own_x, own_d = unit.system.update, unit.own("states", x), unit.own("discretes", d)
            if stage is not None:
                arguments = jump_arguments(unit, stage, inputs, t, x, k, d, g)
                own_x, own_d = stage.finish(*arguments, *solves.get((unit.name, "update"), _NOTHING))
            states.append(own_x)
            discretes.append(own_d)
        return np.concatenate(states), np.concatenate([*discretes, wiring.samples(inputs)])

    def initialize(t, x, u, k, d):
        inputs = wiring.before(t, x, u, k, d)
        found = [unit.system.initialize(*unit.point(inputs[unit.name], t, x, k, d)) for unit in units]
        states, discretes = zip(*found, strict=True)
        return np.concatenate(states), np.concatenate([*discretes, wiring.samples(inputs)])

    def next_time(t, x, u, k, d):
        inputs = wiring.before(t, x, u, k, d)
        times = [unit.system.next_time(*unit.point(inputs[unit.name], t, x, k, d)) for unit in clocks]
        return reduce(minimum, times)

    clocks = [unit for unit in units if unit.system.next_time is not None]
    return System(
        name=settings.name,
        description=settings.description,
        signals=_table(settings, units, wiring),
        motion=motion.staged(finish, assemble),
        indicator_count=sum(unit.system.ng for unit in units),
        derive=lambda p: each("derive", p),
        constant_count=sum(unit.system.nk for unit in units),
        check=lambda p: each("check", p),
        laws=tuple(f"{unit.name}: {law}" for unit in units for law in unit.system.laws),
        without_rates=next((unit.system.without_rates for unit in units if unit.system.without_rates), ""),
        initialize=initialize,
        next_time=next_time if clocks else None,
        update=jumps.staged(update, assemble_jumps) if events.rows or wiring.sampled else None,
        update_limit=sum(unit.system.update_limit for unit in units),
        projections=tuple(unit.lifted(p, wiring) for unit in units for p in unit.system.projections),
        attitudes=tuple(unit.shifted(attitude) for unit in units for attitude in unit.system.attitudes),
        experiment=settings.experiment,
        documentation=settings.documentation,
        baked=tuple(f"{unit.name}: {line}" for unit in units for line in unit.system.baked),
        made_by=(fused_system, settings) if all(part.made_by for part in settings.parts) else None,
    )


_NOTHING = (np.zeros(0), np.zeros(0), np.zeros(0))  # z, multipliers and carry of a stage without a solve


@dataclass(frozen=True)
class _Unit:
    """A System among others: where its part of each array of the whole begins."""

    name: str
    system: System
    begins: dict[str, int]

    def own(self, group: str, whole):
        """Its part of one of the whole's arrays."""
        size = _sizes(self.system)[group]
        return whole[self.begins[group] : self.begins[group] + size]

    def point(self, inputs, t, x, k, d):
        return t, self.own("states", x), inputs, self.own("constants", k), self.own("discretes", d)

    def motion(self, inputs, solves, t, x, k, d):
        """ẋ, y, g; with the accelerations and multipliers that were solved for, else with zeros for them."""
        point, stage = self.point(inputs, t, x, k, d), self.system.motion
        solved = solves.get((self.name, "motion"))
        if solved is None and stage.assemble is not None:
            solved = (np.zeros(stage.n), np.zeros(stage.m), stage.assemble(*point)[4])
        return stage.finish(*point, *(solved or _NOTHING))

    def seen(self) -> dict[str, tuple[str, int]]:
        """Everything a wire may read of it: name → (group, place)."""
        signals = self.system.signals
        groups = {"states": signals.states, "discretes": signals.discretes, "outputs": signals.outputs}
        found = {entry.name: (group, i) for group, entries in groups.items() for i, entry in enumerate(entries)}
        return {rate.name: ("rates", i) for i, rate in signals.derivative_signals()} | found

    def needs(self) -> tuple[list[tuple[set[int], bool]], ...]:
        """Of each rate and output: the inputs it depends on, and whether on the solve; everything, of plain Python."""
        system, stage = self.system, self.system.motion
        sizes = {"t": 1, "x": system.nx, "u": system.nu, "k": system.nk, "d": system.nd}
        sizes |= {"z": stage.n, "multipliers": stage.m}

        def motion(t, x, u, k, d, z, multipliers):
            carry = stage.assemble(t, x, u, k, d)[4] if stage.assemble else np.zeros(0)
            return stage.finish(t, x, u, k, d, z, multipliers, carry)[:2]

        try:
            found = needed(motion, sizes)
        except TypeError:  # a person's block that branches on values
            return tuple([(set(range(system.nu)), False)] * count for count in (system.nx, system.ny))
        return tuple(
            [({i for name, i in entry if name == "u"}, any(name in ("z", "multipliers") for name, _ in entry)) for entry in part]
            for part in found
        )  # fmt: skip

    def lifted(self, projection: Projection, wiring: _Wiring) -> Projection:
        """Its projection, as one that moves its part of the whole state."""
        stage, begin, end = projection.stage, self.begins["states"], self.begins["states"] + self.system.nx

        def point(t, x, u, k, d):
            return self.point(wiring.before(t, x, u, k, d)[self.name], t, x, k, d)

        def finish(t, x, u, k, d, z, multipliers, carry):
            return np.concatenate([x[:begin], stage.finish(*point(t, x, u, k, d), z, multipliers, carry), x[end:]])

        return replace(
            projection,
            name=f"{self.name}: {projection.name}",
            rows=tuple(f"{self.name}.{row}" for row in projection.rows),
            stage=replace(stage, finish=finish, assemble=lambda *whole: stage.assemble(*point(*whole)), parts=()),
        )

    def shifted(self, attitude: Attitude) -> Attitude:
        begin = self.begins["states"]
        return Attitude(f"{self.name}.{attitude.name}", attitude.quaternion + begin, attitude.speed + begin)


def _sizes(system: System) -> dict[str, int]:
    return {"states": system.nx, "parameters": system.np, "constants": system.nk, "discretes": system.nd, "indicators": system.ng}  # fmt: skip


def _units(systems: Mapping[str, System]) -> list[_Unit]:
    units, begins = [], dict.fromkeys(("states", "parameters", "constants", "discretes", "indicators"), 0)
    for name, system in systems.items():
        units.append(_Unit(name, system, dict(begins)))
        begins = {group: begin + _sizes(system)[group] for group, begin in begins.items()}
    return units


class _Wiring:
    """Where each input of each unit comes from, and the order in which values become known."""

    def __init__(self, units: list[_Unit], wires: tuple[Wire, ...]):
        self.units = {unit.name: unit for unit in units}
        self.sources: dict[tuple[str, int], tuple[str, str, int, float]] = {}  # target → unit, group, place, factor
        for wire in wires:
            self.sources[self._input(wire)] = (wire.source[0], *self._source(wire), wire.factor)
        self.sampled = [target for target in self.sources if self._is_sampled(target)]
        self.first_held = sum(unit.system.nd for unit in units)
        self.free = [(u.name, i) for u in units for i in range(u.system.nu) if (u.name, i) not in self.sources]
        self._schedule(units)

    def _input(self, wire: Wire) -> tuple[str, int]:
        unit, name = wire.target
        return unit, self.units[unit].system.signals.where("inputs", name)

    def _source(self, wire: Wire) -> tuple[str, int]:
        unit, name = wire.source
        seen = self.units[unit].seen()
        if name not in seen:
            raise ValueError(f"{unit}.{name}: no state, output or derivative of that name")
        return seen[name]

    def _is_sampled(self, target: tuple[str, int]) -> bool:
        unit, group, place, _ = self.sources[target]
        return group == "outputs" and self.units[unit].system.signals.outputs[place].sampled

    def samples(self, inputs) -> Any:
        """The inputs that follow sampled outputs, to be held."""
        return _array([inputs[unit][i] for unit, i in self.sampled])

    def held(self, inputs, d) -> dict[str, Any]:
        """The inputs, those that follow sampled outputs as they are held."""
        places = {target: self.first_held + n for n, target in enumerate(self.sampled)}
        return {
            unit: _array([d[places[unit, i]] if (unit, i) in places else value for i, value in enumerate(own)])
            for unit, own in inputs.items()
        }

    def holds(self) -> list[Discrete]:
        """What is held, as discrete states named after the inputs."""
        found = [(unit, self.units[unit].system.signals.inputs[i]) for unit, i in self.sampled]
        return [
            Discrete(
                f"{unit}.{entry.name}", f"{entry.description}, as sampled", entry.unit, output=False, calculated=True
            )
            for unit, entry in found
        ]

    def _schedule(self, units: list[_Unit]) -> None:
        known = set(self.free) | {t for t, (_, group, _, _) in self.sources.items() if group in ("states", "discretes")}
        asked = {unit for unit, group, _, _ in self.sources.values() if group in ("outputs", "rates")}
        needs = {name: dict(zip(("rates", "outputs"), self.units[name].needs(), strict=True)) for name in asked}
        self.first = self._steps(known, needs, solved=False)
        solving = [u for u in units if u.system.motion.assemble or (u.system.update and u.system.update.assemble)]
        late = [target for target in self.sources if target not in known]
        for unit in solving:
            if own := [target for target in late if target[0] == unit.name]:
                raise ValueError(
                    f"{self._said(own[0])} is known only after the solve of {unit.name} or another unit, or in an algebraic loop; "
                    "expected a value that follows from states"
                )
        self.after = self._steps(known, needs, solved=True)
        if left := [target for target in self.sources if target not in known]:
            raise ValueError(f"algebraic loop: {', '.join(map(self._said, left))}; break it with a state")

    def _said(self, target: tuple[str, int]) -> str:
        unit, i = target
        return f"{unit}.{self.units[unit].system.signals.inputs[i].name}"

    def _steps(self, known: set, needs: dict, solved: bool) -> list[tuple[str, list[tuple[str, int]]]]:
        """Units to be evaluated one after the other, with the inputs that become known by each; `known` grows."""

        def ready(target) -> bool:
            unit, group, place, _ = self.sources[target]
            inputs, on_solve = needs[unit][group][place]
            return (solved or not on_solve) and all((unit, i) in known for i in inputs)

        steps = []
        while True:
            found: dict[str, list] = {}
            for target in self.sources:
                if target not in known and ready(target):
                    found.setdefault(self.sources[target][0], []).append(target)
            if not found:
                return steps
            unit, targets = next(iter(found.items()))
            steps.append((unit, targets))
            known |= set(targets)

    def before(self, t, x, u, k, d) -> dict[str, Any]:
        """Inputs of each unit as far as they are known before the solves; starts stand for the others."""
        inputs = {name: list(unit.system.signals.starts("inputs")) for name, unit in self.units.items()}
        for place, (unit, i) in enumerate(self.free):
            inputs[unit][i] = u[place]
        for (unit, i), (source, group, place, factor) in self.sources.items():
            if group in ("states", "discretes"):
                inputs[unit][i] = factor * self.units[source].own(group, {"states": x, "discretes": d}[group])[place]
        return self._passed(self.first, {name: _array(own) for name, own in inputs.items()}, {}, t, x, k, d)

    def afterwards(self, inputs, solves, t, x, k, d) -> dict[str, Any]:
        """All inputs, from those before and what was solved for."""
        return self._passed(self.after, inputs, solves, t, x, k, d)

    def _passed(self, steps, inputs, solves, t, x, k, d) -> dict[str, Any]:
        for unit, targets in steps:
            rates, outputs, _ = self.units[unit].motion(inputs[unit], solves, t, x, k, d)
            values = {"rates": rates, "outputs": outputs}
            for target, i in targets:
                _, group, place, factor = self.sources[target, i]
                own = list(inputs[target])
                own[i] = factor * values[group][place]
                inputs = inputs | {target: _array(own)}
        return inputs


class _Solves:
    """Stages of several units as one: a block each. What is carried: the inputs of all units, then what each stage carries."""

    def __init__(self, rows: list[tuple[_Unit, Staged]]):
        self.rows = rows
        self.blocks = [(unit, stage) for unit, stage in rows if stage.assemble is not None]
        self.inputs = list({unit.name: unit.system.nu for unit, _ in rows}.items())

    def staged(self, finish, assemble) -> Staged:
        if not self.blocks:
            return Staged(finish)
        n, m, carry = (sum(getattr(stage, size) for _, stage in self.blocks) for size in ("n", "m", "carry"))
        return Staged(finish, assemble, n, m, carry + sum(size for _, size in self.inputs))

    def assembled(self, inputs, arguments: Callable, with_stage: bool = False):
        found = [stage.assemble(*(arguments(unit, stage) if with_stage else arguments(unit))) for unit, stage in self.blocks]  # fmt: skip
        shaped = [np.reshape(f[1], (stage.m, stage.n)) for f, (_, stage) in zip(found, self.blocks, strict=True)]
        carry = [*(inputs[name] for name, _ in self.inputs), *(f[4] for f in found)]
        M, G = _diagonal([f[0] for f in found]), _diagonal(shaped)
        return M, G, np.concatenate([f[2] for f in found]), np.concatenate([f[3] for f in found]), np.concatenate(carry)

    def taken(self, z, multipliers, carry):
        """(inputs by unit, (z, multipliers, carry) by (unit, "motion" or "update")), or None without a solve."""
        if not self.blocks:
            return None
        inputs, at = {}, 0
        for name, size in self.inputs:
            inputs[name], at = carry[at : at + size], at + size
        solves, i, j = {}, 0, 0
        for unit, stage in self.blocks:
            which = "motion" if stage is unit.system.motion else "update"
            solves[unit.name, which] = (z[i : i + stage.n], multipliers[j : j + stage.m], carry[at : at + stage.carry])
            i, j, at = i + stage.n, j + stage.m, at + stage.carry
        return inputs, solves


def _diagonal(blocks):
    """The blocks along a diagonal, zeros elsewhere."""
    return np.concatenate(
        [
            np.concatenate([block if i == j else np.zeros((len(block), other.shape[1])) for j, other in enumerate(blocks)], 1)
            for i, block in enumerate(blocks)
        ]
    )  # fmt: skip


def _array(values: list):
    """An array of numbers or symbols, whichever are in it."""
    return np.array(values) if values else np.zeros(0)


def _table(settings: Fused, units: list[_Unit], wiring: _Wiring) -> SignalTable:
    groups: dict[str, list] = {group: [] for group in SignalTable.GROUPS}
    starts = {part.name: part.starts for part in settings.parts}
    for unit in units:
        own = dict(starts.get(unit.name, {}))
        for group in SignalTable.GROUPS:
            whole = group != "inputs"
            signals = unit.system.signals
            found = (
                signals.quantities(group) if whole else [signals.inputs[i] for u, i in wiring.free if u == unit.name]
            )
            groups[group] += [_named(unit.name, _started(quantity, own)) for quantity in found]
        if own:
            raise ValueError(f"{unit.name}: no start value is called {', '.join(own)}")
    return SignalTable(**groups | {"discretes": [*groups["discretes"], *wiring.holds()]})


def _started(quantity: Quantity, starts: dict[str, float]) -> Quantity:
    """The quantity with those of its entries' starts that are given, which are taken out of `starts`."""
    given = [starts.pop(entry.name, entry.start) for entry in quantity.entries()]
    return (
        replace(quantity, start=np.reshape(given, quantity.shape))
        if quantity.shape
        else replace(quantity, start=given[0])
    )


def _named(unit: str, quantity: Quantity) -> Quantity:
    if not isinstance(quantity, State) or not quantity.derivative:
        return replace(quantity, name=f"{unit}.{quantity.name}")
    rate = quantity.derivative
    rate = f"der({unit}.{rate[4:-1]})" if rate.startswith("der(") else f"{unit}.{rate}"
    return replace(quantity, name=f"{unit}.{quantity.name}", derivative=rate)
