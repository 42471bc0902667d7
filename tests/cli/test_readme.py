"""Every command of the README that is marked to be run is run, in its order, in one folder."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.cli.command import ROOT, spacefmu

BLOCK = re.compile(r"<!-- run -->\n```(sh|python)\n(.*?)```", re.DOTALL)


def test_readme_commands(tmp_path: Path):
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert {language for language, _ in blocks} == {"sh", "python"}
    for language, text in blocks:
        if language == "python":
            environment = os.environ | {"PYTHONPATH": str(ROOT)}
            subprocess.run([sys.executable, "-c", text], cwd=tmp_path, env=environment, check=True)
            continue
        for line in text.strip().splitlines():
            program, *arguments = shlex.split(line, comments=True)
            assert program == "spacefmu"
            done = spacefmu(*arguments, folder=tmp_path)
            assert done.returncode == 0, f"{line}: {done.stderr}"
    made = {"MySatellite.toml", "MySatellite.fmu", "tip.png", "controller.fmu", "run.mat", "run.csv"}
    assert made <= {path.name for path in tmp_path.iterdir()}


def test_readme_make_targets_exist():
    """make demo and make test themselves set up environments: here only that the targets are there."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"^make ([a-z-]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert named == {"demo", "test"}
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)
    assert (ROOT / "docs/images/attitude_slew.png").stat().st_size > 10_000
