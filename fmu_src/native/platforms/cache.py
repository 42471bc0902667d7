"""What is compiled, kept by what it is made of: what has not changed is not compiled again.

The name of a kept file is a digest of all that it depends on (compile.py says what that is). SPACEFMU_CACHE names another
folder; SPACEFMU_CACHE=off keeps nothing. Trouble with the cache (a folder that can't be written, a damaged file, another
process that clears it) costs time, never a build.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LIMIT = (
    512 << 20
)  # bytes; a library has some 200 kB, the universal one of macOS twice that, the runtime 150 kB a target
_DIGEST = hashlib.sha256().digest_size
_ENDING, _UNFINISHED = ".kept", ".kept.part"


@dataclass(frozen=True)
class Contents:
    """What is kept: the folder, how many files, how many bytes they take."""

    folder: Path | None  # None: nothing is kept
    count: int
    size: int


def kept(parts: Iterable[str], make: Callable[[], bytes]) -> bytes:
    """What `make` gives, which depends on the texts of `parts` alone: the kept one, else made and kept."""
    folder = cache_folder()
    if folder is None:
        return make()
    place = folder / _key(parts)
    data = _read(place)
    if data is None:
        data = make()
        _keep(place, data)
    return data


def cache_folder() -> Path | None:
    """Where files are kept; None if they are not."""
    chosen = os.environ.get("SPACEFMU_CACHE", "")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("spacefmu", appauthor=False)


def contents() -> Contents:
    """What is in the cache now."""
    files = _files()
    return Contents(cache_folder(), len(files), sum(size for _, size, _ in files))


def clear() -> Contents:
    """Remove everything that is kept; what it was."""
    before = contents()
    for _, _, path in _files():
        with suppress(OSError):
            path.unlink()
    return before


def _key(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for data in (part.encode() for part in parts):
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest() + _ENDING


def _read(place: Path) -> bytes | None:
    """The data at a place, whose own digest comes first; None if there is none, or damaged ones."""
    try:
        data = place.read_bytes()
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            return None
        os.utime(place)  # used now: the last to be thrown away
    except OSError:
        return None
    return data[_DIGEST:]


def _keep(place: Path, content: bytes) -> None:
    """Complete or not at all, whoever else keeps the same; then the least recently used entries are deleted, down to the limit."""
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(suffix=_UNFINISHED, dir=place.parent)
        try:
            with open(handle, "wb") as stream:
                stream.write(hashlib.sha256(content).digest() + content)
            os.replace(unfinished, place)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise
        kept = _files()
        excess = sum(size for _, size, _ in kept) - LIMIT
        for _, size, path in kept:
            if excess <= 0:
                break
            path.unlink(missing_ok=True)
            excess -= size


def _files() -> list[tuple[float, int, Path]]:
    """(time of last use, bytes, path) of all that is kept, the longest unused first."""
    folder = cache_folder()
    found = []
    for path in folder.glob(f"*{_ENDING}*") if folder is not None else ():
        with suppress(OSError):  # another process has removed it meanwhile
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    return sorted(found)
