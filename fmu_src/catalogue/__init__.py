"""The shipped descriptions: spacecraft and controllers in this folder, systems of them in systems/."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
SYSTEMS = FOLDER / "systems"


@dataclass(frozen=True)
class CatalogueEntry:
    """One description of the catalogue: its name, kind (spacecraft, attitude_controller, system), a one-line summary, its file."""

    name: str
    kind: str
    description: str
    path: Path


def entries() -> list[CatalogueEntry]:
    """All entries, sorted by name, systems last."""
    files = [*sorted(FOLDER.glob("*.toml")), *sorted(SYSTEMS.glob("*.toml"))]
    return [_entry(path, path.stat().st_mtime_ns) for path in files]


def find(source: Path | str) -> Path:
    """The file of a description: the file itself if there is one, else the catalogue's entry of that name."""
    path = Path(source)
    if path.is_dir():
        raise IsADirectoryError(f"{source} is a folder; name a description (.toml)")
    if path.exists() or path.suffix:
        return path
    from ..results.names import UnknownName, suggestion  # it imports numpy, which `list` and completion do not need

    known = {entry.name: entry.path for entry in entries()}
    if str(source) not in known:
        raise UnknownName(
            f"there is no file {str(source)!r}, and no catalogue entry of that name{suggestion(str(source), known)}"
        )
    return known[str(source)]


@cache
def _entry(path: Path, changed: int) -> CatalogueEntry:
    """Cached by the file's time of change: commands ask several times."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return CatalogueEntry(data["name"], data.get("kind", "spacecraft"), data["description"], path)
