"""The C of an FMU, as test benches compile it from `sources/`: C99 by several compilers and for several targets, without a warning; run in 32 bits."""

from __future__ import annotations

import subprocess
import sys

import pytest

from spacefmu.fmu_src.interface.arrays import arrays_of, scalars_of
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.c.generator import generate
from spacefmu.fmu_src.native.platforms.compile import fmi_headers, runtime_sources
from tests.fuzz.programs import play, program
from tests.systems_small import LATCH, PENDULUM

ZIG = (sys.executable, "-m", "ziglang", "cc", "-target")
COMPILERS = {
    "gcc": ("gcc", "-O2"),
    "clang": ("clang-19", "-O2"),
    "windows": (*ZIG, "x86_64-windows-gnu"),
    "aarch64": (*ZIG, "aarch64-linux-gnu"),
    "arm": (*ZIG, "arm-linux-gnueabihf"),
    "x86": (*ZIG, "x86-linux-musl"),
}
INDEPENDENT: dict[str, tuple[str, ...]] = {"windows": ()}  # there all code is
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def sources(system, fmi: int) -> dict[str, str]:
    if fmi == 2:
        return runtime_sources() | generate(system, variables_of(system), "{}")
    scalars = scalars_of(system)
    return runtime_sources(3) | generate(system, scalars, "{}", arrays=arrays_of(system, scalars))


@pytest.mark.ci
@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_warning(compiler, fmi, tmp_path):
    """FMI's own headers are included as system headers, so that their warnings do not count."""
    for name, text in sources(PENDULUM, fmi).items():
        (tmp_path / name).write_text(text)
    (tmp_path / "fmi").mkdir()
    for name, text in fmi_headers(fmi).items():
        (tmp_path / "fmi" / name).write_text(text)
    files = sorted(path.name for path in tmp_path.glob("*.c"))
    line = [
        *COMPILERS[compiler],
        *STRICT,
        "-isystem",
        "fmi",
        "-shared",
        *INDEPENDENT.get(compiler, ("-fPIC",)),
        *files,
        "-lm",
        "-o",
        "library",
    ]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr == ""
    assert (tmp_path / "library").stat().st_size > 10_000


@pytest.mark.ci
@pytest.mark.parametrize("fmi", [2, 3])
def test_32_bits_run(fmi, tmp_path):
    """A static 32-bit program, with zig's musl, runs the fuzzer's calls: pointers of 4 bytes, the same requirements."""
    fuzzer = program(LATCH, fmi, tmp_path / "latch", (*ZIG, "x86-linux-musl", "-static"))
    kind = fuzzer.read_bytes()[4]
    assert kind == 1  # ELFCLASS32
    found = play(fuzzer, 3, 50_000, 5_000)
    assert found["calls"] >= 50_000
    assert found["accepted"] > 0
