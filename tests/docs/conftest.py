"""The site, built once for all tests that look at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import browser
from tests.cli.command import ROOT
from tests.session import once, session_folder

__all__ = ["browser", "site"]


@pytest.fixture(scope="session")
def site() -> Path:
    """The site, built as `make docs` builds it, once for all workers; a warning is an error."""
    return once(session_folder() / "site", build)


def build(folder: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    # of the theme: what becomes of it in some years; one live page of 26: tests/live makes all of them
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "SPACEFMU_DOCS_LIVE": "AttitudeSlew"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
