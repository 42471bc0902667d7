"""A description and the files it names, as they travel in an FMU."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..modes.formats import beside
from .shapes import MESHES

CARRIED = 2_000_000  # bytes of a file that an FMU carries


def described_by(text: str, name: str, data: dict, folder: Path) -> tuple[tuple[str, bytes], ...]:
    """A description and every file it names, (path, content), placed to each other as they are on disk; the description first.

    A table named by an absolute path can't travel: its place is this machine's. Nor does a file that is larger than what is made of it;
    of meshes nothing is made before someone looks.
    """
    named = [folder / value for value in _texts(data) if value and not Path(value).is_absolute()]
    named += [more for path in named if _is_file(path) for more in beside(path)]
    tables = {Path(os.path.normpath(p)): p.read_bytes() for p in named if _is_file(p) and _is_carried(p)}
    files = {Path(os.path.normpath(folder / f"{name}.toml")): text.encode()} | tables
    root = os.path.commonpath([path.parent.absolute() for path in files])
    return tuple((path.absolute().relative_to(root).as_posix(), content) for path, content in files.items())


def _texts(data) -> Iterator[str]:
    """Every text in nested tables and lists."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for value in data.values() if isinstance(data, dict) else data:
            yield from _texts(value)


def _is_carried(path: Path) -> bool:
    return path.suffix.lower() in MESHES or path.stat().st_size <= CARRIED


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a text that is too long for a name, or has a NUL in it
        return False
