"""Checks a command's outputs before its work begins: extensions, disk space, and that no other file is overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..results.files import check_writable

# By the name of a command's parameter: what it is, and the extensions it may have.
KINDS = {
    "output": ("results", (".csv", ".npz", ".mat", ".oem", ".aem")),
    "picture": ("pictures", (".png", ".svg", ".pdf")),
    "timing": ("pictures", (".png", ".svg", ".pdf")),
    "page": ("pages", (".html", ".htm")),
    "gltf": ("glTF files", (".glb",)),
    "video": ("videos", (".gif", ".mp4")),
}
OURS = b'<meta name="generator" content="spacefmu'


def check_outputs(reads: Iterable[Path | str | None] = (), room: int = 1 << 16, **outputs: Path | None) -> None:
    """Raise ValueError if an output is not writable, has the wrong extension, or would overwrite an input or another output."""
    given = {kind: path for kind, path in outputs.items() if path is not None}
    seen: list[tuple[Path | str, str]] = [(path, "is an input") for path in reads if path is not None]
    for kind, path in given.items():
        what, endings = KINDS[kind]
        if path.suffix.lower() not in endings:
            *others, last = endings
            known = f"{', '.join(others)} or {last}" if others else last
            raise ValueError(
                f"{path}: {what} are written as {known}, but the name ends with {path.suffix or 'nothing'!r}"
            )
        for other, why in seen:
            if _same(path, other):
                raise ValueError(f"{path}: {why}; choose another name for the output")
        seen.append((path, "is named twice"))
        check_writable(path, room)


def page_named(output: Path | None, name: str) -> Path:
    """Where a page is written: as given; else NAME.html in the current folder, but never over a page that spacefmu did not write."""
    if output is not None:
        return output
    page = Path(f"{name}.html")
    if page.is_file():
        with page.open("rb") as file:
            if OURS not in file.read(1000):
                raise ValueError(f"{page}: already exists and was not written by spacefmu; choose another name with -o")
    return page


def _same(one: Path, other: Path | str) -> bool:
    if one.exists() and Path(other).exists():
        return os.path.samefile(one, other)
    return one.absolute() == Path(other).absolute()
