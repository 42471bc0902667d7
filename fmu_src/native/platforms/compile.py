"""From C texts to a shared library for a platform: `zig cc` for all of them, a C compiler of the host as fallback.

The same sources give the same bytes: compiled in a temporary directory by relative names, without debug information.
The runtime is the same in all FMUs: it is compiled once per target, and cached (cache.py); a small model then takes 0.2 s instead of 2.5.
"""

from __future__ import annotations

import importlib.util
import io
import os
import platform as host
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from .cache import kept
from .table import FOLDERS, PLATFORMS, host_platform, rows

RUNTIME = Path(__file__).parents[1] / "runtime"
CORE = RUNTIME / "core"


class CompileError(Exception):
    """No compiler was found, or it rejected the sources; the message includes the compiler's."""


# -ffp-contract=off: no fused operations, so that every platform rounds alike. -fno-tree-slp-vectorize: clang's search for
# vectors takes minutes in functions of 40,000 lines without a loop, ten times the rest, and finds next to none.
FLAGS = (
    "-std=c99",
    "-O2",
    "-ffp-contract=off",
    "-fno-tree-slp-vectorize",
    "-fvisibility=hidden",
    "-g0",
)
LINKED = ("-shared", "-s")
# An FMU's library for Windows: without mingw-w64's C library, which zig would compile first, in 50 s of CPU. What the runtime uses of one is in
# compiler-rt, in the UCRT of Windows, and in runtime/windows; anything else is an error of the linker. Its headers are there without it.
LEAN = ("-nostdlib", "-rtlib=compiler-rt")
UCRT = tuple(f"-lapi-ms-win-crt-{part}-l1-1-0" for part in ("math", "stdio", "string", "heap", "private"))
# A module without a main function for browsers (runtime/wasm): what is not exported is left out.
WASM, WASM_LINKED = "wasm32-wasi", ("-mexec-model=reactor", "-s", "-Wl,--gc-sections")


def runtime_sources(fmi: int = 2, *more: str) -> dict[str, str]:
    """The part of every FMU's C that no model changes, by file name: the core, the face of a version of FMI, and its tables of legal calls.

    more: other folders.
    """
    from ..c.legal_headers import legal_headers  # only a build needs it: runs of finished FMUs import this module

    folders = (CORE, RUNTIME / f"fmi{fmi}", *(RUNTIME / name for name in more))
    paths = sorted(path for folder in folders for path in folder.glob("*.[ch]"))
    return {path.name: path.read_text(encoding="utf-8") for path in paths} | legal_headers(fmi)


# fmpy has taken the prefix out of its copy of the header; the standard's has it, and hosts that link sources need it.
_NO_PREFIX = "#define fmi2FullName(name) name\n"
_PREFIX = """\
#ifdef FMI2_FUNCTION_PREFIX
#define fmi2Joined(a, b) a##b
#define fmi2Prefixed(prefix, name) fmi2Joined(prefix, name)
#define fmi2FullName(name) fmi2Prefixed(FMI2_FUNCTION_PREFIX, name)
#else
#define fmi2FullName(name) name
#endif
"""


def fmi_headers(fmi: int = 2) -> dict[str, str]:
    """The standard's three headers, which come with fmpy."""
    folder = Path(str(files("fmpy"))) / "c-code"
    if fmi == 3:
        return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("fmi3*.h"))}
    names = ("fmi2FunctionTypes.h", "fmi2Functions.h", "fmi2TypesPlatform.h")
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in names}
    functions = texts["fmi2Functions.h"]
    if "FMI2_FUNCTION_PREFIX)" not in functions:
        functions = functions.replace("This definition has been changed to add no prefix.\n", "").replace(
            _NO_PREFIX, _PREFIX
        )
    return texts | {"fmi2Functions.h": functions}


def all_sources(sources: Mapping[str, str]) -> dict[str, str]:
    """The sources of `generator.generate` with the runtime and the headers: all that is compiled."""
    fmi = _version(sources)
    return runtime_sources(fmi) | fmi_headers(fmi) | dict(sources)


def _windows() -> dict[str, str]:
    return {"windows.c": (RUNTIME / "windows" / "library.c").read_text(encoding="utf-8")}


