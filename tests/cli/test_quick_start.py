"""Commands bring no more than they use: a finished FMU runs without the libraries that make and draw FMUs."""

import subprocess
import sys

import pytest

from spacefmu.fmu_src import catalogue
from tests.catalogue_fmus import fmu_file

DESCRIBED = catalogue.find("HingedPanel").read_text("utf-8")

HEAVY = (
    "casadi",
    "matplotlib",
    "scipy",
    "pydantic",
    "dask",
    "trimesh",
    "spacefmu.dynamics.description.reader",
    "spacefmu.fmu_src.build",
    "spacefmu.fmu_src.native.trace",
    "spacefmu.fmu_src.native.c",
    "spacefmu.fmu_src.interface",
    "spacefmu.fmu_src.check",
)


def brought(program: str, among: tuple[str, ...] = HEAVY) -> list[str]:
    """Which modules, of HEAVY if nothing is said, are loaded after a program."""
    ask = f"import sys\nprint([name for name in {among} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{program}\n{ask}"], capture_output=True, text=True, check=True)
    return eval(done.stdout.splitlines()[-1])


def command(*line: str) -> str:
    """A program: the command line, as `spacefmu` runs it."""
    return f"from spacefmu.fmu_src.cli import main\ntry:\n    main({line})\nexcept SystemExit as end:\n    assert not end.code"


def test_simulating_a_finished_fmu_is_light(tmp_path):
    path, results = fmu_file("AttitudeController"), tmp_path / "run.csv"
    assert brought(command("simulate", str(path), "--stop", "1", "-o", str(results))) == []
    assert results.exists()


def test_reading_an_fmu_is_light():
    """No numbers are computed, and FMPy reads what is in the description."""
    assert brought(command("info", str(fmu_file("AttitudeController")))) == []


def test_a_beam_needs_nothing_of_scipy():
    """Nor does any description without plates, finite elements or paths; importing it took a tenth of a build."""
    program = f"from spacefmu.dynamics.description import load_text\nload_text({DESCRIBED!r})"
    assert brought(program, ("scipy.linalg", "scipy.sparse", "scipy.optimize", "scipy.interpolate")) == []


@pytest.mark.parametrize("line", [("--help",), ("list",), ("simulate", "--help"), ("new", "Mine")])
def test_what_needs_no_fmu_is_light(line, tmp_path):
    program = f"import os\nos.chdir({str(tmp_path)!r})\n{command(*line)}"
    assert brought(program, (*HEAVY, "numpy", "fmpy")) == []


def test_a_command_comes_without_the_others():
    assert brought(command("list"), tuple(f"spacefmu.fmu_src.cli.{name}" for name in ("demo", "sweep", "system"))) == []


@pytest.mark.parametrize(
    "program", ["import spacefmu.fmu_src.api", "import spacefmu.fmu_src.cosim", "import spacefmu.dynamics.description"]
)
def test_packages_wait_until_they_are_used(program):
    assert brought(program) == []


def test_what_waits_is_there_when_it_is_used():
    from spacefmu.dynamics import description
    from spacefmu.fmu_src import api, cosim

    assert {description.load, cosim.Master, api.linearized.linearize}
    for package in (description, cosim, api):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = package.nothing
