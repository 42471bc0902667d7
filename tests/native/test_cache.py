"""The cache of compiled libraries: a cached library equals the compiled one, and no fault of the cache breaks a build."""

from __future__ import annotations

import json
import os
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.contract import About
from spacefmu.dynamics.system.fold import fold
from spacefmu.fmu_src import build as whole
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.cli import main
from spacefmu.fmu_src.native.platforms import cache
from spacefmu.fmu_src.native.platforms import compile as driver
from tests.systems_small import BALL, LATCH

SOURCES = {"model.c": "int answer(void) { return 42; }\n"}


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """A separate cache; the list of compilations. Libraries are made from the text of their inputs, without a compiler."""
    monkeypatch.setenv("SPACEFMU_CACHE", str(tmp_path / "cache"))
    calls: list[bytes] = []

    def compile_library(sources, platform):
        calls.append(
            repr((sorted(driver.all_sources(sources).items()), platform, driver.compiler_identity(platform))).encode()
        )
        return calls[-1]

    monkeypatch.setattr(driver, "compile_library", compile_library)
    return calls


def test_what_is_unchanged_is_compiled_once(compiled):
    first = driver.cached_library(SOURCES, "linux64")
    assert driver.cached_library(dict(SOURCES), "linux64") == first
    assert len(compiled) == 1


CHANGES = {
    "the model": lambda patch: SOURCES | {"model.c": "int answer(void) { return 43; }\n"},
    "a name": lambda patch: {"other.c": SOURCES["model.c"]},
    "the runtime": lambda patch: patch.setattr(driver, "runtime_sources", lambda fmi: {"calls.c": "/* changed */"}),
    "the headers": lambda patch: patch.setattr(driver, "fmi_headers", lambda fmi: {"fmi2Functions.h": "/* changed */"}),
    "the options": lambda patch: patch.setattr(driver, "FLAGS", ("-O0",)),
    "the compiler's version": lambda patch: patch.setattr(driver, "version", lambda package: "0.0.1"),
    "the compiler": lambda patch: patch.setenv("SPACEFMU_CC", shlex.join([sys.executable, "-X", "utf8"])),
    "its environment": lambda patch: patch.setenv("C_INCLUDE_PATH", "/nowhere"),
}


@pytest.mark.skipif(driver.host_platform() != "linux64", reason="SPACEFMU_CC serves the host")
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_matters_is_in_the_digest(change, compiled, monkeypatch):
    first = driver.cached_library(SOURCES, "linux64")
    sources = CHANGES[change](monkeypatch)
    assert driver.cached_library(sources or SOURCES, "linux64") != first
    assert len(compiled) == 2


def test_platforms_are_told_apart(compiled):
    assert driver.cached_library(SOURCES, "linux64") != driver.cached_library(SOURCES, "darwin64")


def test_a_damaged_library_is_compiled_again(compiled):
    first = driver.cached_library(SOURCES, "linux64")
    (path,) = cache.cache_folder().iterdir()
    for damaged in (path.read_bytes()[:-1], b"", path.read_bytes()[:-1] + b"x"):
        path.write_bytes(damaged)
        assert driver.cached_library(SOURCES, "linux64") == first
    assert len(compiled) == 4


def test_the_longest_unused_go_first(compiled, monkeypatch):
    def variant(i):
        return {"model.c": f"int answer(void) {{ return {100 + i}; }}\n"}

    size = len(driver.cached_library(variant(0), "linux64")) + cache._DIGEST
    monkeypatch.setattr(cache, "LIMIT", 3 * size)
    for i in range(3):
        driver.cached_library(variant(i), "linux64")
        newest = max(cache.cache_folder().iterdir(), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (i, i))
    driver.cached_library(variant(0), "linux64")  # used: now 1 is the least recently used
    driver.cached_library(variant(3), "linux64")
    assert cache.contents().count == 3
    del compiled[:]
    for i in (0, 2, 3):
        driver.cached_library(variant(i), "linux64")
    assert compiled == []


def test_builds_at_the_same_time(compiled):
    with ThreadPoolExecutor(8) as workers:
        found = set(workers.map(lambda _: driver.cached_library(SOURCES, "linux64"), range(40)))
    assert len(found) == 1
    assert cache.contents().count == 1
    assert len(list(cache.cache_folder().iterdir())) == 1  # nothing half-written


