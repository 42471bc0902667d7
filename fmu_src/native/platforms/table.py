"""The platforms that FMUs are compiled for: one row each. A new one is a row.

FMI 3.0 names a platform by architecture and system; FMI 2.0 has folders, of which darwin64 holds one file for both architectures.
"""

from __future__ import annotations

import platform as host
from dataclasses import dataclass

_NEVER_RUN = " (never run by its makers, who have no such machine)"
_EMULATED = " (run by its makers under qemu only)"


@dataclass(frozen=True)
class Platform:
    """name: FMI 3.0's; folder: FMI 2.0's, None if it has none; target: zig's; machines: as Python calls this one.

    note: what users should know, after its name.
    """

    name: str
    folder: str | None
    target: str
    suffix: str
    system: str
    machines: tuple[str, ...]
    note: str = ""


PLATFORMS = (
    Platform("x86_64-linux", "linux64", "x86_64-linux-gnu.2.17", ".so", "Linux", ("x86_64", "amd64")),
    Platform("aarch64-linux", None, "aarch64-linux-gnu.2.17", ".so", "Linux", ("aarch64", "arm64"), _EMULATED),
    Platform("x86_64-windows", "win64", "x86_64-windows-gnu", ".dll", "Windows", ("x86_64", "amd64")),
    Platform("x86_64-darwin", "darwin64", "x86_64-macos.11.0", ".dylib", "Darwin", ("x86_64",), _NEVER_RUN),
    Platform("aarch64-darwin", "darwin64", "aarch64-macos.11.0", ".dylib", "Darwin", ("arm64",), _NEVER_RUN),
)
FOLDERS = tuple(dict.fromkeys(row.folder for row in PLATFORMS if row.folder))  # what FMI 2.0 can have


def rows(name: str) -> list[Platform]:
    """The platforms that a name of FMI 2.0 or 3.0 stands for; none if it is unknown."""
    return [row for row in PLATFORMS if name in (row.name, row.folder)]


def suffix(name: str) -> str:
    return rows(name)[0].suffix


def note(name: str) -> str:
    return rows(name)[0].note


def host_platform() -> str:
    """FMI 2.0's folder for the machine this runs on, else FMI 3.0's name, else what Python calls it."""
    system, machine = host.system(), host.machine()
    for row in PLATFORMS:
        if row.system == system and machine.lower() in row.machines:
            return row.folder or row.name
    return f"{system} on {machine}"
