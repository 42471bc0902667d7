"""Signals × commands × moments, each in a process of its own: what is kept, what is left, the exit code. docs/help.md has the table."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from spacefmu.fmu_src.cli import main
from spacefmu.fmu_src.cli.stopping import Ending, heard
from tests.cli.command import ROOT, in_this_process
from tests.cli.stopping_scenes import CODES, ROWS, SCENES, Process, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")


def _cases():
    """Every scene with every signal; one of the three in `make test`, so that each signal is seen there at every third scene."""
    for i, scene in enumerate(SCENES):
        for j, number in enumerate(CODES):
            marks = () if i % 3 == j else pytest.mark.ci
            yield pytest.param(scene, number, marks=marks, id=f"{scene[1]}-{ROWS[scene[0]].moment}-{number.name}")


@pytest.mark.parametrize(("scene", "number"), list(_cases()))
def test_a_signal_at_its_moment(tmp_path, scene, number):
    arguments, prepare, moment = SCENES[scene]
    with Process(tmp_path, arguments(), prepare(tmp_path)) as process:
        until(lambda: moment(process) or process.process.poll() is not None)
        assert process.process.poll() is None, process.said
        process.send(number)
        assert process.process.wait(timeout=120) == CODES[number], process.said
        ROWS[scene[0]].after(process, number == signal.SIGKILL)


def test_a_second_signal_breaks_off():
    """The first one asks the run to end at its next step; it may be in one that takes minutes."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Ending(lambda fraction: None) as ending:
            assert ending(0.1)
            os.kill(os.getpid(), signal.SIGTERM)
            assert not ending(0.2)
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
        assert heard.exit_code == CODES[signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
        heard.number = heard.asked = 0


def test_an_interrupt_that_got_lost_is_heard_at_the_next_part(tmp_path, monkeypatch, capfd):
    """A library in C may drop KeyboardInterrupt: builds went on then, and ended with 0."""
    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def dropping(source, path, platforms, flavour, report, *others):
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


def test_an_interrupt_inside_a_string_of_code_keeps_the_exit_code(tmp_path):
    """Without the mend CPython 3.11 ends a module (-m) by SIGINT: a build that was stopped while it imported ended with -2."""
    (tmp_path / "stopped.py").write_text(
        "import sys\n"
        "from spacefmu.fmu_src.cli.stopping import heard\n"
        "try:\n    exec('raise KeyboardInterrupt')\n"
        "except KeyboardInterrupt:\n    heard.forget_unhandled()\n"
        "sys.exit(143)\n"
    )
    assert subprocess.run([sys.executable, "-m", "stopped"], cwd=tmp_path, check=False).returncode == 143


def test_handlers_are_those_of_before(capsys):
    before = [signal.getsignal(number) for number in CODES]
    with pytest.raises(SystemExit):
        main(["list"])
    assert [signal.getsignal(number) for number in CODES] == before


def test_the_page_has_the_table():
    """The rows of the page are those that are run here, and each of their commands has its scene."""
    page = (ROOT / "docs/help.md").read_text("utf-8")
    table = page[page.index("| command | moment |") :].split("\n\n")[0].splitlines()
    assert table[2:] == [row.line for row in ROWS]
    assert list(SCENES) == [(place, command) for place, row in enumerate(ROWS) for command in row.commands]
