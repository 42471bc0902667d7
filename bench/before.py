"""FMUs built by the code of an earlier commit: their cost is measured in the same run."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from functools import cache
from io import BytesIO
from pathlib import Path

from .driver import HERE, NotBuilt, build
from .results import folder

COMMIT = "c30f8156978e4cd5c54432aa001a26f650ac5b5a"
LIMIT = 600.0  # [s] that a build may take: 20 modes were 122,000 lines of C


@cache
def checkout() -> Path:
    """Files of that commit in build/bench/before/."""
    place = folder() / "before"
    files = subprocess.run(["git", "archive", COMMIT], cwd=HERE.parent, capture_output=True, check=False)
    if files.returncode:
        raise NotBuilt("commit c30f815 is not in this copy of the repository")
    shutil.rmtree(place, ignore_errors=True)
    with tarfile.open(fileobj=BytesIO(files.stdout)) as archive:
        archive.extractall(place, filter="data")
    return place


def built_before(text: str, name: str) -> Path:
    """The FMU that a description gave then."""
    return build(text, f"{name}Before", LIMIT, root=checkout())[0]


def entry_before(name: str) -> str:
    """A description of the catalogue as it was."""
    return (checkout() / "fmu_src" / "catalogue" / f"{name}.toml").read_text("utf-8")
