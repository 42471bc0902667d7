"""Commands bring no more than they use: a finished FMU runs without the libraries that make and draw FMUs."""

import subprocess
import sys

import pytest

from tests.catalogue_fmus import fmu_file

HEAVY = ("casadi", "matplotlib", "scipy", "dynamics.description.reader", "fmu_src.build", "fmu_src.native")


def brought(program: str) -> list[str]:
    """Which of HEAVY are loaded after a program."""
    ask = f"import sys\nprint([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{program}\n{ask}"], capture_output=True, text=True, check=True)
    return eval(done.stdout.splitlines()[-1])


def test_simulating_a_finished_fmu_is_light(tmp_path):
    path, results = fmu_file("AttitudeController"), tmp_path / "run.csv"
    line = ["simulate", str(path), "--stop", "1", "-o", str(results)]
    program = (
        f"from fmu_src.cli.app import app\ntry:\n    app({line})\nexcept SystemExit as end:\n    assert not end.code"
    )
    assert brought(program) == []
    assert results.exists()


@pytest.mark.parametrize("program", ["import fmu_src.api", "import fmu_src.cosim", "import dynamics.description"])
def test_packages_wait_until_they_are_used(program):
    assert brought(program) == []


def test_what_waits_is_there_when_it_is_used():
    from dynamics import description
    from fmu_src import api, cosim

    assert {description.load, cosim.Master, api.linearized.linearize}
    for package in (description, cosim, api):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = package.nothing
