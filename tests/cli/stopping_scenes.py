"""Commands brought to a moment at which they are stopped, each in a real process, and what has to be true afterwards.

ROWS is the table of docs/help.md; SCENES has one entry per command and moment of it. test_stopping.py runs them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from spacefmu.fmu_src import api
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}


@dataclass
class Process:
    """A command under way in `folder`; its temporary folders are in folder/tmp, and it leads a process group of its own.

    Its errors go to a file, drawn as on a terminal: a per cent sign there says that its run has begun.
    """

    folder: Path
    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    pipe: int | None = None

    def __enter__(self) -> Process:
        (self.folder / "tmp").mkdir()
        line = [sys.executable, "-m", "spacefmu.fmu_src.cli", *self.arguments]
        more = {"PYTHONPATH": str(ROOT), "TMPDIR": str(self.folder / "tmp"), "FORCE_COLOR": "1", "COLUMNS": "10000"}
        heard = {
            "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            "start_new_session": True,
        }
        with open(self.folder / "errors", "wb") as errors:
            self.process = subprocess.Popen(line, cwd=self.folder, env=os.environ | more | self.environment, stdout=subprocess.DEVNULL, stderr=errors, **heard)  # fmt: skip
        return self

    def __exit__(self, *failure) -> None:
        for number in (self.process.pid, *self.others()):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()
        if self.pipe is not None:
            os.close(self.pipe)

    @property
    def said(self) -> str:
        return (self.folder / "errors").read_text("utf-8", errors="replace")

    def send(self, number: signal.Signals) -> None:
        """As it comes in life: Ctrl-C of a terminal to all processes of the group, the others to one."""
        (os.killpg if number == signal.SIGINT else os.kill)(self.process.pid, number)

    def others(self) -> list[int]:
        """Processes that it has started and that still live: they have its folder for temporary files."""
        found, mark = [], f"TMPDIR={self.folder / 'tmp'}".encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes().split(b"\0") and int(process.name) != self.process.pid:
                    found.append(int(process.name))
            except OSError:
                continue
        return found

    def temporary(self) -> list[str]:
        return [path.name for path in (self.folder / "tmp").iterdir()]


def until(what: Callable[[], object], seconds: float = 120.0):
    """What it gives, once that is true."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)
    return found


# Preparations: what is in the folder before, and the environment.


def with_slow_compiler(folder: Path) -> dict[str, str]:
    """A compiler at work for as long as the file `compiling` is there."""
    (folder / "cc").write_text(
        f"#!/bin/sh\n[ \"$2\" = --version ] && exit 0\ntouch '{folder}/compiling'\nwhile [ -e '{folder}/compiling' ]; do sleep 0.1; done\nexit 1\n"
    )
    (folder / "cc").chmod(0o755)
    return {"SPACEFMU_CC": str(folder / "cc"), "SPACEFMU_CACHE": "off"}


def with_plan(folder: Path) -> dict[str, str]:
    """A sweep whose runs take their time, but no processor's."""
    (folder / "plan.toml").write_text(
        f'kind = "sweep"\nname = "Spread"\nmodel = "{fmu_file("HingedPanel")}"\nmethod = "grid"\nstop = 0.2\nstep = 0.1\n'
        '[parameters]\n"hub.mass" = { low = 400.0, high = 500.0, count = 12 }\n'
        '[metrics]\nspeed = { of = "hub.angular_velocity", kind = "max" }\n'
    )
    (folder / "slow.py").write_text("import time\n\n\ndef late(run):\n    return time.sleep(0.4) or 1.0\n")
    return {}


def with_pipe(folder: Path) -> dict[str, str]:
    os.mkfifo(folder / "run.csv")
    (folder / "page.html").write_text("what was there before")
    return {}


def with_older(name: str):
    def prepare(folder: Path) -> dict[str, str]:
        (folder / name).write_text("what was there before")
        return with_slow_compiler(folder)

    return prepare


