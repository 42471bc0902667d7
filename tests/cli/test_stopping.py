"""Signals × commands × moments, each in a process of its own: what is kept, what is left, the exit code. docs/help.md has the table."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spacefmu.fmu_src.cli import main
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT, in_this_process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def begun(*arguments: str, folder: Path, **environment: str) -> subprocess.Popen:
    """A command under way; its temporary folders are in folder/tmp."""
    (folder / "tmp").mkdir()
    line = [sys.executable, "-m", "spacefmu.fmu_src.cli", *arguments]
    more = {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")} | environment
    begin = {"restore_signals": True, "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    return subprocess.Popen(line, cwd=folder, env=os.environ | more, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **begin)  # fmt: skip


def until(what, seconds: float = 60.0):
    """What it gives, once that is true."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it did not come to that moment"
        time.sleep(0.05)
    return found


def of_folder(folder: Path) -> list[int]:
    """Processes with the folder in their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("number", CODES, ids=lambda n: n.name)
def test_simulate_keeps_its_results_and_leaves_no_folder(tmp_path, number):
    """During the run: a million seconds of HingedPanel, which would take minutes."""
    command = begun("simulate", str(fmu_file("HingedPanel")), "--stop", "1e6", "--step", "0.1", folder=tmp_path)
    until(lambda: list((tmp_path / "tmp").glob("spacefmu-*/binaries")))
    time.sleep(1.0)
    command.send_signal(number)
    said = command.communicate(timeout=60)[1]
    assert command.returncode == CODES[number], said
    assert "stopped; the results until " in said
    assert len((tmp_path / "HingedPanel.csv").read_text().splitlines()) > 2
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("number", CODES, ids=lambda n: n.name)
def test_build_writes_nothing_and_ends_its_compilers(tmp_path, number):
    """While a compiler is at work, which here takes a minute."""
    slow = tmp_path / "cc"
    slow.write_text(f'#!/bin/sh\n[ "$2" = --version ] && exit 0\ntouch {tmp_path}/compiling\nexec sleep 60\n')
    slow.chmod(0o755)
    (tmp_path / "FourBar.fmu").write_text("what was there before")
    command = begun("build", "FourBar", "-p", "host", folder=tmp_path, SPACEFMU_CC=str(slow), SPACEFMU_CACHE="off")
    until(lambda: (tmp_path / "compiling").exists())
    command.send_signal(number)
    said = command.communicate(timeout=30)[1]
    assert (command.returncode, said) == (CODES[number], "spacefmu: stopped; nothing was written\n")
    assert (tmp_path / "FourBar.fmu").read_text() == "what was there before"
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("number", [*CODES, signal.SIGKILL], ids=lambda n: n.name)
def test_the_worker_of_check_ends_with_its_parent(tmp_path, number):
    """Killed without a word, the worker sees that its parent is gone, and removes the folder."""
    command = begun("check", str(fmu_file("HingedPanel")), folder=tmp_path)
    until(lambda: list((tmp_path / "tmp").glob("spacefmu-check-*/work")))
    command.send_signal(number)
    command.communicate(timeout=30)
    assert command.returncode == CODES.get(number, -signal.SIGKILL)
    until(lambda: not of_folder(tmp_path / "tmp"), 10.0)
    until(lambda: not list((tmp_path / "tmp").iterdir()), 10.0)


def test_an_interrupt_that_got_lost_is_heard_at_the_next_part(tmp_path, monkeypatch, capfd):
    """A library in C may drop KeyboardInterrupt: builds went on then, and ended with 0."""
    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def dropping(source, path, platforms, flavour, report, fold):
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        report("packing")
        raise AssertionError("the next part began")

    try:
        monkeypatch.setattr("spacefmu.fmu_src.api.build", dropping)
        in_this_process("spacefmu build FourBar", code=130)
    finally:
        signal.signal(signal.SIGINT, before)
    assert capfd.readouterr().err == "spacefmu: stopped; nothing was written\n"


def test_handlers_are_those_of_before(capsys):
    before = [signal.getsignal(number) for number in CODES]
    with pytest.raises(SystemExit):
        main(["list"])
    assert [signal.getsignal(number) for number in CODES] == before


def test_the_page_has_the_table():
    page = (ROOT / "docs/help.md").read_text("utf-8")
    assert "| 130 |" in page.replace("| 130, 143 |", "| 130 |")
    for command in ("simulate", "build", "check", "sweep"):
        assert f"| `{command}`" in page
