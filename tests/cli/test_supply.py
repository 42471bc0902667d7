"""What is installed and what is shipped: versions with hashes and without hosts, wheels and FMUs of the same bytes from two clones."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.command import ROOT
from tests.cli.test_wheel import PARTS

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
# Two clones: umask, and the environment of who builds there.
CLONES = {
    "one": (0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}),
    "the other, with a space": (0o077, {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "2", "LANG": "tr_TR.UTF-8"}),
}  # fmt: skip


def pins(name: str) -> set[tuple[str, str]]:
    """Packages with their versions; - and _ are one letter in names."""
    found = PIN.findall((ROOT / name).read_text("utf-8"))
    return {(re.sub(r"[._]", "-", package).lower(), version) for package, version in found}


def test_every_pinned_version_has_hashes_and_no_file_names_a_host():
    text = (ROOT / "requirements.txt").read_text("utf-8")
    assert pins("requirements.txt") == pins("constraints.txt"), "the head of requirements.txt says how it is made again"
    entries = re.split(r"\n(?=[A-Za-z])", text.partition("\n\n")[2].strip())
    assert len(entries) == len(pins("requirements.txt"))
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
    for name in ("requirements.txt", "constraints.txt"):
        assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host", (ROOT / name).read_text("utf-8"))


def clone(folder: Path, umask: int) -> Path:
    """A copy of the source with the rights that a umask leaves."""
    folder.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, folder / part)
    for path in folder.rglob("*"):
        path.chmod((0o777 if path.is_dir() else 0o666) & ~umask)
    return folder


@pytest.mark.ci
def test_two_clones_make_the_same_bytes(tmp_path):
    """Another path, umask, locale, time zone and hash seed, no cache: one wheel, and one FMU of each flavour."""
    wheels, fmus = {}, {}
    for name, (umask, more) in CLONES.items():
        folder = clone(tmp_path / name, umask)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "PYTHON"))} | more
        environment |= {"SPACEFMU_CACHE": "off", "HOME": str(folder)}
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist"]
        subprocess.run(build, cwd=folder, check=True, capture_output=True, env=environment, umask=umask)
        (wheel,) = (folder / "dist").glob("*.whl")
        wheels[name] = wheel.read_bytes()
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / "installed")
        environment["PYTHONPATH"] = str(folder / "installed")
        work = folder / "work"  # the source itself is not a package to import here
        work.mkdir()
        place = subprocess.run([sys.executable, "-c", "import spacefmu; print(spacefmu.__file__)"], cwd=work, check=True, capture_output=True, text=True, env=environment)  # fmt: skip
        assert place.stdout.startswith(str(folder / "installed"))
        for flavour in ("native", "python"):
            command = [
                sys.executable,
                "-m",
                "spacefmu",
                "build",
                "HingedPanel",
                "-o",
                f"{flavour}.fmu",
                "--flavour",
                flavour,
            ]
            command += ["--platform", "host"] if flavour == "native" else []
            subprocess.run(command, cwd=work, check=True, capture_output=True, env=environment, umask=umask)
            fmus[name, flavour] = (work / f"{flavour}.fmu").read_bytes()
    first, second = CLONES
    assert wheels[first] == wheels[second]
    for flavour in ("native", "python"):
        assert fmus[first, flavour] == fmus[second, flavour]
