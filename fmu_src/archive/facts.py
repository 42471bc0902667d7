"""What is in an FMU, as data: variables with units, capabilities, platforms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .description import read_description, unit_of
from .members import platforms_of

_EXPERIMENT = {"start": "startTime", "stop": "stopTime", "step": "stepSize", "tolerance": "tolerance"}


@dataclass(frozen=True)
class VariableFacts:
    """A variable, in FMI's terms; unit "" if there is none, start None if none is stated; shape: of an FMI 3.0 array."""

    name: str
    type: str
    causality: str
    variability: str
    unit: str
    start: float | str | None
    description: str
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Facts:
    """What an FMU states about itself. kinds: co-simulation, model exchange; capabilities: by kind, the flags that are true."""

    name: str
    description: str
    fmi_version: str
    kinds: tuple[str, ...]
    platforms: tuple[str, ...]
    generated_by: str
    guid: str
    experiment: dict[str, float | str | None]
    capabilities: dict[str, tuple[str, ...]]
    variables: tuple[VariableFacts, ...]


def facts_of(path: Path | str) -> Facts:
    """Read from any FMU file; ValueError if the file is not an FMU."""
    read = read_description(path)
    kinds = {"co-simulation": read.coSimulation, "model exchange": read.modelExchange}
    return Facts(
        name=read.modelName,
        description=read.description or "",
        fmi_version=read.fmiVersion,
        kinds=tuple(name for name, part in kinds.items() if part is not None),
        platforms=tuple(platforms_of(path)),
        generated_by=read.generationTool or "",
        guid=read.guid,
        experiment={key: _number(getattr(read.defaultExperiment, name, None)) for key, name in _EXPERIMENT.items()},
        capabilities={name: _capabilities(part) for name, part in kinds.items() if part is not None},
        variables=tuple(
            VariableFacts(
                name=each.name,
                type=each.type,
                causality=each.causality,
                variability=each.variability,
                unit=unit_of(each),
                start=_number(each.start),
                description=each.description or "",
                shape=tuple(each.shape or ()),
            )
            for each in read.modelVariables
        ),
    )


def _number(text: str | float | None) -> float | str | None:
    """The number in a text of FMPy, if it is one."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _capabilities(part) -> tuple[str, ...]:
    """The flags that are true, in FMI's terms, and numbers that are not zero."""
    words = ("can", "provides", "needs", "max", "has")
    values = ((name, getattr(part, name, None)) for name in dir(part) if name.startswith(words))
    return tuple(name if value is True else f"{name} = {value}" for name, value in values if value)