def with_libraries(folder: Path) -> dict[str, str]:
    """Its FMUs are in the session's cache: what is signalled is what comes after."""
    for name in ("FlexibleSatellite", "AttitudeController"):
        fmu_file(name)
    return {}


# Moments.


def compiling(process: Process) -> bool:
    return (process.folder / "compiling").exists()


def stepping(process: Process) -> bool:
    return "%" in process.said


def reading(process: Process) -> bool:
    """It has opened the pipe and waits for a first byte, which never comes: the other end stays open.

    A signal between Python's last look for signals and the call that blocks is heard only after that call: wait until it sleeps there.
    """
    if process.pipe is None:
        try:
            process.pipe = os.open(process.folder / "run.csv", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
    before = _processor_time(process)
    time.sleep(0.3)
    state, *_ = after = _processor_time(process)
    return state == "S" and after == before


def _processor_time(process: Process) -> tuple[str, ...]:
    """State, user and system time of its main thread, as /proc has them."""
    fields = Path(f"/proc/{process.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return fields[0], fields[11], fields[12]


def there(pattern: str, count: int = 1):
    return lambda process: len(list(process.folder.glob(pattern))) >= count


# What is true afterwards: of SIGINT and SIGTERM (stopped), of SIGKILL (killed).


def nothing_is_written(process: Process, killed: bool) -> None:
    assert not list(process.folder.glob("*.csv"))
    if killed:
        assert any(name.startswith("spacefmu-") for name in process.temporary())
    else:
        assert process.said.endswith("spacefmu: stopped; nothing was written\n")
        until(lambda: not process.others(), 10.0)
        assert process.temporary() == []


def results_until_then(process: Process, killed: bool) -> None:
    written = list(process.folder.glob("*.csv"))
    if killed:
        assert not written
        assert any(name.startswith("spacefmu-") for name in process.temporary())
        return
    assert "spacefmu: stopped; results up to " in process.said
    assert len(written[0].read_text().splitlines()) > 2
    assert (process.folder / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert process.temporary() == []


def the_older_file_stays(process: Process, killed: bool) -> None:
    older = next(iter([*process.folder.glob("*.fmu"), *process.folder.glob("*.ssp"), *process.folder.glob("*.html")]))
    assert older.read_text() == "what was there before"
    assert not list(process.folder.glob(".*.part*"))
    if not killed:
        assert process.said.endswith("spacefmu: stopped; nothing was written\n")
        assert process.temporary() == []
    else:
        (process.folder / "compiling").unlink(missing_ok=True)  # compilers that were at work come to their end
    until(lambda: not process.others(), 20.0)


def the_worker_ends(process: Process, killed: bool) -> None:
    until(lambda: not process.others(), 20.0)
    until(lambda: not process.temporary(), 20.0)


def finished_files_stay(process: Process, killed: bool) -> None:
    finished = sorted(path for pattern in ("*.html", "*.fmu") for path in process.folder.rglob(pattern))
    assert finished
    for path in finished:
        assert path.stat().st_size > 1000
        assert killed or path.name in process.said.splitlines()[-1]
    assert killed or "spacefmu: stopped; kept: " in process.said


def the_sweep_resumes(process: Process, killed: bool) -> None:
    """Runs that are there are those of the same sweep in one go, and the command does the others alone."""
    assert killed or process.said.endswith("stopped; finished runs are kept, and the same command resumes\n")
    until(lambda: not process.others(), 30.0)
    before = api.read_sweep(process.folder / "Spread").table
    told: list = []
    done = api.sweep(process.folder / "plan.toml", process.folder / "Spread", process.folder / "slow.py", 1, on_state=told.append)  # fmt: skip
    assert 0 < len(before) < len(done.table) == 12
    assert told[0].done > len(before)
    assert done.table.filter([run in before["run"].to_pylist() for run in range(12)]).equals(before)
    alone = api.repeat(process.folder / "Spread", 11, ["hub.angular_velocity"])["hub.angular_velocity"]
    assert done.table["speed"][11].as_py() == max((alone**2).sum(axis=1)) ** 0.5
    if not killed:
        assert process.temporary() == []


@dataclass(frozen=True)
class Row:
    """A line of the page: some commands at a moment, what SIGINT and SIGTERM do, and what SIGKILL leaves."""

    commands: tuple[str, ...]
    moment: str
    stopped: str
    killed: str
    after: Callable[[Process, bool], None]

    @property
    def line(self) -> str:
        names = ", ".join(f"`{name}`" for name in self.commands)
        return f"| {names} | {self.moment} | {self.stopped} | 130, 143 | {self.killed} |"


RUNS = ("simulate", "system run", "inverse")
ROWS = (
    Row(RUNS, "before the first step", "nothing is written, compilers are stopped, temporary folders are removed", "nothing is written; a temporary folder `spacefmu-…` is left behind", nothing_is_written),
    Row(RUNS, "during the run", "results up to that time are written, with plots and reports; a second signal aborts", "no results; the folder is left behind", results_until_then),
    Row(("build", "system pack"), "while compilers work", "compilers are stopped, nothing is written, an existing file is unchanged", "an existing file is unchanged; temporary folders are left behind, compilers end by themselves", the_older_file_stays),
    Row(("report",), "before its page is written", "nothing is written, an existing page is unchanged", "the same", the_older_file_stays),
    Row(("check",), "while its worker runs", "no report; the worker process and its children end, its folder is removed", "the worker notices within a second, removes its folder and ends", the_worker_ends),
    Row(("view", "demo"), "after a first file", "finished files are kept and listed", "finished files are kept, but not listed", finished_files_stay),
    Row(("sweep",), "after some runs", "finished runs are kept, worker processes end; the same command runs the rest", "the same; interrupted tasks are run again, and temporary folders are left behind", the_sweep_resumes),
)  # fmt: skip


def built(name: str) -> str:
    return str(fmu_file(name))


# (place in ROWS, command): its arguments, what is prepared, the moment
SCENES: dict[tuple[int, str], tuple[Callable[[], tuple[str, ...]], Callable[[Path], dict[str, str]], Callable[[Process], object]]] = {
    (0, "simulate"): (lambda: ("simulate", "FourBar"), with_slow_compiler, compiling),
    (0, "system run"): (lambda: ("system", "run", "AttitudeSlew"), with_slow_compiler, compiling),
    (0, "inverse"): (lambda: ("inverse", "SpaceManipulatorInverse"), with_slow_compiler, compiling),
    (1, "simulate"): (lambda: ("simulate", built("HingedPanel"), "--stop", "1e6", "--step", "0.1", "--plot", "picture.png"), with_libraries, stepping),
    (1, "system run"): (lambda: ("system", "run", "AttitudeSlew", "--stop", "1e6", "--plot", "picture.png", "-v", "controller.error"), with_libraries, stepping),
    (1, "inverse"): (lambda: ("inverse", "SpaceManipulatorInverse", "--stop", "1e5", "--plot", "picture.png"), with_libraries, stepping),
    (2, "build"): (lambda: ("build", "FourBar", "-p", "host"), with_older("FourBar.fmu"), compiling),
    (2, "system pack"): (lambda: ("system", "pack", "AttitudeSlew"), with_older("AttitudeSlew.ssp"), compiling),
    (3, "report"): (lambda: ("report", "run.csv", "-o", "page.html"), with_pipe, reading),
    (4, "check"): (lambda: ("check", built("HingedPanel")), with_libraries, there("tmp/spacefmu-check-*/work")),
    (5, "view"): (lambda: ("view", built("HingedPanel"), "--video", "clip.gif"), with_libraries, there("HingedPanel.html")),
    (5, "demo"): (lambda: ("demo", "-o", "out"), with_libraries, there("out/*.fmu", 2)),
    (6, "sweep"): (lambda: ("sweep", "plan.toml", "-m", "slow.py", "-w", "1"), with_plan, there("Spread/runs/*.parquet", 2)),
}  # fmt: skip
