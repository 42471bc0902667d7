"""A unit: a System and its parts of the fused System's arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..system.contract import Attitude, Projection, System
from ..system.layout import Layout
from ..system.recording import needed

NOTHING = (np.zeros(0), np.zeros(0), np.zeros(0))  # z, multipliers and carry of a stage without a solve


@dataclass(frozen=True)
class Unit:
    """A System as a unit; `layouts`: the parts of each fused array by unit."""

    name: str
    system: System
    layouts: dict[str, Layout]

    def own(self, group: str, whole):
        """Its part of one of the whole's arrays."""
        return whole[self.layouts[group][self.name]]

    def point(self, inputs, t, x, k, d):
        return t, self.own("states", x), inputs, self.own("constants", k), self.own("discretes", d)

    def motion(self, inputs, solves, t, x, k, d):
        """ẋ, y, g; with the accelerations and multipliers that were solved for, else with zeros for them."""
        point, stage = self.point(inputs, t, x, k, d), self.system.motion
        solved = solves.get((self.name, "motion"))
        if solved is None and stage.assemble is not None:
            solved = (np.zeros(stage.n), np.zeros(stage.m), stage.assemble(*point)[4])
        return stage.finish(*point, *(solved or NOTHING))

    def seen(self) -> dict[str, tuple[str, int]]:
        """The values that a wire may read: name → (group, place)."""
        signals = self.system.signals
        groups = {"states": signals.states, "discretes": signals.discretes, "outputs": signals.outputs}
        found = {entry.name: (group, i) for group, entries in groups.items() for i, entry in enumerate(entries)}
        return {rate.name: ("rates", i) for i, rate in signals.derivative_signals()} | found

    def needs(self) -> tuple[list[tuple[set[int], bool]], ...]:
        """For each rate and output: the inputs it depends on, and whether it depends on the solve; for plain Python: everything."""
        system, stage = self.system, self.system.motion
        sizes = {"t": 1, "x": system.nx, "u": system.nu, "k": system.nk, "d": system.nd}
        sizes |= {"z": stage.n, "multipliers": stage.m}

        def motion(t, x, u, k, d, z, multipliers):
            carry = stage.assemble(t, x, u, k, d)[4] if stage.assemble else np.zeros(0)
            return stage.finish(t, x, u, k, d, z, multipliers, carry)[:2]

        try:
            found = needed(motion, sizes)
        except TypeError:  # a user's block that branches on values
            return tuple([(set(range(system.nu)), False)] * count for count in (system.nx, system.ny))
        return tuple(
            [({i for name, i in entry if name == "u"}, any(name in ("z", "multipliers") for name, _ in entry)) for entry in part]
            for part in found
        )  # fmt: skip

    def lifted(self, projection: Projection, before: Callable) -> Projection:
        """Its projection, acting on its part of the fused state. before: inputs by unit, at a point of the whole."""
        stage, states = projection.stage, self.layouts["states"]

        def point(t, x, u, k, d):
            return self.point(before(t, x, u, k, d)[self.name], t, x, k, d)

        def finish(t, x, u, k, d, z, multipliers, carry):
            moved = stage.finish(*point(t, x, u, k, d), z, multipliers, carry)
            return states.replaced(x, **{self.name: moved})

        return replace(
            projection,
            name=f"{self.name}: {projection.name}",
            rows=tuple(f"{self.name}.{row}" for row in projection.rows),
            stage=replace(stage, finish=finish, assemble=lambda *whole: stage.assemble(*point(*whole)), parts=()),
        )

    def shifted(self, attitude: Attitude) -> Attitude:
        begin = self.layouts["states"][self.name].start
        return Attitude(f"{self.name}.{attitude.name}", attitude.quaternion + begin, attitude.speed + begin)


SIZES = {"states": "nx", "parameters": "np", "constants": "nk", "discretes": "nd", "indicators": "ng"}


def units_of(systems: Mapping[str, System]) -> list[Unit]:
    layouts = {
        group: Layout({name: getattr(system, size) for name, system in systems.items()})
        for group, size in SIZES.items()
    }
    return [Unit(name, system, layouts) for name, system in systems.items()]


def array(values: list):
    """An array of numbers, or of symbols if it contains any."""
    return np.array(values) if values else np.zeros(0)
