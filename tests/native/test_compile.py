"""The compiler driver and its C: warnings, reproducible bytes, symbols, formats, and clear error messages."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import inspect
import os
import re
import shutil
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.contract import About, Projection, Staged, System
from spacefmu.dynamics.system.signals import Signal, SignalTable
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.cli.build import build
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.c.generator import generate
from spacefmu.fmu_src.native.platforms import compile as driver
from spacefmu.fmu_src.native.platforms.compile import CompileError, compile_library, fmi_headers, runtime_sources
from spacefmu.fmu_src.native.trace import traces as trace
from spacefmu.fmu_src.native.trace.sparsity import dependencies
from tests.catalogue_fmus import matrix
from tests.large_crafts import mixed_chain
from tests.systems_small import ALL, BALL, LATCH, PENDULUM

LARGE = load_text(mixed_chain(8, closed=True))  # C of another form: calls of one function per kind
GUID = "{01234567-89ab-cdef-0123-456789abcdef}"


def sources_of(system):
    return generate(system, variables_of(system), GUID)


@cache
def large_sources():
    assert LARGE.nx >= trace.LARGE
    return sources_of(LARGE)


# tests/windows checks the win64 library.
PLATFORMS = [platform for platform in driver.FOLDERS if platform != "win64"]


@cache
def library_of(platform: str) -> bytes:
    """A library for a platform, compiled once."""
    return compile_library(sources_of(BALL), platform)


@pytest.mark.parametrize("system", [*ALL, LARGE], ids=lambda s: s.name)
def test_no_warnings(system, tmp_path):
    """Runtime and generated C99 pass -Wall -Wextra -Wpedantic -Werror.

    The large model is parsed only, because compiling takes gcc a minute: it has the same kinds of lines as the others.
    """
    texts = runtime_sources() | fmi_headers() | (large_sources() if system is LARGE else sources_of(system))
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    strict = ["gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c"]
    runtime = sorted(name for name in texts if name.endswith(".c") and name != "model.c")
    subprocess.run([*strict, *(runtime if system is ALL[0] else ["methods.c"])], cwd=tmp_path, check=True)
    more = ["-fsyntax-only"] if system is LARGE else []
    subprocess.run([*strict, *more, "model.c"], cwd=tmp_path, check=True)


def test_several_fmus_can_be_linked_into_one_program(tmp_path):
    """Source FMUs as embedded hosts use them: FMI2_FUNCTION_PREFIX renames FMI's functions, names.h all others."""
    objects = []
    for system in (BALL, PENDULUM):
        folder = tmp_path / system.name
        folder.mkdir()
        for name, text in (runtime_sources() | fmi_headers() | sources_of(system)).items():
            (folder / name).write_text(text)
        files = sorted(path.name for path in folder.glob("*.c"))
        prefix = f"-DFMI2_FUNCTION_PREFIX={system.name}_"
        subprocess.run(["gcc", "-std=c99", "-c", "-fPIC", prefix, *files], cwd=folder, check=True)
        objects += map(str, folder.glob("*.o"))
    subprocess.run(["gcc", "-shared", *objects, "-lm", "-o", "both.so"], cwd=tmp_path, check=True)
    symbols = subprocess.run(["nm", "-g", "--defined-only", *objects], capture_output=True, text=True, check=True)
    names = {line.split()[2] for line in symbols.stdout.splitlines() if len(line.split()) == 3}
    assert {"Ball_fmi2DoStep", "Pendulum_fmi2DoStep"} <= names
    assert all(name.startswith(("Ball_", "Pendulum_")) for name in names)
    for name in ("Ball", "Pendulum"):
        version = ctypes.CDLL(str(tmp_path / "both.so"))[f"{name}_fmi2GetVersion"]
        version.restype = ctypes.c_char_p
        assert version() == b"2.0"


