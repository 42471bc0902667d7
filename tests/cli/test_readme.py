"""Every command of the README is run as it stands there, in its order, in one folder."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.cli.command import ROOT, in_this_process

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"<!-- (run|write \S+) -->\n```(\w+)\n(.*?)```", re.DOTALL)


def run_python(text: str, folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", text], cwd=folder, env=environment, check=True)


def test_readme_commands(tmp_path: Path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(TEXT)
    assert {language for _, language, _ in blocks} == {"sh", "python", "csv"}
    for order, language, text in blocks:
        if order != "run":
            (tmp_path / order.removeprefix("write ")).write_text(text)
        elif language == "python":
            run_python(text, tmp_path)
        else:
            for line in text.strip().splitlines():
                in_this_process(line)
    (line,) = re.findall(r"\| FMPy \| `(.*?)`", TEXT)
    run_python(f"import fmpy\n{line}", tmp_path)
    made = {
        "MySatellite.toml",
        "MySatellite.fmu",
        "turn.png",
        "controller.fmu",
        "run.mat",
        "spacefmu.schema.json",
        "run.csv",
    }
    assert made <= {path.name for path in tmp_path.iterdir()}


def test_readme_make_targets_exist():
    """make demo and make test set up environments of their own: here only that they are what the README says they are."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    unmarked = re.findall(r"(?<!-->\n)```sh\n(.*?)```", TEXT, re.DOTALL)
    make, live, without_make = (
        block.strip().splitlines() for block in unmarked
    )  # every other block is marked to be run
    assert [line.split("#")[0].split() for line in make] == [["make", "demo"], ["make", "test"]]
    (page,) = live  # tests/live makes pages of this kind and drives them
    assert page.split()[1:4] == ["view", "AttitudeSlew", "--live"]
    install, demo, test = (shlex.split(line) for line in without_make)
    assert install == ["python", "-m", "pip", "install", "-c", "constraints.txt", "-e", ".[test]"]
    assert '--constraint constraints.txt --editable ".[test]"' in makefile
    assert demo == ["python", "-m", "spacefmu", "demo"]  # tests/cli/test_commands.py runs it
    assert re.search(r"^demo:.*\n\t@\$\(VENV\)/bin/spacefmu demo$", makefile, re.MULTILINE)
    assert without_make[2].removeprefix("python -m pytest ") in makefile
    assert test[:3] == ["python", "-m", "pytest"]
    assert (ROOT / "docs/images/attitude_slew.png").stat().st_size > 10_000


def test_the_readme_is_short():
    """A reader has ten minutes: everything else is on the pages."""
    assert len(TEXT.splitlines()) <= 150