def _version(sources: Mapping[str, str]) -> int:
    """The version of FMI that sources are for: FMI 2.0's unless they hold the headers of 3.0."""
    return 3 if "fmi3Functions.h" in sources else 2


def cached_library(sources: Mapping[str, str], platform: str) -> bytes:
    """The result of `compile_library`, from the cache if nothing relevant has changed."""
    texts = (text for pair in sorted((all_sources(sources) | _windows()).items()) for text in pair)
    return kept([platform, compiler_identity(platform), *texts], lambda: compile_library(sources, platform))


def compile_library(sources: Mapping[str, str], platform: str) -> bytes:
    """The shared library of an FMU: `sources` of `generator.generate`, with the runtime, for a platform of FMI 2.0 or 3.0."""
    if not rows(platform):
        known = (*FOLDERS, *(row.name for row in PLATFORMS))
        raise CompileError(f"platform {platform!r} is unknown, expected one of {', '.join(known)}")
    # Names of its own are for programs into which several FMUs are linked: inside a library nobody sees them.
    texts = all_sources(sources) | {"names.h": ""}
    commands, runtime = compiler_commands(platform), runtime_sources(_version(texts))
    if systems_by_zig([platform]) == {"Windows"}:
        texts = texts | _windows()
        objects = {name: () for name in texts if name.endswith(".c") and name not in runtime}
        return _linked(commands[0], texts, runtime, LINKED + LEAN, objects, UCRT)
    libraries = [_linked(command, texts, runtime, LINKED) for command in commands]
    return libraries[0] if len(libraries) == 1 else join_architectures(libraries)


def wasm_module(sources: Mapping[str, str]) -> bytes:
    """The WebAssembly module of a page: `sources` of `generator.generate`, with the runtime and runtime/wasm; kept as libraries are."""
    zig, runtime = _zig(), runtime_sources(2, "wasm")
    if zig is None:
        raise CompileError("no compiler for WebAssembly: install the Python package ziglang")
    command = [zig, "cc", "-msimd128", "-target", WASM]
    texts = runtime | fmi_headers() | dict(sources) | {"names.h": ""}
    parts = [_identity(command), *FLAGS, *WASM_LINKED, *(text for pair in sorted(texts.items()) for text in pair)]
    return kept(parts, lambda: _linked(command, texts, runtime, WASM_LINKED))


