"""What was found: rows with their bars, nanoseconds for the tables, points for the pictures; kept in build/bench/results.json, work by work."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "build" / "bench"


def folder() -> Path:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    return _FOLDER


@dataclass
class Row:
    """A measured ratio. value None: it could not be measured, and `note` says why. key: by which bars.py finds it."""

    work: str
    what: str
    value: float | None
    unit: str = "×"
    note: str = ""
    key: str = ""


@dataclass
class Results:
    """What one work found. machine: in words. load: of the machine before the work. begun, code: when it was measured, and what.

    rows: ratios. tables: title → (head, lines). points: picture → curve → [(x, y), …]. missing: peer → why it did not take part.
    """

    machine: str = ""
    rows: list[Row] = field(default_factory=list)
    tables: dict[str, tuple[list[str], list[list[str]]]] = field(default_factory=dict)
    points: dict[str, dict[str, list[tuple[float, float]]]] = field(default_factory=dict)
    load: float | None = None
    missing: dict[str, str] = field(default_factory=dict)
    begun: str = ""
    code: str = ""

    def row(self, work: str, what: str, value: float | None, unit: str = "×", note: str = "", key: str = "") -> None:
        self.rows.append(Row(work, what, value, unit, note, key))
        shown = "not measured" if value is None else f"{value:.3g} {unit}"
        print(f"  {work}  {what}: {shown}{f'  ({note})' if note else ''}", flush=True)

    def point(self, picture: str, curve: str, x: float, y: float) -> None:
        self.points.setdefault(picture, {}).setdefault(curve, []).append((x, y))


def write(works: dict[str, Results], path: Path) -> None:
    path.write_text(json.dumps({name: asdict(results) for name, results in works.items()}, indent=1), "utf-8")


def read(path: Path) -> dict[str, Results]:
    if not path.exists():
        return {}
    kept = json.loads(path.read_text("utf-8"))
    return {name: Results(**(data | {"rows": [Row(**row) for row in data["rows"]]})) for name, data in kept.items()}