def test_the_same_system_gives_the_same_text():
    """Also in another process, where Python hashes strings differently."""
    program = "from tests.native.test_compile import *; print(digest())"
    environment = os.environ | {"PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert other.stdout.strip() == digest()


def digest() -> str:
    return hashlib.sha256(str([sources_of(LATCH), large_sources()]).encode()).hexdigest()


@pytest.mark.parametrize(
    ("platform", "runtime"),
    [
        ("linux64", "anew"),
        pytest.param("darwin64", "kept", marks=pytest.mark.ci),
        pytest.param("darwin64", "anew", marks=pytest.mark.slow),
    ],
)
def test_the_same_sources_give_the_same_bytes(platform, runtime, monkeypatch, tmp_path):
    """Model and linking again on every platform, where linkers differ; all of the runtime again on one, by the same compiler."""
    assert compiled_again(platform, runtime, monkeypatch, tmp_path) == library_of(platform)


def compiled_again(platform, runtime, monkeypatch, folder) -> bytes:
    library_of(platform)
    if runtime == "anew":
        monkeypatch.setenv("SPACEFMU_CACHE", "off")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return compile_library(sources_of(BALL), platform)


@pytest.mark.parametrize("platform", matrix(PLATFORMS, ("linux64",)))
def test_nothing_of_this_machine_is_in_a_library(platform):
    assert_nothing_of_this_machine(library_of(platform))


def assert_nothing_of_this_machine(library: bytes):
    for words in (str(Path.home()), sys.prefix, "/tmp/", str(Path.cwd()), "spacefmu-"):
        assert words.encode() not in library
    assert len(library) < 450_000  # 409,600 for both processors of macOS


def test_linux_needs_an_old_glibc_only():
    versions = {int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library_of("linux64"))}
    assert versions
    assert max(versions) <= 17


def darwin_exports(library: bytes) -> dict[int, set[str]]:
    """Defined external symbols of each architecture in a universal Mach-O file."""
    magic, count = struct.unpack_from(">II", library)
    assert magic == 0xCAFEBABE
    found = {}
    for i in range(count):
        cpu, _, start, size, align = struct.unpack_from(">IIIII", library, 8 + 20 * i)
        assert start % (1 << align) == 0
        thin = library[start : start + size]
        assert struct.unpack_from("<II", thin) == (0xFEEDFACF, cpu)
        (commands,) = struct.unpack_from("<I", thin, 16)
        place, found[cpu] = 32, set()
        for _ in range(commands):
            command, length = struct.unpack_from("<II", thin, place)
            if command == 2:  # LC_SYMTAB
                symbols, number, strings, _ = struct.unpack_from("<IIII", thin, place + 8)
                for k in range(number):
                    name, kind, section = struct.unpack_from("<IBB", thin, symbols + 16 * k)
                    if kind & 1 and section and not kind & 0x10:  # external, defined, not private
                        found[cpu].add(thin[strings + name :].split(b"\0", 1)[0].decode())
            place += length
    return found


def thin_files(fat: bytes):
    """The files of a universal one, by the number of their processor."""
    for i in range(struct.unpack_from(">I", fat, 4)[0]):
        cpu, _, offset, size, _ = struct.unpack_from(">IIIII", fat, 8 + 20 * i)
        yield cpu, fat[offset : offset + size]


@pytest.mark.ci  # the runtime for both processors
def test_macos_libraries_serve_from_11_on():
    """Their own load command says so: LC_BUILD_VERSION with platform 1 (macOS) and the least version, 11.0."""
    least = {}
    for cpu, thin in thin_files(library_of("darwin64")):
        place = 32
        for _ in range(struct.unpack_from("<I", thin, 16)[0]):
            command, length = struct.unpack_from("<II", thin, place)
            if command == 0x32:
                platform, version = struct.unpack_from("<II", thin, place + 8)
                least[cpu] = platform, version >> 16, version >> 8 & 0xFF
            place += length
    assert least == {0x01000007: (1, 11, 0), 0x0100000C: (1, 11, 0)}


@pytest.mark.ci
def test_macos_libraries_export_fmi_alone():
    """The functions of FMI 2.0, all 44; two more are the linker's."""
    darwin = darwin_exports(library_of("darwin64"))
    assert set(darwin) == {0x01000007, 0x0100000C}  # x86_64 and arm64
    for names in darwin.values():
        own = names - {"___dso_handle", "__mh_dylib_header"}
        assert len(own) == 44
        assert all(name.startswith("_fmi2") for name in own)


def test_the_host_compiler_serves_without_zig(monkeypatch):
    monkeypatch.setenv("SPACEFMU_CC", "gcc -O1")
    assert compile_library(sources_of(BALL), "linux64").startswith(b"\x7fELF")
    with pytest.raises(CompileError, match=r"no compiler for win64.*ziglang"):
        compile_library(sources_of(BALL), "win64")


def test_no_compiler_at_all_is_said_clearly(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(driver.importlib.util, "find_spec", lambda name: None if name == "ziglang" else find(name))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CompileError, match="found none of cc, gcc, clang; install one, or the Python package ziglang"):
        compile_library(sources_of(BALL), "linux64")


