"""Libraries of all platforms, read by LIEF without running them."""

from __future__ import annotations

import re
from functools import cache

from .functions import functions
from .rules import INTEROPERABILITY, ROBUSTNESS, VIOLATION, NotPossible, rule

_MACHINES = {  # folder → (format, architecture that the file must have), by version of FMI; format → suffix
    2: {
        "win32": ("PE", "I386"), "win64": ("PE", "AMD64"), "linux32": ("ELF", "I386"), "linux64": ("ELF", "X86_64"),
        "darwin32": ("MACHO", "X86"), "darwin64": ("MACHO", "X86_64"),
    },
    3: {
        f"{architecture}-{system}": (form, machine)
        for system, form, machines in (
            ("windows", "PE", {"x86": "I386", "x86_64": "AMD64", "aarch64": "ARM64"}),
            ("linux", "ELF", {"x86": "I386", "x86_64": "X86_64", "aarch32": "ARM", "aarch64": "AARCH64"}),
            ("darwin", "MACHO", {"x86": "X86", "x86_64": "X86_64", "aarch64": "ARM64"}),
        )
        for architecture, machine in machines.items()
    },
}  # fmt: skip
_SUFFIXES = {"PE": ".dll", "ELF": ".so", "MACHO": ".dylib"}
NEWEST_GLIBC = (2, 28)  # of 2018: Debian 10, Ubuntu 20.04, RHEL 8
NEWEST_MACOS = (13, 0)  # of 2022
_SYSTEM = {  # libraries that are part of every such system
    "ELF": ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux"),
    "PE": ("kernel32", "user32", "advapi32", "msvcrt", "ucrtbase", "api-ms-win", "ntdll", "ws2_32", "shell32", "ole32", "gdi32", "shlwapi", "bcrypt", "winmm"),
    "MACHO": ("/usr/lib/libSystem", "/System/Library/", "/usr/lib/libobjc", "/usr/lib/libc++"),
}  # fmt: skip


@cache
def _lief():
    try:
        import lief
    except ImportError:
        raise NotPossible("libraries are read by LIEF, which is not installed: pip install 'spacefmu[check]'") from None
    lief.logging.disable()
    return lief


def _libraries(fmu):
    """(name in the archive, platform, [binary, …]); a universal file of macOS contains several binaries, an unreadable file none."""
    lief = _lief()
    identifiers = {fmu.kind(kind).get("modelIdentifier") for kind in fmu.kinds}
    for name in fmu.names:
        parts = name.split("/")
        if len(parts) != 3 or parts[0] != "binaries" or parts[1] not in _MACHINES[fmu.version]:
            continue
        if parts[2] in {f"{identifier}{_suffix(fmu, parts[1])}" for identifier in identifiers}:
            yield name, parts[1], _parsed(fmu, name, lief)


def _suffix(fmu, folder: str) -> str:
    return _SUFFIXES[_MACHINES[fmu.version][folder][0]]


def _static(fmu, folder: str) -> bool:
    """FMI 3.0: a folder <arch>-<sys>-<abi> of static libraries."""
    return (
        fmu.version == 3
        and re.fullmatch(r"-[a-z][a-z0-9_]*", folder[len("-".join(folder.split("-")[:2])) :]) is not None
        and "-".join(folder.split("-")[:2]) in _MACHINES[3]
    )


