"""The files inside an FMU: bounded reading, so that no archive fills memory or disk. The standard library alone."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

XML = "modelDescription.xml"
DESCRIPTION = "resources/description/"  # where our FMUs carry the description they were built from
LARGEST = 1 << 30  # bytes of one file inside an FMU; models with 100,000 variables have some 30 MB of XML


@contextmanager
def opened(path: Path | str) -> Iterator[zipfile.ZipFile]:
    """The archive; FileNotFoundError, or ValueError if it is no zip."""
    if not Path(path).exists():
        raise FileNotFoundError(f"{path}: no such file")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path}: is not an FMU: an FMU is a zip archive, and this file is none")
    with zipfile.ZipFile(path) as archive:
        yield archive


def read_member(archive: zipfile.ZipFile, name: str, limit: int = LARGEST) -> bytes:
    """The content of a file in the archive; ValueError if it is larger than `limit`, whatever the archive says of its size."""
    with archive.open(name) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{name} has more than {limit} bytes")
    return data


def platforms_of(path: Path | str) -> list[str]:
    """FMI's names of the platforms that the FMU has libraries for."""
    with opened(path) as archive:
        folders = {name.split("/")[1] for name in archive.namelist() if re.match(r"binaries/[^/]+/[^/]+", name)}
    return sorted(folders)


def variable_names(path: Path | str) -> list[str]:
    """Names of all variables, quickly: for completion while a person types. Nothing for a file that is no sound FMU."""
    try:
        with opened(path) as archive:
            root = ElementTree.fromstring(read_member(archive, XML))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, ElementTree.ParseError):
        return []  # the command itself says what is wrong with the file
    return [variable.get("name", "") for variable in root.iter("ScalarVariable")]


def described_by(path: Path | str) -> dict[str, bytes]:
    """The description an FMU of ours was built from and the tables it names, path → content; nothing in other FMUs."""
    with opened(path) as archive:
        names = [name for name in archive.namelist() if name.startswith(DESCRIPTION) and not name.endswith("/")]
        return {name.removeprefix(DESCRIPTION): read_member(archive, name) for name in names}
