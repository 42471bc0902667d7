"""The wheel, installed by itself: everything that the commands need is in it."""

import json
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from spacefmu.fmu_src import catalogue
from spacefmu.fmu_src.record.case import paths as case_files
from tests.cli.command import ROOT

PARTS = ("dynamics", "fmu_src", "spacefmu", "setup.py", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel of this source, built by itself."""
    folder = tmp_path_factory.mktemp("wheel")
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    (found,) = (folder / "dist").glob("spacefmu-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """`spacefmu` in a virtual environment with the wheel; other packages are those of these tests, so no network."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv/bin/python"
    (packages,) = (folder / "venv/lib").glob("python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    return folder / "venv/bin/spacefmu"


def run(program: Path, *arguments: str, folder: Path) -> str:
    return subprocess.run([program, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow  # a minute: builds the wheel, an environment, and two FMUs
def test_the_wheel_has_catalogue_templates_and_runtime(installed, tmp_path):
    for name in ("dynamics", "fmu_src"):  # a user's own files of these names shadow nothing
        (tmp_path / f"{name}.py").write_text("raise ImportError('the file of a user')\n")
    rows = json.loads(run(installed, "list", "--json", folder=tmp_path))
    assert [row["name"] for row in rows] == [entry.name for entry in catalogue.entries()]
    run(installed, "new", "Mine", folder=tmp_path)
    numbers = json.loads(run(installed, "demo", "-o", "out", "--json", folder=tmp_path))["numbers"]
    assert numbers["slew_angle"] == pytest.approx(30.0, abs=1e-9)
    where = "from spacefmu import dynamics, fmu_src; print(dynamics.__path__[0], fmu_src.__path__[0])"
    found = subprocess.run(
        [installed.with_name("python"), "-c", where], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert str(installed.parent.parent) in found.stdout  # of the wheel, not of these tests' own folder


@pytest.mark.ci  # a quarter of a minute: builds the wheel
def test_the_wheel_has_the_whole_record(wheel):
    """Every case of the record, and what its page says beside them."""
    members = set(zipfile.ZipFile(wheel).namelist())
    cases = {f"spacefmu/fmu_src/record/cases/{path.parent.name}/{path.name}" for path in case_files()}
    assert len(cases) > 150
    assert cases | {"spacefmu/fmu_src/record/limits.toml"} <= members


@pytest.mark.slow  # a minute: builds the wheel and an environment
def test_the_installed_package_runs_the_record(installed, tmp_path):
    rows = json.loads(run(installed, "validate", "--quick", "--json", folder=tmp_path))
    assert len(rows) > 10
    assert all(row["passed"] for row in rows)
    assert all(row["fmu"] for row in rows)
