"""The example notebook: a legal one, and its cells run in their order."""

import os
import subprocess
import sys

import nbformat

from tests.cli.command import ROOT


def test_notebook_runs(tmp_path):
    notebook = nbformat.read(ROOT / "examples/own_satellite.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "run.csv").stat().st_size > 10_000