@pytest.mark.parametrize(
    ("system", "machine", "expected"),
    [
        ("Linux", "x86_64", "linux64"),
        ("Linux", "aarch64", "aarch64-linux"),
        ("Windows", "AMD64", "win64"),
        ("Darwin", "arm64", "darwin64"),
        ("Plan9", "mips", "Plan9 on mips"),
    ],
)
def test_the_host_has_a_platform_of_fmi(monkeypatch, system, machine, expected):
    monkeypatch.setattr(driver.host, "system", lambda: system)
    monkeypatch.setattr(driver.host, "machine", lambda: machine)
    assert driver.host_platform() == expected


def test_the_table_of_platforms():
    """The default platforms of a build; FMI's own schema of the tuples of 3.0; a row is found by its name in either version."""
    assert inspect.signature(build).parameters["platform"].default == ",".join(driver.FOLDERS)
    assert all(re.fullmatch(r"(x86_64|aarch64)-(linux|windows|darwin)", row.name) for row in driver.PLATFORMS)
    assert [row.name for row in driver.rows("darwin64")] == ["x86_64-darwin", "aarch64-darwin"]
    assert driver.rows("x86_64-linux") == driver.rows("linux64")


@pytest.mark.slow  # zig makes a C library for it first
def test_a_platform_that_fmi_2_has_no_folder_for():
    library = compile_library(sources_of(BALL), "aarch64-linux")
    assert library[:4] == b"\x7fELF"
    assert int.from_bytes(library[18:20], "little") == 183  # EM_AARCH64


def test_a_host_that_fmi_has_no_platform_for_is_said_so(monkeypatch, tmp_path):
    monkeypatch.setattr(driver.host, "machine", lambda: "aarch64")
    with pytest.raises(ValueError, match=r"no platform for aarch64-linux; name those to build for"):
        build_native(BALL, tmp_path / "unit.fmu", ["host"])


def test_unknown_platforms_and_broken_sources():
    with pytest.raises(CompileError, match="platform 'beos' is unknown, expected one of linux64, win64, darwin64"):
        compile_library({}, "beos")
    with pytest.raises(CompileError, match=r"model\.c:1"):
        compile_library(sources_of(BALL) | {"model.c": "not C"}, "linux64")


def wrong(**changes) -> System:
    """A System with one state and one output, with a fault."""
    signals = SignalTable(states=(Signal("a", "", derivative="b"),), outputs=(Signal("c", ""),))
    parts = {"motion": Staged(lambda *_: (np.zeros(1), np.zeros(1), np.zeros(0)))} | changes
    return System("Wrong", About(), signals, **parts)


def solve(**sizes):
    n, m = sizes["n"], sizes["m"]
    return Staged(
        lambda *_: np.zeros(1), lambda *_: (np.eye(2), np.zeros((1, 2)), np.zeros(2), np.zeros(1), np.zeros(0)), n, m
    )


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (wrong(motion=Staged(lambda *_: np.zeros(1))), "motion.finish gave ndarray, expected 3: x_dot, y, g"),
        (
            wrong(motion=Staged(lambda *_: (np.zeros(2), np.zeros(1), np.zeros(0)))),
            r"motion.finish gave x_dot with shape \(2,\), expected \(1,\)",
        ),
        (
            wrong(motion=Staged(lambda *_: (0.0, 0.0, np.zeros(0)), None, n=3)),
            "motion has no assemble, but n, m, carry",
        ),
        (wrong(derive=lambda p: np.zeros(4)), r"derive gave k with shape \(4,\), expected \(0,\)"),
        (wrong(laws=("one", "two")), r"check gave laws with shape \(0,\), expected \(2,\)"),
        (
            wrong(projections=(Projection("p", solve(n=3, m=1)),)),
            r"projection_0.assemble gave M with shape \(2, 2\), expected \(3, 3\)",
        ),
        (wrong(projections=(Projection("p", Staged(lambda *_: np.zeros(1))),)), "projection 'p' has no assemble"),
    ],
)
def test_equations_of_the_wrong_shape_are_named(system, message):
    with pytest.raises(ValueError, match=f"Wrong: {message}"):
        sources_of(system)


