"""Common checks of readers of text files: valid numbers, existing files, limited sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

LARGEST = 2 * 10**9  # bytes of a file that is read at once


def lines_of(path: Path) -> list[str]:
    """The lines of a text file; `ValueError` where it is missing, huge or binary."""
    if not path.is_file():
        raise ValueError(f"requires {path.name} in the same folder, where it does not exist")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path.name} has {path.stat().st_size / 1e9:.1f} GB, expected at most {LARGEST / 1e9:g}")
    raw = path.read_bytes()
    if b"\0" in raw:
        raise ValueError(f"{path.name} is binary, expected text")
    return raw.decode("latin-1").splitlines()


def number(text: str, path: Path, line: int) -> float:
    """A finite number as Fortran programs print it."""
    try:
        value = float(text.replace("D", "E").replace("d", "e"))
    except ValueError:
        raise ValueError(f"{path.name} line {line} has {text.strip()[:40]!r}, expected a number") from None
    if not np.isfinite(value):
        raise ValueError(f"{path.name} line {line} has {text.strip()[:40]!r}, expected a finite number")
    return value


def whole(text: str, path: Path, line: int) -> int:
    value = number(text, path, line)
    if value != int(value):
        raise ValueError(f"{path.name} line {line} has {text.strip()!r}, expected a whole number")
    return int(value)


def shown(value) -> str:
    """A found value, short enough for a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
