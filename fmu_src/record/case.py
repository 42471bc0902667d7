"""Cases of the record, and their files."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ..results.names import suggestion
from .measures import MEASURES

FOLDER = Path(__file__).with_name("cases")
# Bounds that are not given in a case
MARGIN = 1.1  # times the reference's distance from an independent solution: its samples may miss its largest error
ROUND_OFF = 1e-12  # of the largest value: round-off of a few thousand steps in double precision
PROMISED = 1e-10  # of the largest value, against exact formulas: the accuracy promised at tight tolerances
# Origin of the numbers of a case
ORIGINS = {
    "published": "computed, measured or tabulated by others, in a public file or in print",
    "formula": "closed forms and equations of textbooks and papers, solved with parameters that we chose",
    "rerun": "foreign models and programs that we ran ourselves",
}


@dataclass(frozen=True)
class Source:
    """The source of the numbers. accuracy: tolerance or step of the reference, and its number of digits."""

    origin: str  # of ORIGINS
    program: str
    where: str  # repository and file, or the publication with its table
    licence: str
    accuracy: str
    version: str = ""

    def __post_init__(self) -> None:
        if self.origin not in ORIGINS:
            raise ValueError(f"origin is {self.origin!r}, expected one of {', '.join(ORIGINS)}")


@dataclass(frozen=True)
class Comparison:
    """Columns of numbers: what they are, the names of our variables, the reference's values, and the allowed difference.

    of: names of variables, or as `measure` requires. time (n,) [s], empty for measures without time; values (n, k).
    exact (n, k): an independent solution, which tests/record/third computes; both are compared with it on the page.
    bound: of the difference, in the unit of the values, given only where it follows from printed digits or from the reference's own step;
    relative: times |value| of the reference. why: the source of the bound, or the independent solution.
    """

    what: str
    of: Sequence[str]
    values: Sequence[Sequence[float]]
    why: str
    bound: float = 0.0
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
        if not np.all(np.diff(self.time) > 0.0) or self.bound < 0.0 or not self.why:
            raise ValueError(
                f"{self.what!r}: expected increasing times, and a bound that is not negative with its reason"
            )

    @property
    def count(self) -> int:
        """How many numbers are compared."""
        return int(np.size(self.values))

    @property
    def distance(self) -> float:
        """Largest distance of the reference from the independent solution, over |value| if relative; nan if there is none."""
        values = np.asarray(self.values, float)
        off = np.abs(values - np.asarray(self.exact, float)) if len(self.exact) else np.full(1, np.nan)
        return float(np.max(off / np.abs(values) if self.relative else off))

    @property
    def allowed(self) -> np.ndarray:
        """Bounds (n, k): the given one; else from the reference's distance to the independent solution; else for an exact formula."""
        values = np.abs(np.asarray(self.values, float))
        scale = values if self.relative else np.full_like(values, np.max(values))
        if self.bound:
            return self.bound * (values if self.relative else np.ones_like(values))
        if len(self.exact):
            return MARGIN * self.distance * (values if self.relative else 1.0) + ROUND_OFF * scale
        return PROMISED * scale

    @property
    def reason(self) -> str:
        """The source of the bound, in words."""
        if self.bound:
            return self.why
        if len(self.exact):
            return f"{MARGIN:g} × {self.distance:.1e}, its distance from {self.why}"
        return f"{self.why}; {PROMISED:g} of the largest value"


@dataclass(frozen=True)
class Case:
    """One case. proves: one line. tolerance: of our solver. quick: part of `make test`.

    Inputs by name: steps, [[time, value], …], each held from its time on; inputs, formulas of `time`, which co-simulation cannot follow.

    finding: the cause of a disagreement, if there was one.
    """

    name: str  # family/stem
    title: str
    proves: str
    source: Source
    description: str
    compare: tuple[Comparison, ...]
    tolerance: float = 1e-10
    method: str = "explicit"
    steps: dict[str, list[list[float]]] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    quick: bool = False
    finding: str = ""
    package: str = ""  # a Python package with files that the description names
    files: str = ""  # the folder of that package with them

    @property
    def family(self) -> str:
        return self.name.partition("/")[0]

    @property
    def folder(self) -> Path | None:
        """The folder of files that the description names, if any; their package must be installed."""
        found = find_spec(self.package) if self.package else None
        return Path(found.origin).parent / self.files if found and found.origin else None

    @property
    def missing(self) -> str:
        """The package that is not installed here, if the case needs one."""
        return self.package if self.package and self.folder is None else ""

    @property
    def over_time(self) -> bool:
        """Whether a whole trajectory is compared."""
        return any(len(each.time) > 3 for each in self.compare)


def read(path: Path) -> Case:
    """The case in a file; ValueError, with the file's name, if it is wrong."""
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
    """All cases, or those with a given name or family; wildcards are allowed."""
    found = paths()
    wanted = {
        p: [path for path in found if fnmatch(name_of(path), p) or path.parent.name == p or path.stem == p]
        for p in patterns
    }
    for pattern, matches in wanted.items():
        if not matches:
            known = [*map(name_of, found), *{path.parent.name for path in found}]
            raise ValueError(f"{pattern!r} is not a case or a family{suggestion(pattern, known)}")
    keep = {path for matches in wanted.values() for path in matches}
    return [read(path) for path in found if not patterns or path in keep]
