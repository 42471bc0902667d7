"""Foreign binaries that must not run, and faults of the machine: a full disk, a read-only folder, few descriptors, little memory, two builds at once."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from spacefmu.fmu_src.archive.description import read_description
from tests.catalogue_fmus import fmu_file

TINY = 'name = "Tiny"\n[bodies.hub]\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\nforces_at = ["frame"]\n'
TRAP = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void loaded(void) { FILE *f = fopen(getenv("TRAP"), "w"); if (f) fclose(f); }
"""
BROKEN = ("Traceback", "internal error")


def command(folder: Path, *words: str, limits: dict[int, int] | None = None, environment: dict[str, str] | None = None):
    """A command in a process of its own, under limits of the system."""

    def confine():
        for kind, value in (limits or {}).items():
            resource.setrlimit(kind, (value, value))

    line = [sys.executable, "-m", "spacefmu", *words]
    more = os.environ | (environment or {})
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=confine, env=more)


@pytest.fixture
def trapped(tmp_path) -> Path:
    """HingedPanel's FMU with a library that leaves a file as soon as it is loaded."""
    (tmp_path / "trap.c").write_text(TRAP)
    subprocess.run(["gcc", "-shared", "-fPIC", "trap.c", "-o", "trap.so"], cwd=tmp_path, check=True)
    path = tmp_path / "plant.fmu"
    with zipfile.ZipFile(fmu_file("HingedPanel")) as old, zipfile.ZipFile(path, "w") as new:
        for member in old.infolist():
            binary = member.filename.startswith("binaries/linux64/")
            new.writestr(member, (tmp_path / "trap.so").read_bytes() if binary else old.read(member))
    return path


def test_looking_never_runs_a_binary(trapped, tmp_path):
    """info and check --static read; simulate, which has to run it, springs the trap."""
    trap = tmp_path / "sprung"
    for words in (
        ("info", trapped.name),
        ("check", trapped.name, "--static"),
    ):
        done = command(tmp_path, *words, environment={"TRAP": str(trap)})
        assert not any(word in done.stderr for word in BROKEN), done.stderr
        assert not trap.exists(), words
    command(tmp_path, "simulate", trapped.name, "--stop", "0.1", environment={"TRAP": str(trap)})
    assert trap.exists()


FAULTS = {  # limit of the system → what it stands for
    "a full disk": {resource.RLIMIT_FSIZE: 20_000},
    "few descriptors": {resource.RLIMIT_NOFILE: 12},
    "little memory": {resource.RLIMIT_AS: 400_000_000},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_machine_is_one_sentence_and_the_next_run_works(fault, tmp_path):
    """Nothing half is left; where the fault did not matter the result is whole."""
    line = ("simulate", str(fmu_file("HingedPanel")), "--stop", "5", "-o", "run.csv")
    done = command(tmp_path, *line, limits=FAULTS[fault], environment={"OPENBLAS_NUM_THREADS": "1"})
    if done.returncode:
        assert "Traceback (most recent call last)" not in done.stderr or fault != "a full disk", done.stderr
        assert [path.name for path in tmp_path.iterdir()] == []
    again = command(tmp_path, *line)
    assert again.returncode == 0, again.stderr
    assert len((tmp_path / "run.csv").read_text("utf-8").splitlines()) == 52


def test_two_builds_of_one_file_at_once(tmp_path):
    """Whichever ends last, the file is whole; no other is left."""
    (tmp_path / "Tiny.toml").write_text(TINY)
    line = [sys.executable, "-m", "spacefmu", "build", "Tiny.toml", "--platform", "host"]
    running = [
        subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)
    ]
    for process in running:
        _, said = process.communicate()
        assert process.returncode == 0, said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Tiny.fmu", "Tiny.toml"]
    assert read_description(tmp_path / "Tiny.fmu").modelName == "Tiny"
