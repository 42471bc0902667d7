"""One import name: nothing that lies beside a user's script can take the place of a module of ours."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import spacefmu
from spacefmu.fmu_src.python.own import read_block
from tests.cli.command import ROOT

SCRIPT = """
import dynamics, fmu_src
import spacefmu
assert dynamics.MINE and fmu_src.MINE
print(spacefmu.load("FourBar").name)
"""


def test_a_users_own_files_called_as_our_folders_shadow_nothing(tmp_path):
    for name in ("dynamics", "fmu_src"):
        (tmp_path / f"{name}.py").write_text("MINE = True\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    run = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.stdout, run.returncode) == ("FourBar\n", 0), run.stderr


def test_the_wheel_has_one_name():
    code = "import setuptools; from distutils.core import run_setup; print(*run_setup('setup.py', stop_after='init').packages)"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folders = {
        Path(folder).relative_to(ROOT)
        for root in ("dynamics", "fmu_src", "spacefmu")
        for folder, _, files in os.walk(ROOT / root)
        if any(name.endswith(".py") for name in files)
    }
    names = {".".join(("spacefmu", *(part for part in folder.parts if part != "spacefmu"))) for folder in folders}
    assert names <= set(told.split())
    assert {package.partition(".")[0] for package in told.split()} == {"spacefmu"}


def test_the_wheel_has_every_file_of_the_package():
    """What is no Python code is named by its ending: pages, their styles, scripts and C."""
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]["*"]
    files = [
        path for root in ("dynamics", "fmu_src", "spacefmu") for path in (ROOT / root).rglob("*") if path.is_file()
    ]
    left = {path.name for path in files if not any(map(path.match, [*patterns, "*.py", "*.pyc", ".clang-format"]))}
    assert left == set()


def test_public_names_are_those_of_the_api():
    assert {"load", "build", "simulate", "Result"} <= set(dir(spacefmu))
    assert all(getattr(spacefmu, name) is not None for name in dir(spacefmu))
    with pytest.raises(AttributeError, match="module 'spacefmu' has no attribute 'lod'"):
        spacefmu.lod  # noqa: B018


@pytest.mark.parametrize("old", ["dynamics.blocks.block", "fmu_src.api"])
def test_a_block_with_an_old_import_is_told_the_new_one(tmp_path, monkeypatch, old):
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(ROOT))])
    for name in [name for name in sys.modules if name.partition(".")[0] in ("dynamics", "fmu_src")]:
        monkeypatch.delitem(sys.modules, name)  # of a test that used a user's own
    (tmp_path / "gain.py").write_text(f'"""A block."""\n\nfrom {old} import Block\n')
    root = old.partition(".")[0]
    with pytest.raises(
        ValueError, match=rf"gain\.py, line 3: .*since spacefmu 0\.2\.0, {root} is spacefmu\.{root}: change"
    ):
        read_block(tmp_path / "gain.py")


def test_a_block_that_imports_from_where_a_module_was_is_told_its_room(tmp_path):
    (tmp_path / "gain.py").write_text('"""A block."""\n\nfrom spacefmu.dynamics.signals import Signal\n')
    with pytest.raises(ValueError, match=r"spacefmu\.dynamics\.signals is spacefmu\.dynamics\.system\.signals: change"):
        read_block(tmp_path / "gain.py")
