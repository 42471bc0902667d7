"""A folder that the workers of one test session share: what is slow to make is made once."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

SESSION = "SPACEFMU_TEST_SESSION"  # names the folder; tests/conftest.py makes and removes it


@cache
def session_folder() -> Path:
    """The folder of this test session; outside pytest (bench/) one of this process."""
    if SESSION in os.environ:
        return Path(os.environ[SESSION])
    folder = Path(tempfile.mkdtemp(prefix="spacefmu-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def once(ready: Path, make: Callable[[Path], object]) -> Path:
    """The file or folder `ready`, by `make(path)` unless it is there; it appears complete, whoever else makes it too."""
    if not ready.exists():
        ready.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=ready.parent)) / ready.name
        make(unfinished)
        try:
            unfinished.rename(ready)
        except OSError:  # a folder that another worker has finished meanwhile
            if not ready.exists():
                raise
    return ready
