"""A description and the files it names, as stored in an FMU."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..modes.formats import beside
from .fields import FileName, Table
from .shapes import MESHES

CARRIED = 2_000_000  # bytes per file in an FMU


def described_by(text: str, name: str, table: Table, folder: Path) -> tuple[tuple[str, bytes], ...]:
    """A description and every file that its keys name, (path, content), with the same relative paths as on disk; the description first.

    Files with absolute paths, which only exist on this machine, are left out, and so are large files, except meshes, which are only read
    when drawn.
    """
    named = [folder / value for value in _file_names(table) if not Path(value).is_absolute()]
    named += [more for path in named if _is_file(path) for more in beside(path)]
    tables = {Path(os.path.abspath(p)): p.read_bytes() for p in named if _is_file(p) and _is_carried(p)}
    files = {Path(os.path.abspath(folder / f"{name}.toml")): text.encode()} | tables
    root = os.path.commonpath([path.parent for path in files])
    return tuple((path.relative_to(root).as_posix(), content) for path, content in files.items())


def _file_names(value) -> Iterator[str]:
    """Every file name in a checked table and its tables: only keys of the file type count."""
    if isinstance(value, FileName):
        yield value
    elif isinstance(value, Table):
        yield from (name for key in type(value).model_fields for name in _file_names(getattr(value, key)))
    elif isinstance(value, dict | list | tuple):
        yield from (name for one in (value.values() if isinstance(value, dict) else value) for name in _file_names(one))


def _is_carried(path: Path) -> bool:
    return path.suffix.lower() in MESHES or path.stat().st_size <= CARRIED


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a text that is too long for a name, or contains NUL
        return False