def _parsed(fmu, name, lief):
    known = fmu.__dict__.setdefault("_parsed", {})
    if name not in known:
        data = fmu.read(name)
        if lief.is_macho(list(data[:4096])) or data[:4] in (b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe"):
            fat = lief.MachO.parse(data)
            known[name] = list(fat) if fat is not None else []
        else:
            one = lief.parse(data)
            known[name] = [one] if one is not None else []
        known[name, "kept"] = (data, fat) if known[name] and known[name][0].format.name == "MACHO" else data
    return known[name]


@rule(
    "binary-name",
    VIOLATION,
    "every platform has a library with the model identifier's name",
    "2.1.1",
    "The name of the library is MyModel.dll on Windows or MyModel.so on Linux; in other words the modelIdentifier attribute is used as library name.",
    fmi3=(
        "2.2.2",
        "The name of the library must be MyModel.dll on Windows or MyModel.so on Linux; in other words the modelIdentifier attribute is used as library name.",
    ),
)
def binary_name(fmu):
    folders = {name.split("/")[1] for name in fmu.names if name.startswith("binaries/") and name.count("/") >= 2}
    for folder in sorted(folders & set(_MACHINES[fmu.version])):
        for kind in fmu.kinds:
            name = f"binaries/{folder}/{fmu.kind(kind).get('modelIdentifier')}{_suffix(fmu, folder)}"
            if name not in fmu.names:
                yield f"{name}, for {kind}, is not there"


@rule("binary-platform", INTEROPERABILITY, "folders in binaries/ have names defined by the standard")
def binary_platform(fmu):
    folders = {name.split("/")[1] for name in fmu.names if name.startswith("binaries/") and name.count("/") >= 2}
    yield from (
        f"binaries/{folder} is not the name of a platform"
        for folder in sorted(folders - set(_MACHINES[fmu.version]))
        if folder and not _static(fmu, folder)
    )


@rule(
    "binary-format",
    VIOLATION,
    "a library is for the platform of its folder",
    "2.3",
    'for Windows: "win32", "win64" - for Linux: "linux32", "linux64", for Macintosh: "darwin32", "darwin64" where "32" stands for "32-bit x86" and "64" for "64-bit x86" respectively',
    fmi3=(
        "2.5.1.4",
        "The binaries must be placed in the respective <platformTuple> directory with the general format <arch>-<sys>.",
    ),
)
def binary_format(fmu):
    for name, platform, binaries in _libraries(fmu):
        wanted = _MACHINES[fmu.version][platform]
        found = [(b.format.name, _machine(b)) for b in binaries]
        if wanted not in found:
            yield f"{name} is {' and '.join(' for '.join(pair) for pair in found) or 'no library at all'}, expected {' for '.join(wanted)}"


def _machine(binary) -> str:
    header = binary.header
    return (
        header.machine_type.name
        if binary.format.name == "ELF"
        else header.machine.name
        if binary.format.name == "PE"
        else header.cpu_type.name
    )


_EXTERNAL, _IN_SECTION = 0x01, 0x0E  # bits of a Mach-O symbol's type


def _exports(binary) -> set[str]:
    if binary.format.name != "MACHO":
        return {f.name for f in binary.exported_functions}
    names = {f.name for f in binary.exported_functions}
    # libraries for macOS 10.5 and older have no export table: every external, defined symbol counts as exported
    old = (s.name for s in binary.symbols if s.raw_type & (_EXTERNAL | _IN_SECTION) == _EXTERNAL | _IN_SECTION)
    return {name.removeprefix("_") for name in names or old}


@rule(
    "binary-exports",
    VIOLATION,
    "a library exports every function of its interfaces",
    "2.3",
    "it is required that all functions specified for Model Exchange and/or Co-Simulation are present, even if they are only needed for capabilities that the FMU does not support",
    fmi3=(
        "2.5",
        "The FMU must implement all API functions declared in fmi3Functions.h, even if they are only needed for interface types or optional capabilities that the FMU does not support.",
    ),
)
def binary_exports(fmu):
    for name, _, binaries in _libraries(fmu):
        stem = name.rpartition("/")[2].rpartition(".")[0]
        kinds = [kind for kind in fmu.kinds if fmu.kind(kind).get("modelIdentifier") == stem]
        wanted = set(functions(fmu.version, *kinds))
        for binary in binaries:
            missing = sorted(wanted - _exports(binary))
            if missing:
                yield f"{name} lacks {', '.join(missing[:3])}{f' and {len(missing) - 3} more' if len(missing) > 3 else ''}"


@rule("binary-symbols", INTEROPERABILITY, "a library exports nothing else: further names may clash with the host's")
def binary_symbols(fmu):
    for name, _, binaries in _libraries(fmu):
        for binary in binaries:
            other = sorted(f for f in _exports(binary) if f and not f.startswith((fmu.fmi, "_init", "_fini", "DllMain", "__bss_start", "_edata", "_end", "__dso_handle", "_mh_")))  # fmt: skip
            if other:
                yield f"{name} exports {len(other)} other functions: {', '.join(other[:3])}{' …' if len(other) > 3 else ''}"


@rule(
    "binary-dependencies",
    INTEROPERABILITY,
    "a library depends only on system libraries and files of the FMU",
)
def binary_dependencies(fmu):
    for name, _, binaries in _libraries(fmu):
        beside = {other.rpartition("/")[2] for other in fmu.names if other.startswith(name.rpartition("/")[0])}
        for binary in binaries:
            libraries = [
                str(getattr(library, "name", library)) for library in binary.libraries if not _own_name(library)
            ]
            own = name.rpartition("/")[2]
            for library in libraries:
                if library.rpartition("/")[2] in beside | {own} or library.startswith("@"):
                    continue
                if not library.lower().startswith(tuple(s.lower() for s in _SYSTEM[binary.format.name])):
                    yield f"{name} needs {library}"


def _own_name(library) -> bool:
    """macOS lists a library's own install name among those it needs."""
    return getattr(getattr(library, "command", None), "name", "") == "ID_DYLIB"


@rule("binary-glibc", INTEROPERABILITY, f"a library runs with glibc {'.'.join(map(str, NEWEST_GLIBC))} and older")
def binary_glibc(fmu):
    for name, _, binaries in _libraries(fmu):
        for binary in binaries:
            if binary.format.name == "ELF":
                versions = {
                    tuple(map(int, entry.name.removeprefix("GLIBC_").split(".")))
                    for needed in binary.symbols_version_requirement
                    for entry in needed.get_auxiliary_symbols()
                    if entry.name.startswith("GLIBC_2")
                }
                if versions and max(versions)[:2] > NEWEST_GLIBC:
                    yield f"{name} needs glibc {'.'.join(map(str, max(versions)))}"


@rule("binary-macos", INTEROPERABILITY, f"a library runs on macOS {NEWEST_MACOS[0]}")
def binary_macos(fmu):
    for name, _, binaries in _libraries(fmu):
        for binary in binaries:
            if binary.format.name == "MACHO" and binary.has_build_version:
                least = tuple(binary.build_version.minos)[:2]
                if least > NEWEST_MACOS:
                    yield f"{name} ({_machine(binary)}) needs macOS {'.'.join(map(str, least))}"


@rule("binary-stack", ROBUSTNESS, "a library does not require an executable stack")
def binary_stack(fmu):
    for name, _, binaries in _libraries(fmu):
        for binary in binaries:
            if binary.format.name == "ELF" and _executable_stack(binary):
                yield f"{name} makes the stack of its whole host executable"
            elif binary.format.name == "PE" and not binary.has_nx:
                yield f"{name} is without NX_COMPAT"


def _executable_stack(binary) -> bool:
    for segment in binary.segments:
        if segment.type.name == "GNU_STACK":
            return bool(int(segment.flags) & 1)
    return True  # without the note the loader assumes it


@rule("binary-relro", ROBUSTNESS, "a library is built with read-only relocations and address space randomisation")
def binary_relro(fmu):
    for name, _, binaries in _libraries(fmu):
        for binary in binaries:
            if binary.format.name == "ELF" and not any(s.type.name == "GNU_RELRO" for s in binary.segments):
                yield f"{name} has no RELRO segment"
            elif binary.format.name == "PE" and not binary.is_pie:
                yield f"{name} is without DYNAMIC_BASE"


@rule("binary-rpath", INTEROPERABILITY, "a library searches for others only in its own folder")
def binary_rpath(fmu):
    for name, _, binaries in _libraries(fmu):
        for binary in binaries:
            if binary.format.name == "ELF":
                for entry in binary.dynamic_entries:
                    paths = getattr(entry, "runpath", "") or getattr(entry, "rpath", "")
                    for path in str(paths).split(":"):
                        if path.startswith("/") or path == ".":
                            yield f"{name} looks for libraries in {path}, a place of the machine it was built on"
