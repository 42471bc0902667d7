"""What a person sees: every command on a pseudo-terminal of 80 and of 120 columns."""

import os
import re
import subprocess
import sys

import pytest

from spacefmu.fmu_src.cli.console import _now_and_then
from tests.cli.command import ROOT, spacefmu

pty = pytest.importorskip("pty", reason="pseudo-terminals are a thing of Unix")
termios = pytest.importorskip("termios", reason="pseudo-terminals are a thing of Unix")

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")  # colours and movements of the cursor
COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*[39][0-7](?:;[0-9]+)*m")


def on_terminal(*arguments: str, folder, columns: int = 80, **environment: str) -> str:
    """All that `spacefmu` writes to a terminal of so many columns, stdout and stderr."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (50, columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "spacefmu", *arguments],
        cwd=folder,
        env=_plain_environment() | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"} | environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    written = b""
    while chunk := _read(master):
        written += chunk
    os.close(master)
    process.wait()
    return written.decode()


def _plain_environment() -> dict[str, str]:
    """Without what says how to write elsewhere: colours in a log, the width of another terminal."""
    return {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    }


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # Linux: the other end is closed
        return b""


def plain(written: str) -> str:
    """The text without colours, as lines; what progress drew over is still there."""
    return CONTROL.sub("", written).replace("\r", "\n")


def test_progress_on_a_terminal_and_silence_in_a_pipe(four_bar, tmp_path):
    command = ["simulate", str(four_bar), "--stop", "20", "-o", "run.csv"]
    seen = plain(on_terminal(*command, folder=tmp_path))
    assert "Simulating FourBar" in seen
    assert "100%" in seen
    assert "run.csv  103 variables at 401 instants" in seen  # 20 s in steps of 0.05 s, with both ends
    piped = spacefmu(*command, folder=tmp_path)
    assert (piped.stdout, piped.stderr) == ("run.csv\n", "")


def test_a_build_says_what_it_does(tmp_path, monkeypatch):
    monkeypatch.setenv("SPACEFMU_CACHE", str(tmp_path / "cache"))  # nothing of it is there yet
    seen = plain(on_terminal("build", "AttitudeController", "--platform", "host", folder=tmp_path))
    for words in ("Building AttitudeController: compiling for", "spacefmu info AttitudeController.fmu"):
        assert words in seen, words


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("command", ["--help", "simulate --help", "list", "info F"])
def test_nothing_is_wider_than_the_terminal(command, columns, four_bar, tmp_path):
    arguments = [str(four_bar) if word == "F" else word for word in command.split()]
    lines = plain(on_terminal(*arguments, folder=tmp_path, columns=columns)).splitlines()
    assert len(lines) > 10
    assert max(map(len, lines)) <= columns
    assert not any("…" in line for line in lines)  # nothing is cut off


def test_info_shows_an_array_as_one_row(four_bar, tmp_path):
    seen = plain(on_terminal("info", str(four_bar), "--only", "output", folder=tmp_path, columns=120))
    (row,) = (line for line in seen.splitlines() if "bar1.angular_velocity" in line)
    assert row.split()[:5] == ["bar1.angular_velocity[1..3]", "rad/s", "0,", "0,", "0.3"]  # FourBar.toml


def test_an_error_is_wrapped_between_words(tmp_path):
    lines = on_terminal("new", "Mine", "--kind", "balloon", folder=tmp_path).splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 80
    assert " ".join(line.strip() for line in lines) == (
        "spacefmu: Invalid value for '--kind' / '-k': 'balloon' is not one of 'satellite', 'manipulator', 'tether', 'tree', 'system', 'block', 'sweep'; "
        "spacefmu new --help lists the options"
    )


def test_no_color(tmp_path):
    """https://no-color.org: bold and dim stay, colours go."""
    assert COLOUR.search(on_terminal("--help", folder=tmp_path))
    assert not COLOUR.search(on_terminal("--help", folder=tmp_path, NO_COLOR="1"))


def test_progress_in_a_pipe_now_and_then(capsys):
    """A line every half minute on stderr, with what is being done, how far it is and since when."""
    clock = iter([0.0, 5.0, 31.0, 40.0, 62.0, 95.0])
    report, progress = _now_and_then("Simulating X", lambda: next(clock))
    for fraction in (0.1, 0.2, 0.3, 0.4):
        progress(fraction)
    report("packing")
    assert capsys.readouterr().err.splitlines() == [
        "spacefmu: Simulating X: 20 %, 31 s",
        "spacefmu: Simulating X: 40 %, 62 s",
        "spacefmu: Simulating X: packing, 95 s",
    ]
