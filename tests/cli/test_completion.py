"""Shell completion, asked as the shells ask: a real bash sources the script, and what <TAB> would offer is read."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.cli.command import ROOT, spacefmu

# what is typed; what has to be offered, F is the four-bar's FMU
OFFERED = {
    "spacefmu bu": ["build"],
    "spacefmu build Flex": ["FlexibleSatellite"],
    "spacefmu simulate Tethered": ["TetheredMasses", "TetheredPair", "TetheredPairElastic"],
    "spacefmu build FourBar --pl": ["--platform"],
    "spacefmu build FourBar -p linux64,w": ["linux64,win64"],
    "spacefmu new Mine --kind t": ["tether", "tree"],
    "spacefmu new Mine --kind s": ["satellite", "system", "sweep"],
    "spacefmu simulate F --set bar1.mas": [
        "bar1.mass", "bar1.mass_center", *(f"bar1.mass_center[{i}]" for i in (1, 2, 3)),
    ],
    "spacefmu simulate F --stop 5 -v hinge1.ra": ["hinge1.rate"],
    "spacefmu simulate none.fmu -v hinge1.ra": [],
    "spacefmu build My": [],  # nothing of ours: the shell offers files
}  # fmt: skip


def script(shell: str, folder) -> str:
    """What --show-completion prints in that shell."""
    done = spacefmu(folder=folder, _SPACEFMU_COMPLETE=f"source_{shell}")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def in_bash(tmp_path_factory):
    """A function: the reply of bash to a line at whose end <TAB> is pressed."""
    bash = shutil.which("bash")
    assert bash, "this test needs bash"
    folder = tmp_path_factory.mktemp("completion")
    program = folder / "spacefmu"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spacefmu "$@"\n')
    program.chmod(0o755)
    (folder / "complete.sh").write_text(script("bash", folder))
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}

    def reply(*words: str) -> list[str]:
        line = (
            'source complete.sh; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
            '_spacefmu_completion spacefmu; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(
            [bash, "--norc", "-c", line, "bash", *words], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert done.stderr == ""
        return done.stdout.split()

    return reply


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of Windows is PowerShell")
@pytest.mark.parametrize("line", OFFERED)
def test_bash(line, in_bash, four_bar):
    assert in_bash(*(str(four_bar) if word == "F" else word for word in line.split())) == OFFERED[line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_every_shell_has_a_script(shell, tmp_path):
    assert "spacefmu" in script(shell, tmp_path)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(shell, tmp_path):
    """Their replies hold the name, and what it is."""
    done = spacefmu(
        folder=tmp_path,
        _SPACEFMU_COMPLETE=f"complete_{shell}",
        _TYPER_COMPLETE_ARGS="spacefmu build Flex",
        _TYPER_COMPLETE_FISH_ACTION="get-args",
    )
    assert "FlexibleSatellite" in done.stdout
    assert "500 kg class satellite" in done.stdout
    assert "HingedPanel" not in done.stdout
