"""Checks the connections of a system against the variables of its FMUs: all errors are reported before the run.

One row of CHECKS per check: unknown names and sizes come first, because the others need scalars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fmpy.model_description import ModelDescription, ScalarVariable

from spacefmu.dynamics.blocks.noise import seed_of
from spacefmu.dynamics.description import DescriptionError

from ..archive.description import elements_of, scalars_of, unit_of
from ..results.names import resolve
from .system import CoupledSystem, strange_ends

_SAME = {"Float64": "Real", "Int32": "Integer"}  # FMI 3.0's names of FMI 2.0's types
_BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


@dataclass(frozen=True)
class Wired:
    """One scalar connection: input := factor · output, as (unit, variable)."""

    output: tuple[str, str]
    input: tuple[str, str]
    factor: float

    def __str__(self) -> str:
        return f"{'.'.join(self.output)} → {'.'.join(self.input)}"


def connected(system: CoupledSystem, descriptions: Mapping[str, ModelDescription]) -> tuple[Wired, ...]:
    """All connections as scalars, in the order of the file; DescriptionError lists every problem."""
    problems = strange_ends(system)
    if problems:  # a system made in Python
        raise DescriptionError(system.name, problems)
    wired = tuple(_scalars(system, {u: scalars_of(d) for u, d in descriptions.items()}, problems))
    problems += [problem for check in CHECKS for problem in check(system, wired, descriptions)]
    if problems:
        raise DescriptionError(system.name, problems)
    return wired


def with_own_seeds(system: CoupledSystem, description_of: Callable[[str], ModelDescription]) -> CoupledSystem:
    """The system, in which units of one model without a given `seed` derive it from their names, so that no two have the same noise."""
    models = Counter(unit.model for unit in system.units.values())
    units = dict(system.units)
    for name, unit in system.units.items():
        if models[unit.model] > 1 and "seed" not in unit.start:
            seed = scalars_of(description_of(name)).get("seed")
            if seed is not None and seed.causality == "parameter" and seed.type in ("Integer", "Int32"):
                units[name] = unit.model_copy(update={"start": {**unit.start, "seed": seed_of(name)}})
    return system.model_copy(update={"units": units})


def _scalars(system: CoupledSystem, variables, problems: list[str]) -> Iterator[Wired]:
    for link in system.links:
        ends = [end.split(".", 1) for end in (link.source, link.target)]
        try:
            outputs, inputs = (resolve(name, variables[unit], f"variable of {unit}") for unit, name in ends)
        except ValueError as error:
            problems.append(str(error))
            continue
        if len(outputs) != len(inputs):
            problems.append(f"{link.source} has {len(outputs)} elements, but {link.target} has {len(inputs)}")
            continue
        for output, name in zip(outputs, inputs, strict=True):
            yield Wired((ends[0][0], output), (ends[1][0], name), link.factor)


def _directions(system, wired, descriptions) -> Iterator[str]:
    """Values go from outputs to inputs."""
    for wire in wired:
        target, source = _variable(descriptions, wire.input), _variable(descriptions, wire.output)
        if target.causality != "input":
            kind = {"parameter": "a parameter, which an output can't drive", "output": "an output"}
            what = kind.get(target.causality, "calculated")
            yield f"{'.'.join(wire.input)} is {what}: it is not an input, but {'.'.join(wire.output)} is connected to it"
        if source.causality == "input":
            yield f"{'.'.join(wire.output)} is an input; connect an output to {'.'.join(wire.input)}"


def _drivers(system, wired, descriptions) -> Iterator[str]:
    """An input follows one output."""
    driver: dict[tuple[str, str], Wired] = {}
    for wire in wired:
        first = driver.setdefault(wire.input, wire)
        if first is not wire:
            yield f"{'.'.join(wire.input)} is driven twice, by {'.'.join(first.output)} and {'.'.join(wire.output)}"


def _types(system, wired, descriptions) -> Iterator[str]:
    """Integers convert to reals; no other conversion is allowed."""
    for wire in wired:
        ends = (_variable(descriptions, end).type for end in (wire.output, wire.input))
        source, target = (_SAME.get(each, each) for each in ends)
        numbers = {"Integer", "Enumeration"}
        if not (source == target or (source in numbers and target in numbers | {"Real"})):
            yield f"{wire}: {source} can't be converted to {target}"


def _units(system, wired, descriptions) -> Iterator[str]:
    """Both ends have the same unit, where both state one; a factor other than ±1 may itself have a unit."""
    for wire in wired:
        ends = wire.output, wire.input
        names = [unit_of(_variable(descriptions, end)) for end in ends]
        bases = [_base(descriptions[end[0]], name) for end, name in zip(ends, names, strict=True)]
        if abs(wire.factor) != 1.0 or None in bases or bases[0] == bases[1]:
            continue
        (exponents, scale), (other, other_scale) = bases
        if exponents == other:
            yield f"{wire}: the units are {names[0]} and {names[1]}; the connection needs factor = {scale[0] / other_scale[0]:.15g}"
        else:
            yield f"{wire}: the units are {names[0]} and {names[1]}, which are incompatible"


def _loops(system, wired, descriptions) -> Iterator[str]:
    """No output depends on itself at the same instant, unless the algorithm delays it by one communication step."""
    if system.algorithm == "jacobi":
        return
    following: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for wire in wired:
        following.setdefault(wire.output, []).append(wire.input)
    for unit, description in descriptions.items():
        for unknown in description.outputs:
            for source in (
                unknown.dependencies or ()
            ):  # none stated: by FMI this means all, which is hardly ever intended
                if source.causality == "input":
                    ends = [(unit, name) for name in elements_of({unknown.variable.name: unknown.variable})]
                    for name in elements_of({source.name: source}):
                        following.setdefault((unit, name), []).extend(ends)
    loop = _cycle(following)
    if loop:
        way = " → ".join(".".join(end) for end in loop)
        yield f"algebraic loop: {way}; use algorithm = 'jacobi' (delays by one communication step), or break the loop"


def _cycle(following: Mapping) -> list | None:
    """A cycle of a graph, its first node repeated at the end; None if there is none."""
    done: set = set()
    for start in following:
        path, places = [start], [iter(following[start])]
        while places and start not in done:
            place = next(places[-1], None)
            if place is None:
                done.add(path.pop())
                places.pop()
            elif place in path:
                return [*path[path.index(place) :], place]
            elif place not in done:
                path.append(place)
                places.append(iter(following.get(place, ())))
    return None


CHECKS = (_directions, _drivers, _types, _units, _loops)


def _variable(descriptions: Mapping[str, ModelDescription], end: tuple[str, str]) -> ScalarVariable:
    unit, name = end
    return scalars_of(descriptions[unit])[name]


def _base(description: ModelDescription, unit: str):
    """(exponents of the SI base units, (factor, offset)) of a unit as the FMU defines it; None if it does not define it."""
    found = next(
        (u.baseUnit for u in description.unitDefinitions or () if u.name == unit and u.baseUnit is not None), None
    )
    if found is None:
        return None
    return tuple(int(getattr(found, name) or 0) for name in _BASE), (
        float(found.factor or 1.0),
        float(found.offset or 0.0),
    )