def test_a_cache_that_cannot_be_written_costs_time_alone(compiled, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPACEFMU_CACHE", str(tmp_path / "file" / "cache"))
    assert driver.cached_library(SOURCES, "linux64") == driver.cached_library(SOURCES, "linux64")
    assert len(compiled) == 2


def test_off_keeps_nothing(compiled, monkeypatch, capfd):
    monkeypatch.setenv("SPACEFMU_CACHE", "off")
    driver.cached_library(SOURCES, "linux64")
    with pytest.raises(SystemExit):
        main(["cache"])
    assert capfd.readouterr().out == "off\n"


def test_the_command_shows_and_clears(compiled, capfd):
    driver.cached_library(SOURCES, "linux64")
    for arguments, count in ((["--json"], 1), (["--clear", "--json"], 1), (["--json"], 0)):
        with pytest.raises(SystemExit) as end:
            main(["cache", *arguments])
        assert end.value.code == 0
        assert json.loads(capfd.readouterr().out)["files"] == count


def test_the_kept_library_is_the_compiled_one(tmp_path, monkeypatch):
    """A real FMU: the same bytes with an empty and with a full cache (and without a cache: test_compile.py compiles again)."""
    monkeypatch.setenv("SPACEFMU_CACHE", str(tmp_path / "cache"))
    first = build_native(BALL, tmp_path / "first.fmu", ["host"]).read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "_run", None)  # no compiler can be started
        second = build_native(BALL, tmp_path / "second.fmu", ["host"]).read_bytes()
    assert second == first


def test_the_runtime_is_compiled_once(tmp_path, monkeypatch):
    """Another model, and a model of another name, reuse the runtime's objects of the first."""
    monkeypatch.setenv("SPACEFMU_CACHE", str(tmp_path / "cache"))
    lines: list[list[str]] = []

    def written(line, folder):
        lines.append(line)
        (folder / line[line.index("-o") + 1]).write_bytes(b"compiled \0libc.so.6\0")

    monkeypatch.setattr(driver, "_run", written)
    for system in (BALL, LATCH):
        build_native(system, tmp_path / f"{system.name}.fmu", ["host"])
    runtime = sum(name.endswith(".c") for name in driver.runtime_sources())
    assert sum("-c" in line for line in lines) == runtime
    assert [line[line.index("model.c")] for line in lines if "-shared" in line] == ["model.c", "model.c"]


ROD = """
name = "Kept"
[bodies.hub]
mass = 100.0
inertia = [10.0, 12.0, 14.0]
"""
OTHER = {
    "a number": lambda patch: load_text(ROD.replace("100.0", "101.0")),
    "the text around it": lambda patch: load_text(ROD + "# another text"),
    "the experiment": lambda patch: replace(load_text(ROD), about=About(experiment={"stop": 3.0, "step": 0.1, "tolerance": 1e-6})),
    "the code": lambda patch: (patch.setattr(whole, "own_code", lambda: "changed"), load_text(ROD))[1],
    "folded parameters": lambda patch: fold(load_text(ROD)),
    "the compiler": lambda patch: (patch.setattr(whole, "compiler_identity", lambda name: "changed"), load_text(ROD))[1],
}  # fmt: skip


@pytest.mark.parametrize("change", OTHER)
def test_an_unchanged_description_is_not_even_written_as_c(change, tmp_path, monkeypatch):
    """The whole FMU is cached under a key of all its inputs: nothing is traced, compiled or drawn again, and no message is printed."""
    monkeypatch.setenv("SPACEFMU_CACHE", str(tmp_path / "cache"))
    made: list[str] = []

    def packed(system, platforms, report, drawing):
        report("compiling")
        made.append(system.name)
        return f"FMU {len(made)}".encode()

    monkeypatch.setitem(whole.VERSIONS, 2, packed)
    said: list[str] = []
    first = whole.build_native(load_text(ROD), tmp_path / "first.fmu", ["host"], said.append).read_bytes()
    again = whole.build_native(load_text(ROD), tmp_path / "again.fmu", ["host"], said.append).read_bytes()
    assert (first, again, made, said) == (b"FMU 1", b"FMU 1", ["Kept"], ["compiling"])
    whole.build_native(OTHER[change](monkeypatch), tmp_path / "other.fmu", ["host"])
    assert (tmp_path / "other.fmu").read_bytes() == b"FMU 2"
    monkeypatch.setenv("SPACEFMU_CACHE", "off")
    whole.build_native(load_text(ROD), tmp_path / "off.fmu", ["host"])
    assert (tmp_path / "off.fmu").read_bytes() == b"FMU 3"