def test_dependencies_are_those_of_the_equations():
    """Derived from the equations by hand; the solve couples all that enters it, and the rest stays independent."""
    found = dependencies(PENDULUM)
    everything = {"x", "y", "vx", "vy", "force"}
    assert found.derivatives == [{"vx"}, {"vy"}, everything, everything]
    assert found.outputs == [everything, everything, everything, {"vx", "vy", "y"}, {"vx", "vy"}]
    assert found.initial_states[0] == {"x", "y", "mass", "length"}
    assert dependencies(LATCH).derivatives == [{"va"}, {"vb"}, {"push"}, set()]
    assert dependencies(LATCH).outputs == [{"va", "vb"}]


# Faults of zig's common cache: how `spoil` changes a copy of a valid one, the command in a mount namespace, the message.
MOUNT = (
    "unshare",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    'mount -t tmpfs -o "$1" none "$2" && shift 2 && exec "$@"',
    "sh",
)
CACHES = {
    "a file in its place": (lambda cache: cache.write_text(""), "", "can't open the folder of its cache: set ZIG_GLOBAL_CACHE_DIR"),
    "a full disk": (Path.mkdir, "size=64k", "the disk is full: free some space"),
    "a read-only disk": (Path.mkdir, "ro", "its cache is on a read-only disk"),
    "objects that are gone": (lambda cache: shutil.rmtree(sound_cache(cache) / "o"), "", "its cache is damaged: remove the folder"),
    "objects cut off": (lambda cache: [os.truncate(file, 100) for file in (sound_cache(cache) / "o").rglob("*.so.*")], "", "its cache is damaged: remove the folder"),
}  # fmt: skip
ZIG = [driver._zig(), "cc", "-target", "x86_64-linux-gnu.2.17"]


def sound_cache(folder: Path) -> Path:
    """A cache of zig's with everything that a library needs, made anew: copies of the common one lack what other processes write."""
    with patch.dict(os.environ, ZIG_GLOBAL_CACHE_DIR=str(folder)):
        compile_anything(folder.parent)
    return folder


def compile_anything(folder: Path, *before: str) -> None:
    (folder / "any.c").write_text("#include <math.h>\ndouble any(double x) { return sin(x); }\n")
    driver._run([*before, *ZIG, *driver.FLAGS, *driver.LINKED, "any.c", "-lm", "-o", "library"], folder)


@pytest.mark.skipif(driver.host_platform() != "linux64", reason="mounts of Linux")
@pytest.mark.parametrize("what", CACHES)
def test_what_is_wrong_with_the_cache_of_zig_is_said(what, tmp_path, monkeypatch):
    """By zig itself. Without --debug the user sees only the first line, which once was only "failed with exit code"."""
    spoil, mount, words = CACHES[what]
    cache = tmp_path / "zig"
    if mount and subprocess.run([*MOUNT, "ro", str(tmp_path), "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no mount namespaces")
    spoil(cache)
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(cache))
    with pytest.raises(CompileError) as error:
        compile_anything(tmp_path, *((*MOUNT, mount, str(cache)) if mount else ()))
    assert words in str(error.value).splitlines()[0]


@pytest.mark.skipif(driver.host_platform() != "linux64", reason="a libc of Linux")
def test_a_library_that_was_linked_with_an_emptied_libc_is_refused(tmp_path, monkeypatch):
    """Zig reports no error: such a library runs only in hosts that have loaded libm themselves."""
    cache = sound_cache(tmp_path / "zig")
    for file in (cache / "o").rglob("*.so.*"):
        os.truncate(file, 0)
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(cache))
    monkeypatch.setenv("SPACEFMU_CACHE", "off")  # other tests compile the same sources
    with pytest.raises(CompileError, match="its cache is damaged: remove the folder"):
        compile_library(sources_of(BALL), "linux64")


def test_without_a_home_zig_has_no_cache(tmp_path, monkeypatch):
    for name in ("HOME", "XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(CompileError, match="finds no folder for its cache: set HOME, or ZIG_GLOBAL_CACHE_DIR"):
        compile_anything(tmp_path)


@pytest.mark.parametrize(
    ("said", "words"),
    [("a.c:1:1: error: expected identifier", "a.c:1:1: error: expected identifier"), ("", "it said nothing")],
)
def test_the_first_line_has_the_reason(tmp_path, said, words):
    (tmp_path / "cc").write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    (tmp_path / "cc").chmod(0o755)
    with pytest.raises(CompileError) as error:
        driver._run([str(tmp_path / "cc"), *driver.FLAGS], tmp_path)
    assert words in str(error.value).splitlines()[0]
