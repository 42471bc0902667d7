"""The files inside an FMU, read with limits, so that no archive fills memory or disk. Uses only the standard library."""

from __future__ import annotations

import errno
import re
import stat
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from spacefmu.dynamics.limits import ENTRIES, FILE, UNPACKED, XML_SIZE, in_words

XML = "modelDescription.xml"
DESCRIPTION = "resources/description/"  # where FMUs of spacefmu carry the description they were built from
_UNIX = 3


@contextmanager
def opened(path: Path | str) -> Iterator[zipfile.ZipFile]:
    """The archive; FileNotFoundError, or ValueError if it is not a zip."""
    if not Path(path).exists():
        raise FileNotFoundError(f"{path}: no such file")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path}: not an FMU (not a zip archive)")
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, struct.error) as error:
        raise ValueError(f"{path}: is not an FMU: the zip archive is damaged: {error}") from None
    with archive:
        yield archive


def read_member(archive: zipfile.ZipFile, name: str, limit: int = FILE) -> bytes:
    """The content of a file in the archive; ValueError if it is larger than `limit`, whatever size the archive states."""
    with archive.open(name) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{name} has more than {in_words(limit)}, the limit of one file")
    return data


def read_xml(archive: zipfile.ZipFile, name: str) -> bytes:
    """An XML file of the archive; ValueError if it is too large, or defines entities, with which a few lines can exhaust memory."""
    data = read_member(archive, name, XML_SIZE)
    if b"\0" in data:
        raise ValueError(f"{name} is not UTF-8, as the standard requires")
    if defines_entities(data):
        raise ValueError(f"{name} defines entities (<!DOCTYPE …>), which are not allowed: they can exhaust memory")
    return data


def defines_entities(xml: bytes) -> re.Match | None:
    return re.search(rb"<!\s*(DOCTYPE|ENTITY)[^>]{0,60}", xml)


def unsafe(name: str) -> str:
    """Why a name must not be unpacked, or empty."""
    if "\\" in name:
        return "has a backslash"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "is absolute"
    if ".." in PurePosixPath(name).parts:
        return "points outside the folder it is unpacked to"
    if "\0" in name:
        return "has a NUL character"
    return ""


def is_link(member: zipfile.ZipInfo) -> bool:
    return member.create_system == _UNIX and stat.S_ISLNK(member.external_attr >> 16)


def unpack(path: Path | str, folder: Path | str) -> Path:
    """Unpack the archive into an empty folder; ValueError, and nothing is written, if names or sizes can't be trusted.

    Sizes are counted as files are written; the sizes that the archive states are not trusted.
    """
    with opened(path) as archive:
        members = archive.infolist()
        if len(members) > ENTRIES:
            raise ValueError(f"{path}: is not unpacked: it has {len(members)} entries, the limit is {ENTRIES}")
        for member in members:
            name = member.orig_filename
            if why := unsafe(name) or unsafe(member.filename) or ("is a link" if is_link(member) else ""):
                raise ValueError(f"{path}: is not unpacked: {name[:100]!r} {why}")
        if sum(member.file_size for member in members) > UNPACKED:
            raise ValueError(_too_large(path))
        left = UNPACKED
        for member in members:
            place = Path(folder, member.filename)
            if member.is_dir():
                place.mkdir(parents=True, exist_ok=True)
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as stream, open(place, "wb") as file:
                while chunk := stream.read(1 << 20):
                    left -= len(chunk)
                    if left < 0:
                        raise ValueError(_too_large(path))
                    file.write(chunk)
    return Path(folder)


@contextmanager
def unpacked(path: Path | str) -> Iterator[Path]:
    """A temporary folder with the FMU's files, removed afterwards, also if the disk fills up while unpacking."""
    # ignore_cleanup_errors: Windows keeps a loaded library's file until the process ends
    with tempfile.TemporaryDirectory(prefix="spacefmu-", ignore_cleanup_errors=True) as folder:
        try:
            unpack(path, folder)
        except ValueError:
            raise
        except OSError as error:  # the error of a full disk names no file
            if error.errno == errno.ENAMETOOLONG:
                raise ValueError(
                    f"{path}: can't be unpacked: a name in it is too long for a file of this machine"
                ) from error
            raise type(error)(error.errno, error.strerror, tempfile.gettempdir()) from error
        except Exception as error:  # zipfile raises exceptions of all kinds for damaged archives
            raise ValueError(f"{path}: can't be unpacked: {error}") from error
        yield Path(folder)


def _too_large(path: Path | str) -> str:
    return f"{path}: is not unpacked: it would take more than {in_words(UNPACKED)} on disk, the limit"


def platforms_of(path: Path | str) -> list[str]:
    """The FMI names of the platforms for which the FMU has libraries."""
    with opened(path) as archive:
        folders = {name.split("/")[1] for name in archive.namelist() if re.match(r"binaries/[^/]+/[^/]+", name)}
    return sorted(folders)


def variable_names(path: Path | str) -> list[str]:
    """Names of all variables, quickly, for completion while typing. Empty for a file that is not a valid FMU."""
    try:
        with opened(path) as archive:
            root = ElementTree.fromstring(read_xml(archive, XML))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, ElementTree.ParseError):
        return []  # the command itself reports what is wrong with the file
    return [variable.get("name", "") for variable in root.iter("ScalarVariable")]


def described_by(path: Path | str) -> dict[str, bytes]:
    """The description from which spacefmu built an FMU, and the tables it names: path → content; empty for other FMUs."""
    with opened(path) as archive:
        names = [name for name in archive.namelist() if name.startswith(DESCRIPTION) and not name.endswith("/")]
        found, left = {}, FILE
        for name in names:
            found[name.removeprefix(DESCRIPTION)] = data = read_member(archive, name, left)
            left -= len(data)
        return found
