"""A plant of ours coupled with FMUs that a Modelica compiler made: Rumoca writes their FMI 2.0 sources in C, and knows nothing of us."""

import subprocess
import sys
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
import rumoca
from scipy.linalg import expm

from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.cosim.ssp import write_ssp

CONTROLLER = """
model RateController "damps a rate that it sees through a filter"
  parameter Real damping = 0.6;
  parameter Real lag = 0.5;
  input Real rate;
  output Real torque;
  Real filtered(start = 0.0, fixed = true);
equation
  der(filtered) = (rate - filtered) / lag;
  torque = -damping * filtered;
end RateController;
"""
INERTIA, SPIN, DAMPING, LAG = 4.0, 0.5, 0.8, 0.5
PLANT = f"""
name = "Plant"
[bodies.hub]
mass = 10.0
inertia = [2.0, 3.0, {INERTIA}]
forces_at = ["frame"]
initial = {{ angular_velocity = [0.0, 0.0, {SPIN}] }}
[experiment]
tolerance = 1e-11
"""


def exported(folder: Path) -> Path:
    """The FMU of the Modelica model: sources and model description by Rumoca, compiled as its own build script does, with zig for cc."""
    (folder / "controller.mo").write_text(CONTROLLER)
    files = rumoca.Session().load(str(folder / "controller.mo"), model="RateController").codegen("fmi2")
    files.save_all(str(folder / "fmu"))
    binary = folder / "fmu" / "binaries" / fmpy.platform / f"RateController{fmpy.sharedLibraryExtension}"
    binary.parent.mkdir(parents=True)
    compile_it = [sys.executable, "-m", "ziglang", "cc", "-shared", "-fPIC", "-O2", "-o", binary]
    subprocess.run([*compile_it, folder / "fmu" / "sources" / "RateController.c", "-lm"], check=True)
    with zipfile.ZipFile(folder / "RateController.fmu", "w") as archive:
        for path in (folder / "fmu" / "modelDescription.xml", binary):
            archive.write(path, path.relative_to(folder / "fmu"))
    return folder / "RateController.fmu"


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modelica")
    (folder / "plant.toml").write_text(PLANT)
    plant = api.build(folder / "plant.toml", folder / "plant.fmu", platforms=["host"])
    return {"plant": plant, "controller": exported(folder)}


def coupled(fmus, step: float) -> cosim.CoupledSystem:
    return cosim.CoupledSystem(
        name="Foreign",
        step=step,
        stop=10.0,
        units={
            "plant": {"model": str(fmus["plant"])},
            "controller": {"model": str(fmus["controller"]), "start": {"damping": DAMPING}},
        },
        connections={"controller.rate": "plant.hub.angular_velocity[3]", "plant.hub.torque[3]": "controller.torque"},
    )


def test_it_damps_the_spin_of_our_plant(fmus):
    """J ω̇ = −D f, T ḟ = ω − f: the error against the exponential of this matrix falls with the first order of held inputs."""
    errors = []
    for step in (0.1, 0.05):
        run = cosim.cosimulate(coupled(fmus, step), fmus)
        A = np.array([[0.0, -DAMPING / INERTIA], [1.0 / LAG, -1.0 / LAG]])
        exact = np.array([expm(A * t) @ [SPIN, 0.0] for t in run.time])
        errors.append(np.abs(run["plant.hub.angular_velocity[3]"] - exact[:, 0]).max())
        torque = run["controller.torque"]
        assert np.abs(torque + DAMPING * exact[:, 1]).max() < 0.05 * np.abs(torque).max()
    assert errors[0] < 4e-3  # measured 3.5e-3 and 1.7e-3 rad/s
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


def test_packed_and_run_as_ssp(fmus, tmp_path):
    """The foreign FMU in an .ssp of ours: the same numbers."""
    system = coupled(fmus, 0.1)
    write_ssp(tmp_path / "foreign.ssp", system, fmus)
    packed, plain = api.cosimulate(tmp_path / "foreign.ssp"), cosim.cosimulate(system, fmus)
    for name in ("plant.hub.angular_velocity[3]", "controller.torque"):
        assert np.array_equal(packed[name], plain[name])
