"""What a case is, and where the cases are."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

from ..results.names import suggestion
from .measures import MEASURES

FOLDER = Path(__file__).with_name("cases")


@dataclass(frozen=True)
class Source:
    """Where the numbers come from. accuracy: at which tolerance or step the reference was made, and how many digits it prints."""

    program: str
    where: str  # repository and file, or the publication with its table
    licence: str
    accuracy: str
    version: str = ""


@dataclass(frozen=True)
class Comparison:
    """Some columns of numbers: what they are, ours by name, the reference's, and how far apart both may be.

    of: names of variables, or what `measure` asks for. time (n,) [s], empty where the measure has none; values (n, k).
    bound: of the difference, in the unit of the values; relative: times |value| of the reference. why: where the bound comes from.
    exact (n, k): an independent or exact solution, where there is one; both are compared with it on the page.
    """

    what: str
    of: Sequence[str]
    values: Sequence[Sequence[float]]
    bound: float
    why: str
    unit: str = ""
    time: Sequence[float] = ()
    measure: str = "value"
    relative: bool = False
    exact: Sequence[Sequence[float]] = ()

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ValueError(f"measure is {self.measure!r}, expected one of {', '.join(MEASURES)}")
        shape = np.asarray(self.values, float).shape
        if len(shape) != 2 or (self.time and len(self.time) != shape[0]):
            raise ValueError(
                f"{self.what!r}: values have the shape {shape}, expected one row per time ({len(self.time)})"
            )
        if not np.all(np.diff(self.time) > 0.0) or not self.bound > 0.0 or not self.why:
            raise ValueError(f"{self.what!r}: expected increasing times, and a positive bound with its reason")

    @property
    def count(self) -> int:
        """How many numbers are compared."""
        return int(np.size(self.values))


@dataclass(frozen=True)
class Case:
    """One case. proves: one line. tolerance: of our solver. inputs: formulas of `time` by name. quick: part of `make test`.

    finding: what a disagreement turned out to be, if there was one.
    """

    name: str  # family/stem
    title: str
    proves: str
    source: Source
    description: str
    compare: tuple[Comparison, ...]
    tolerance: float = 1e-10
    method: str = "explicit"
    inputs: dict[str, str] = field(default_factory=dict)
    quick: bool = False
    finding: str = ""

    @property
    def family(self) -> str:
        return self.name.partition("/")[0]

    @property
    def over_time(self) -> bool:
        """Whether a whole trajectory is compared."""
        return any(len(each.time) > 3 for each in self.compare)


def read(path: Path) -> Case:
    """The case of a file; what is wrong in it is a ValueError that names it."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        source, compare = Source(**data.pop("source")), tuple(Comparison(**each) for each in data.pop("compare"))
        return Case(name_of(path), source=source, compare=compare, **data)
    except (TypeError, ValueError, KeyError) as error:
        raise ValueError(f"{path}: {error}") from error


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def paths() -> list[Path]:
    """The files of all cases, by family and name."""
    return sorted(FOLDER.glob("*/*.toml"))


def chosen(patterns: Sequence[str] = ()) -> list[Case]:
    """All cases, or those whose name or family is given; wildcards are taken."""
    found = paths()
    wanted = {
        p: [path for path in found if fnmatch(name_of(path), p) or path.parent.name == p or path.stem == p]
        for p in patterns
    }
    for pattern, matches in wanted.items():
        if not matches:
            known = [*map(name_of, found), *{path.parent.name for path in found}]
            raise ValueError(f"{pattern!r} is no case and no family{suggestion(pattern, known)}")
    keep = {path for matches in wanted.values() for path in matches}
    return [read(path) for path in found if not patterns or path in keep]
