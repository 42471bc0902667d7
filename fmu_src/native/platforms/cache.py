"""The build cache, by content: unchanged sources are not compiled again.

The name of a cached file is a digest of everything that it depends on (see compile.py). SPACEFMU_CACHE names another folder;
SPACEFMU_CACHE=off disables the cache. Trouble with the cache (a folder that can't be written, a damaged file, another
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
)  # bytes; a library has about 200 kB, the universal one of macOS twice that, the runtime 150 kB per target
_DIGEST = hashlib.sha256().digest_size
_ENDING, _UNFINISHED = ".kept", ".kept.part"


@dataclass(frozen=True)
class Contents:
    """The content of the cache: its folder, number of files and bytes."""

    folder: Path | None  # None: the cache is disabled
    count: int
    size: int


def kept(parts: Iterable[str], make: Callable[[], bytes]) -> bytes:
    """The result of `make`, which depends only on the texts of `parts`: from the cache, else made and cached."""
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
    """The folder of the cache; None if it is disabled."""
    chosen = os.environ.get("SPACEFMU_CACHE", "")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("spacefmu", appauthor=False)


def contents() -> Contents:
    """The current content of the cache."""
    files = _files()
    return Contents(cache_folder(), len(files), sum(size for _, size, _ in files))


def clear() -> Contents:
    """Clear the cache; returns its former content."""
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
    """The data of a file, which begins with their digest; None if they are missing or damaged."""
    try:
        data = place.read_bytes()
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            return None
        os.utime(place)  # marks it as recently used
    except OSError:
        return None
    return data[_DIGEST:]


def _keep(place: Path, content: bytes) -> None:
    """Written atomically, also with concurrent writers; then the least recently used entries are deleted, down to the limit."""
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
    """(time of last use, bytes, path) of all files, least recently used first."""
    folder = cache_folder()
    found = []
    for path in folder.glob(f"*{_ENDING}*") if folder is not None else ():
        with suppress(OSError):  # another process has removed it meanwhile
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    return sorted(found)