# Of what computes several runs at once, by how many: the instructions of this machine, fused ones too. Never in an FMU.
LANE_FLAGS = {
    8: ("-mavx2", "-mfma", "-mavx512f", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"),
    4: ("-mavx2", "-mfma"),
    2: (),
}


def batch_library(sources: Mapping[str, str], lanes: int) -> bytes:
    """The library that steps many runs on this machine: `sources` of `generator.generate` and lanes.c, with the runtime and runtime/batch."""
    (command, *_), runtime = compiler_commands(host_platform()), runtime_sources(2)
    texts = runtime_sources(2, "batch") | fmi_headers() | dict(sources) | {"names.h": ""}
    own = sorted(name for name in texts if name.endswith(".c") and name not in runtime and name != "model.c")
    options = (*LANE_FLAGS[lanes], f"-DLANES={lanes}", "-ffp-contract=fast", "-fno-math-errno")
    parts = [_identity(command), *_options(), *options, *(text for pair in sorted(texts.items()) for text in pair)]
    return kept(parts, lambda: _linked(command, texts, runtime, LINKED, dict.fromkeys(own, options)))


def _linked(
    command: list[str],
    texts: dict[str, str],
    runtime: dict[str, str],
    linked: tuple[str, ...],
    special: Mapping[str, Sequence[str]] | None = None,
    libraries: Sequence[str] = ("-lm",),
) -> bytes:
    """The library for one architecture: the runtime's objects, kept or compiled now, linked with what is the model's own.

    special: files that are compiled by themselves, with more options.
    """
    special = special or {}
    common = {name: text for name, text in texts.items() if name in runtime or name.endswith(".h")}
    parts = (text for pair in sorted(common.items()) for text in pair)
    objects = kept([_identity(command), *_options(), *parts], lambda: _objects(command, common))
    own = sorted(name for name in texts if name.endswith(".c") and name not in common and name not in special)
    with _written(texts) as folder, zipfile.ZipFile(io.BytesIO(objects)) as archive:
        archive.extractall(folder)
        lines = [
            [*command, *FLAGS, *more, *_independent(command), "-c", name, "-o", f"{name}.o"]
            for name, more in special.items()
        ]
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            list(workers.map(lambda line: _run(line, folder), lines))
        own += [f"{name}.o" for name in special]
        _run([*command, *FLAGS, *linked, *own, *archive.namelist(), *libraries, "-o", "library"], folder)
        library = (folder / "library").read_bytes()
    if "-linux-gnu" in command[-1] and b"\0libc.so.6\0" not in library:  # zig links an emptied libc without a word
        raise CompileError(f"{' '.join(command)}: {_DAMAGED}")
    return library


def compiled_in_one(command: list[str], texts: Mapping[str, str], options: Sequence[str]) -> bytes:
    """The library that one call of the compiler makes of all C texts."""
    with _written(texts) as folder:
        _run([*command, *options, *sorted(name for name in texts if name.endswith(".c")), "-o", "library"], folder)
        return (folder / "library").read_bytes()


def _objects(command: list[str], texts: dict[str, str]) -> bytes:
    """A zip of the object files of all C texts; the same texts give the same bytes."""
    names = sorted(name for name in texts if name.endswith(".c"))
    independent = _independent(command)
    with _written(texts) as folder, ThreadPoolExecutor(os.cpu_count()) as workers:
        lines = [[*command, *FLAGS, *independent, "-c", name, "-o", f"{name}.o"] for name in names]
        list(workers.map(lambda line: _run(line, folder), lines))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in names:
                archive.writestr(zipfile.ZipInfo(f"{name}.o"), (folder / f"{name}.o").read_bytes())
    return buffer.getvalue()


def _independent(command: list[str]) -> list[str]:
    """Windows has no position-dependent code to avoid, and clang refuses the option for it; a module of WebAssembly is placed by itself."""
    return [] if "windows" in command[-1] or command[-1] == WASM else ["-fPIC"]


@contextmanager
def _written(texts: Mapping[str, str]) -> Iterator[Path]:
    """A temporary folder with the texts as files."""
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as folder:
        for name, text in texts.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        yield Path(folder)


def compiler_commands(platform: str) -> list[list[str]]:
    """Compiler commands, one per architecture. SPACEFMU_CC, a command with options, serves the host instead of zig."""
    chosen = shlex.split(os.environ.get("SPACEFMU_CC", ""))
    if not chosen and (zig := _zig()):
        return [[zig, "cc", "-target", row.target] for row in rows(platform)]
    if host_platform() not in (platform, *(row.folder for row in rows(platform))):
        raise CompileError(
            f"no compiler for {platform}: install the Python package ziglang; C compilers of this host serve {host_platform()} only"
        )
    names = chosen[:1] or ["cc", "gcc", "clang"]
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        raise CompileError(
            f"no compiler for {platform}: found none of {', '.join(names)}; install one, or the Python package ziglang"
        )
    return [[compiler, *chosen[1:], "-fPIC"]]


def _zig() -> str | None:
    """The program in the Python package ziglang: `python -m ziglang` starts Python once more for every file."""
    package = importlib.util.find_spec("ziglang")
    return str(Path(package.origin).with_name("zig")) if package and package.origin else None


def systems_by_zig(platforms: Sequence[str]) -> set[str]:
    """The systems among platforms whose libraries zig links, as the table calls them."""
    return {row.system for name in platforms if compiler_commands(name)[0][0] == _zig() for row in rows(name)}


# Variables that change what a C compiler reads or writes although neither sources nor options do.
_COMPILER_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET")


def compiler_identity(platform: str) -> str:
    """Everything but the sources that a library depends on: compilers with their versions, options, environment."""
    return "\n".join([*map(_identity, compiler_commands(platform)), *_options()])


def _options() -> list[str]:
    return [*FLAGS, *LINKED, *LEAN, *UCRT, *(f"{name}={os.environ.get(name, '')}" for name in _COMPILER_VARIABLES)]


def _identity(command: list[str]) -> str:
    if command[0] == _zig():  # where it lies does not matter
        return f"ziglang {version('ziglang')} {' '.join(command[1:])}"
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
    return f"{' '.join(command)}\n{said}{' '.join(host.libc_ver())}"


def _run(line: list[str], folder: Path) -> None:
    # A cache of its own for each build: zig's common one never hits in a new folder, but its locks, one per file name,
    # let all builds on the machine wait for each other. What zig makes of libc stays in the common one.
    environment = os.environ | {"ZIG_LOCAL_CACHE_DIR": str(folder / "cache")}
    if _STOPPED.is_set():
        raise CompileError("stopped")
    with subprocess.Popen(line, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as compiler:  # fmt: skip
        _RUNNING.add(compiler)
        if _STOPPED.is_set():  # between the question above and the start
            compiler.kill()
        try:
            said = compiler.communicate()[1].strip()
        finally:
            _RUNNING.discard(compiler)
    if compiler.returncode:
        command = " ".join(line[: line.index(FLAGS[0])])
        raise CompileError(f"{command}: {_cause(said)}; exit code {compiler.returncode}:\n{said}")


_RUNNING: set[subprocess.Popen] = set()
_STOPPED = threading.Event()


@contextmanager
def allowed_to_stop() -> Iterator[None]:
    """Compilers that were stopped within may run again afterwards."""
    try:
        yield
    finally:
        _STOPPED.clear()


def stop_compilers() -> None:
    """End the running compilers, and start no others: their threads then end, and their folders are removed."""
    _STOPPED.set()
    for compiler in tuple(_RUNNING):
        compiler.kill()


_DAMAGED = "its cache is damaged: remove the folder ~/.cache/zig (or ZIG_GLOBAL_CACHE_DIR), it is made again"
# A part of libc as zig's common cache keeps it; the build's own files are in cache/o.
_KEPT_BY_ZIG = re.compile(r"^ld\.lld: error: .*(?<!\bcache/)\bo/[0-9a-f]{32}/", re.MULTILINE)
# Compiler messages about the machine, and remedies; else the compiler's first error is shown.
_SURROUNDINGS = (
    ("AppDataDirUnavailable", "finds no folder for its cache: set HOME, or ZIG_GLOBAL_CACHE_DIR to a folder that can be written"),
    ("unable to resolve zig cache directory", "finds no folder for its cache: set HOME, or ZIG_GLOBAL_CACHE_DIR to a folder that can be written"),
    ("unable to open global cache directory", "can't open the folder of its cache: set ZIG_GLOBAL_CACHE_DIR to a folder that can be written"),
    ("AccessDenied", "may not write to its cache: set ZIG_GLOBAL_CACHE_DIR to a folder that can be written"),
    ("ReadOnlyFileSystem", "its cache is on a read-only disk: set ZIG_GLOBAL_CACHE_DIR to a folder that can be written"),
    ("NoSpaceLeft", "the disk is full: free some space, or set ZIG_GLOBAL_CACHE_DIR and TMPDIR to folders on another"),
    ("No space left", "the disk is full: free some space, or set ZIG_GLOBAL_CACHE_DIR and TMPDIR to folders on another"),
    ("FileNotFound", _DAMAGED),
    ("corrupt", _DAMAGED),
)  # fmt: skip


def _cause(said: str) -> str:
    for sign, words in _SURROUNDINGS:
        if sign in said:
            return words
    if _KEPT_BY_ZIG.search(said):
        return _DAMAGED
    lines = said.splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "it said nothing")


_CPU_TYPES = {0x01000007: 3, 0x0100000C: 0}  # x86_64, arm64: the subtype "all" of each
_ALIGNMENT = 14  # power of two; arm64 pages


def join_architectures(libraries: list[bytes]) -> bytes:
    """A universal ("fat") Mach-O file of several thin ones: a big-endian table of contents, then the files, aligned."""
    size = 1 << _ALIGNMENT
    table, body = struct.pack(">II", 0xCAFEBABE, len(libraries)), b""
    for library in libraries:
        (cpu,) = struct.unpack_from("<I", library, 4)
        offset = size + len(body)
        table += struct.pack(">IIIII", cpu, _CPU_TYPES[cpu], offset, len(library), _ALIGNMENT)
        body += library + b"\0" * (-len(library) % size)
    return table.ljust(size, b"\0") + body
