"""The command line as a person runs it, in a process of its own; and the same in this one, which saves the start of a process."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spacefmu.fmu_src.cli import main

ROOT = Path(__file__).parents[2]


def spacefmu(
    *arguments: str, folder: Path, preexec_fn: Callable | None = None, **environment: str
) -> subprocess.CompletedProcess:
    """Run `spacefmu` with arguments in a folder, with more environment variables; output as text."""
    return subprocess.run(
        [sys.executable, "-m", "spacefmu", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        preexec_fn=preexec_fn,
        capture_output=True,
        text=True,
        check=False,
    )


def in_this_process(line: str, code: int = 0) -> None:
    """A line `spacefmu …` of a page, in the current folder; it has to end well, or with another code."""
    program, *arguments = shlex.split(line, comments=True)
    assert program == "spacefmu"
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == code, line
