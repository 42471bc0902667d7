"""Several Systems as one System."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import numpy as np

from ..algebra.scalar import minimum
from ..picture.picture import Picture, PictureOnce
from ..system.contract import About, Staged, System
from .picture import together
from .solves import Solves
from .table import table_of
from .unit import NOTHING, Unit, units_of
from .wires import Fused
from .wiring import Wiring


def fused_system(settings: Fused) -> System:
    """The System of units that are given as data."""
    made = {part.name: part.made_by for part in settings.parts if part.made_by is not None}
    return fuse(settings, {name: make(data) for name, (make, data) in made.items()})


def fuse(settings: Fused, systems: Mapping[str, System]) -> System:
    """The one System of several, by unit. ValueError names missing ends of wires, and algebraic loops."""
    units = units_of(systems)
    wiring = Wiring(units, settings.wires)
    motion = Solves([(unit, unit.system.motion) for unit in units])
    events = Solves([(unit, unit.system.update) for unit in units if unit.system.update is not None])
    jumps = Solves([*(motion.rows if wiring.after else ()), *events.rows])

    def each(function: str, p):
        return np.concatenate([getattr(unit.system, function)(unit.own("parameters", p)) for unit in units])

    def joined(discretes, inputs):
        """The discrete states of all units, and the samples that are held."""
        return wiring.discretes.joined({"units": np.concatenate(discretes), "held": wiring.samples(inputs)})

    def finish(t, x, u, k, d, z, multipliers, carry):
        """ẋ and g with held samples, y with new ones."""
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

    def jump_arguments(unit: Unit, stage: Staged, inputs, t, x, k, d, g):
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
                own_x, own_d = stage.finish(*arguments, *solves.get((unit.name, "update"), NOTHING))
            states.append(own_x)
            discretes.append(own_d)
        return np.concatenate(states), joined(discretes, inputs)

    def initialize(t, x, u, k, d):
        inputs = wiring.before(t, x, u, k, d)
        found = [unit.system.initialize(*unit.point(inputs[unit.name], t, x, k, d)) for unit in units]
        states, discretes = zip(*found, strict=True)
        return np.concatenate(states), joined(discretes, inputs)

    def next_time(t, x, u, k, d):
        inputs = wiring.before(t, x, u, k, d)
        times = [unit.system.next_time(*unit.point(inputs[unit.name], t, x, k, d)) for unit in clocks]
        return reduce(minimum, times)

    clocks = [unit for unit in units if unit.system.next_time is not None]
    return System(
        name=settings.name,
        about=About(
            settings.description,
            settings.documentation,
            settings.experiment,
            tuple(f"{unit.name}: {line}" for unit in units for line in unit.system.about.fixed_at_build),
            picture=_picture(systems),
        ),
        signals=table_of(settings, units, wiring),
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
        projections=tuple(unit.lifted(p, wiring.before) for unit in units for p in unit.system.projections),
        attitudes=tuple(unit.shifted(attitude) for unit in units for attitude in unit.system.attitudes),
        made_by=(fused_system, settings) if all(part.made_by for part in settings.parts) else None,
    )


def _picture(systems: Mapping[str, System]) -> PictureOnce | None:
    """The picture of the units; inverse problems are left out if another unit follows their motion."""
    shown = {name: system.about.picture for name, system in systems.items() if system.about.picture is not None}

    def picture() -> Picture:
        pictures = {name: show() for name, show in shown.items()}
        pictures = {name: each for name, each in pictures.items() if not each.given} or pictures
        planet = bool(
            next(iter(pictures.values())).planet
        )  # units with and without a planet have different spaces: the first one's is drawn
        return together({name: each for name, each in pictures.items() if bool(each.planet) is planet})

    shapes = tuple(shape for show in shown.values() for shape in show.shapes)
    return PictureOnce(picture, shapes) if shown else None
