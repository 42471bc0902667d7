"""The command line as a person runs it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def spacefmu(*arguments: str, folder: Path, **more) -> subprocess.CompletedProcess:
    """Run `spacefmu` with arguments in a folder; output as text."""
    command = [sys.executable, "-m", "fmu_src.cli", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, **more)
