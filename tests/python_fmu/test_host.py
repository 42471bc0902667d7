"""Python FMUs in a host that is not Python: a C program (tests/fmi/host.c) with libpython preloaded."""

import ctypes.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import fmpy
import numpy as np
import pytest

from spacefmu.fmu_src.native.platforms.compile import fmi_headers
from tests.catalogue_fmus import fmu_of
from tests.python_fmu.units import GYRO

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"


def libpython() -> str:
    """The shared library of this Python, or the system's of the same version."""
    own = Path(sysconfig.get_config_var("LIBDIR")) / (sysconfig.get_config_var("INSTSONAME") or "")
    found = str(own) if own.suffix != ".a" and own.is_file() else ctypes.util.find_library(VERSION)
    if not found and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-qq", "-y", f"lib{VERSION}"], capture_output=True, check=False)
        found = ctypes.util.find_library(VERSION)
    if not found:
        pytest.skip(f"this Python is static and there is no lib{VERSION}.so: install it (Debian: lib{VERSION})")
    return found


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """host(unpacked FMU, *arguments, **environment): the ended process."""
    folder = tmp_path_factory.mktemp("host")
    for name, text in fmi_headers().items():
        (folder / name).write_text(text)
    source = Path(__file__).parents[1] / "fmi" / "host.c"
    subprocess.run(
        ["gcc", "-std=gnu99", f"-I{folder}", source, "-o", folder / "host", "-ldl", "-lpthread", "-lm"], check=True
    )

    def run(fmu: Path, *arguments, **environment):
        guid = fmpy.read_model_description(str(fmu)).guid
        library = next((fmu / "binaries/linux64").iterdir())
        return subprocess.run(
            [folder / "host", library, guid, *map(str, arguments)],
            env={"FMU_RESOURCES": (fmu / "resources").as_uri()} | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def with_python():
    """The environment that brings Python and numpy into the process."""
    packages = str(Path(np.__file__).parents[1])
    return {"LD_PRELOAD": libpython(), "PYTHONHOME": sys.base_prefix, "PYTHONPATH": packages}


def test_a_c_host_gets_the_same_bits_as_a_python_host(host, with_python, own_fmu, unit):
    gyro = unit(own_fmu(GYRO))
    names = [name for name, v in gyro.variables.items() if v.type == "Real"]
    gyro.start()
    for i in range(10):
        gyro.fmu.doStep(i * 0.1, (i + 1) * 0.1 - i * 0.1)  # as the host does
    found = host(
        own_fmu(GYRO), "run", 1.0, 0.1, *(gyro.variables[name].valueReference for name in names), **with_python
    )
    assert found.returncode == 0, found.stderr
    assert [float.fromhex(line) for line in found.stdout.split()] == [gyro[name] for name in names]


def test_a_c_host_runs_a_spacecraft(host, with_python):
    """TetheredMasses over its slack → taut event at 8.6 s, which costs energy."""
    folder = fmu_of("TetheredMasses", "python")
    variables = {v.name: v.valueReference for v in fmpy.read_model_description(str(folder)).modelVariables}
    found = host(folder, "run", 10.0, 0.1, variables["time"], variables["tether.energy_lost"], **with_python)
    assert found.returncode == 0, found.stderr
    time, lost = map(float.fromhex, found.stdout.split())
    assert time == pytest.approx(10.0)
    assert lost > 0.0


@pytest.mark.parametrize("arguments", [("cycles", 50), ("threads", 16, 4)], ids=["instances", "threads"])
def test_many_instances_and_threads(host, with_python, own_fmu, arguments):
    """Created, saved, restored and freed; and stepped from eight threads. The process ends without a signal."""
    found = host(own_fmu(GYRO), *arguments, **with_python)
    assert found.returncode == 0, found.stderr
    assert len(set(found.stdout.split())) == 1


def test_without_python_the_library_is_refused(host, own_fmu):
    found = host(own_fmu(GYRO), "run", 1.0, 0.1, 0)
    assert found.returncode == 1
    assert "the library can't be loaded" in found.stderr


def test_without_numpy_the_host_is_told(host, with_python, own_fmu, tmp_path):
    """A module in the way of numpy fails as a missing numpy would."""
    (tmp_path / "numpy.py").write_text("raise ImportError('No module named numpy')")
    found = host(own_fmu(GYRO), "run", 1.0, 0.1, 0, **with_python | {"PYTHONPATH": str(tmp_path)})
    assert found.returncode == 1
    assert "Gyro needs numpy (resources/requirements.txt) in the host's Python" in found.stderr
