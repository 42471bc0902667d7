"""The FMU as an archive: the same content gives the same bytes, and a file appears complete or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import uuid
import zipfile
from collections.abc import Mapping
from pathlib import Path

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold: when a file was made is not part of the content
_READABLE_FILE = 0o100644 << 16  # Unix mode of each member, whatever the umask
_UNIX = 3


def guid_of(files: Mapping[str, str]) -> str:
    """A GUID made of the content of files (name → text), so that equal content has an equal GUID."""
    digest = hashlib.sha256()
    for name in sorted(files):
        for text in (name, files[name]):
            data = text.encode()
            digest.update(len(data).to_bytes(8, "big") + data)
    return "{" + str(uuid.UUID(bytes=digest.digest()[:16], version=5)) + "}"


def write_archive(path: Path | str, files: Mapping[str, bytes | str]) -> Path:
    """Write files (name in the archive → content) as a zip to `path`, and return the path."""
    return write_bytes(path, archive_bytes(files))


def archive_bytes(files: Mapping[str, bytes | str]) -> bytes:
    """Files (name in the archive → content) as a zip."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(files):
            archive.writestr(_member(name), files[name])
    return stream.getvalue()


def write_bytes(path: Path | str, content: bytes) -> Path:
    """Write an archive to `path`, and return the path.

    It is written beside its final place and moved there in one go: if anything fails, whatever was at
    `path` before is still there, and nothing else is left behind.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(unfinished, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return path


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _EPOCH)
    member.create_system = _UNIX
    member.external_attr = _READABLE_FILE
    member.compress_type = zipfile.ZIP_DEFLATED
    return member
