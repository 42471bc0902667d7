"""A host in C loads the library: values, threads, leaks, drift; and the whole API under sanitizers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spacefmu.fmu_src.native.platforms.compile import fmi_headers
from tests.fmi.units import Unit, unpack
from tests.systems_small import ALL, BALL, RESTLESS, SAMPLER, STUCK

UNDER_SANITIZERS = "SPACEFMU_TEST_FMUS" in os.environ
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """host(built, *arguments) → lines the C host prints."""
    folder = tmp_path_factory.mktemp("host")
    for name, text in fmi_headers().items():
        (folder / name).write_text(text)
    source = Path(__file__).with_name("host.c")
    options = SANITIZE if UNDER_SANITIZERS else []
    command = [
        "gcc",
        "-std=gnu99",
        "-O1",
        "-Wall",
        "-Wextra",
        *options,
        f"-I{folder}",
        str(source),
        "-o",
        str(folder / "host"),
        "-ldl",
        "-lpthread",
        "-lm",
    ]
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "ASAN_OPTIONS")}
    subprocess.run(command, check=True, env=environment)

    def run(built, *arguments):
        line = [str(folder / "host"), str(built.library), built.guid, *map(str, arguments)]
        result = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
        assert result.returncode == 0, result.stderr
        return result.stdout.split()

    return run


@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_a_c_host_gets_the_same_bits_as_python(host, built, system):
    made = built(system)
    names = [v.name for v in made.variables.values() if v.signal.kind == "real"]
    instance = Unit(made).initialize().run(1.2, 0.1)
    expected = [instance[name].hex() for name in names]
    instance.free()
    found = host(made, "run", 1.2, 0.1, *(made.variables[name].reference for name in names))
    assert [float.fromhex(value).hex() for value in found] == expected


def test_eight_threads_give_the_bits_of_one(host, built):
    """200 instances, bounces included; 50 steps each."""
    lines = host(built(BALL), "threads", 200, 1, 2)
    assert len(lines) == 2 * 200 * 2
    assert lines[:400] == lines[400:]
    assert len(set(lines[:400])) > 200


def test_thousands_of_instances_leave_nothing_behind(host, built):
    assert host(built(BALL), "cycles", 5000) == ["0"]


@pytest.mark.parametrize("steps", [1_000_000, pytest.param(10_000_000, marks=pytest.mark.ci)])
def test_a_million_steps_drift_nowhere(host, built, steps):
    """Samples every 0.25 s, a million steps of 0.01 s; the first host computes i h, the second sums up h.

    The 40 000 samples at 0 … 9999.75 s are taken at the right communication points by both, none twice; the memory in use stays the same.
    """
    made = built(SAMPLER)
    reference = made.variables["next"].reference
    multiplies, adds = (float.fromhex(value) for value in host(made, "drift", steps, 0.01, reference))
    assert multiplies == 0.01 * steps
    assert adds == pytest.approx(0.01 * steps, abs=0.25)  # sums of 0.01 deviate from it in either direction


def test_exported_symbols_are_those_of_fmi(built):
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", str(built(BALL).library)], capture_output=True, text=True, check=True
    )
    names = {line.split()[-1] for line in listing.stdout.splitlines()}
    functions = {name for name in names if name.startswith("fmi2")}
    assert len(functions) == 44
    assert names - functions <= {"_init", "_fini"}


@pytest.mark.ci  # 20 s of CPU: builds every System again
@pytest.mark.skipif(UNDER_SANITIZERS, reason="this is the run under sanitizers itself")
def test_the_whole_set_passes_under_sanitizers(tmp_path, monkeypatch):
    """AddressSanitizer (with leaks in the C host) and UBSan: every test here that runs an FMU, misuse included."""
    monkeypatch.setenv("SPACEFMU_CC", " ".join(["gcc", *SANITIZE]))
    for system in (*ALL, RESTLESS, STUCK):
        unpack(system, tmp_path / "fmus" / system.name)
    runtimes = (["gcc", f"-print-file-name={name}"] for name in ("libasan.so", "libubsan.so"))
    paths = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() for command in runtimes]
    environment = os.environ | {
        "SPACEFMU_TEST_FMUS": str(tmp_path / "fmus"),
        "LD_PRELOAD": " ".join(paths),
        "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0",  # Python's own; the C host looks for leaks
    }
    names = ("calls", "values", "states", "crafted_states", "random_calls", "derivatives", "exchange", "cosimulation", "host")  # fmt: skip
    files = [f"tests/fmi/test_{name}.py" for name in names]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        *files,
        f"--basetemp={tmp_path / 'inner'}",
    ]
    root = Path(__file__).parents[2]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=root, check=False)
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr[-3000:]
