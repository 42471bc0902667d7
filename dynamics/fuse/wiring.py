"""When each value becomes known: before the solves, after them, or never (an algebraic loop)."""

from __future__ import annotations

from typing import Any

from ..system.layout import Layout
from ..system.signals import Discrete
from .unit import Unit, array
from .wires import Wire


class Wiring:
    """Where each input of each unit comes from, and the order in which values become known."""

    def __init__(self, units: list[Unit], wires: tuple[Wire, ...]):
        self.units = {unit.name: unit for unit in units}
        self.sources: dict[tuple[str, int], tuple[str, str, int, float]] = {}  # target → unit, group, place, factor
        for wire in wires:
            self.sources[self._input(wire)] = (wire.source[0], *self._source(wire), wire.factor)
        self.sampled = [target for target in self.sources if self._is_sampled(target)]
        self.discretes = Layout({"units": sum(unit.system.nd for unit in units), "held": len(self.sampled)})
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
        return array([inputs[unit][i] for unit, i in self.sampled])

    def held(self, inputs, d) -> dict[str, Any]:
        """The inputs, those that follow sampled outputs as they are held."""
        samples = dict(zip(self.sampled, d[self.discretes["held"]], strict=True))
        return {
            unit: array([samples.get((unit, i), value) for i, value in enumerate(own)]) for unit, own in inputs.items()
        }

    def holds(self) -> list[Discrete]:
        """The held inputs, as discrete states named after them."""
        found = [(unit, self.units[unit].system.signals.inputs[i]) for unit, i in self.sampled]
        return [
            Discrete(
                f"{unit}.{entry.name}", f"{entry.description}, as sampled", entry.unit, output=False, calculated=True
            )
            for unit, entry in found
        ]

    def _schedule(self, units: list[Unit]) -> None:
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
                    "connect a value that follows from states"
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

        steps: list = []
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
        """Inputs of each unit that are known before the solves; start values for the others."""
        inputs = {name: list(unit.system.signals.starts("inputs")) for name, unit in self.units.items()}
        for place, (unit, i) in enumerate(self.free):
            inputs[unit][i] = u[place]
        for (unit, i), (source, group, place, factor) in self.sources.items():
            if group in ("states", "discretes"):
                inputs[unit][i] = factor * self.units[source].own(group, {"states": x, "discretes": d}[group])[place]
        return self._passed(self.first, {name: array(own) for name, own in inputs.items()}, {}, t, x, k, d)

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
                inputs = inputs | {target: array(own)}
        return inputs
