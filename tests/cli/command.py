"""The command line as a person runs it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]


def spacefmu(
    *arguments: str, folder: Path, preexec_fn: Callable | None = None, **environment: str
) -> subprocess.CompletedProcess:
    """Run `spacefmu` with arguments in a folder, with more environment variables; output as text."""
    return subprocess.run(
        [sys.executable, "-m", "fmu_src.cli", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        preexec_fn=preexec_fn,
        capture_output=True,
        text=True,
        check=False,
    )
