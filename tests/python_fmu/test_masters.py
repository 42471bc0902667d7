"""The Python FMUs in C++ masters: libcosim and ecos, each in a process of its own, against FMPy."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.python_fmu.units import BROKEN, GYRO, ROOT

COSIM = """
import sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave
execution, observer = CosimExecution.from_step_size(int(1e8)), CosimObserver.create_last_value()
slaves = [CosimLocalSlave(path, f"unit{i}") for i, path in enumerate(sys.argv[2:])]
indices = [execution.add_local_slave(slave) for slave in slaves]
execution.add_observer(observer)
reference = int(sys.argv[1].partition(":")[0])
for i in indices:
    execution.real_initial_value(i, int(sys.argv[1].partition(":")[2]), 1.0)
done = execution.simulate_until(int(1e9))
print("result", done, *(repr(observer.last_real_values(i, [reference])[0]) for i in indices))
"""
ECOS = """
import sys
from ecospy import EcosSimulation, EcosSimulationStructure
from ecospy.EcosParameterSet import EcosParameterSet
with EcosSimulationStructure() as structure:
    for i, path in enumerate(sys.argv[2:]):
        structure.add_model(f"unit{i}", path)
    parameters = EcosParameterSet()
    for i in range(len(sys.argv[2:])):
        parameters.add_real(f"unit{i}::rate", 1.0)
    structure.add_parameter_set("start", parameters)
    with EcosSimulation(0.1, structure=structure) as simulation:
        simulation.init(parameter_set="start")
        simulation.step(10)
        print("result", *(repr(simulation.get_real(f"unit{i}::measured")) for i in range(len(sys.argv[2:]))))
"""


def run(script: str, *arguments) -> subprocess.CompletedProcess:
    """ecos needs the libraries of the package tbb, which pip puts beside those of Python itself."""
    libraries = str(Path(sysconfig.get_path("data")) / "lib")
    command = [sys.executable, "-c", script, *map(str, arguments)]
    environment = {"LD_LIBRARY_PATH": libraries, "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def values(result: subprocess.CompletedProcess) -> list[float]:
    assert result.returncode == 0, result.stderr
    return [
        float(word) for line in result.stdout.splitlines() if line.startswith("result") for word in line.split()[-2:]
    ]


@pytest.fixture
def pair(own_fmu, unit):
    """Two FMUs with modules and classes of one name but other code, and what each gives in FMPy at t = 1."""
    folders = [own_fmu(GYRO), own_fmu(GYRO.replace("now.filtered + now.bias", "-now.filtered"))]
    expected = [unit(folder).start(rate=1.0).run(0, 10)["measured"] for folder in folders]
    assert expected[1] < 0.0 < expected[0]
    return [folder.parent / "Own.fmu" for folder in folders], expected


def test_two_in_libcosim(pair, unit, own_fmu):
    fmus, expected = pair
    variables = unit(own_fmu(GYRO)).variables
    references = f"{variables['measured'].valueReference}:{variables['rate'].valueReference}"
    assert values(run(COSIM, references, *fmus)) == pytest.approx(expected, rel=1e-12)


def test_two_in_ecos(pair):
    fmus, expected = pair
    assert values(run(ECOS, "-", *fmus)) == pytest.approx(expected, rel=1e-12)


def test_an_exception_ends_libcosim_orderly(own_fmu, unit):
    folder = own_fmu(BROKEN)
    variables = unit(folder).variables
    references = f"{variables['measured'].valueReference}:{variables['rate'].valueReference}"
    result = run(COSIM, references, folder.parent / "Own.fmu")
    assert result.returncode >= 0, "the master crashed"
    assert "ZeroDivisionError" in result.stderr


def test_an_exception_ends_ecos_orderly(own_fmu):
    result = run(ECOS, "-", own_fmu(BROKEN).parent / "Own.fmu")
    assert result.returncode >= 0, "the master crashed"
    assert "ZeroDivisionError" in result.stderr
