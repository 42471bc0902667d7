"""Every system of the catalogue in masters that we did not write: FMPy (SSP), libcosim, ecos, and merged into one FMU by fmucontainer."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fmpy.ssp.simulation import simulate_ssp

from spacefmu.fmu_src import api, catalogue, cosim
from spacefmu.fmu_src.api import systems
from spacefmu.fmu_src.archive.description import read_description
from spacefmu.fmu_src.cosim.coupling import connected
from spacefmu.fmu_src.cosim.ssp import write_ssp
from tests.cosim.ssp_masters import MASTERS, values_by
from tests.own_process import in_own_process
from tests.session import once, session_folder

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="libcosimpy and ecospy have no wheels for macOS")
slow = pytest.mark.slow

# system: steps, and what is compared
SYSTEMS = {
    "AttitudeSlew": (300, ["plant.hub.quaternion[2]", "plant.hub.angular_velocity[1]", "plant.panel.mode[1].amplitude", "plant.wheel.x.speed"]),
    "ThrusterSlew": (500, ["plant.hub.quaternion[2]", "plant.hub.angular_velocity[1]", "plant.panel.mode[1].amplitude"]),
    "Capture": (1300, ["plant.shoulder.angle", "plant.target.position[1]", "plant.target.angular_velocity[3]", "plant.base.quaternion[4]"]),
    "PathFollowing": (500, ["plant.shoulder.angle[1]", "plant.elbow.angle", "plant.hub.quaternion[3]", "plant.forearm.gripper.position[2]"]),
    "TetherDeployment": (300, ["plant.probe.position[1]", "plant.probe.position[2]", "plant.tether.reel.length"]),
}  # fmt: skip
EACH = [pytest.param(name, marks=[] if name == "AttitudeSlew" else slow) for name in SYSTEMS]


def packed(name: str) -> tuple[cosim.CoupledSystem, dict[str, Path], Path]:
    """A system, its FMUs (built once a session) and its .ssp file."""
    folder = session_folder() / "systems" / name

    def build(path: Path) -> None:
        path.mkdir(parents=True)
        system, fmus = systems.coupled(catalogue.find(name), path, None)
        write_ssp(path / f"{name}.ssp", system, fmus)

    folder = once(folder, build)
    system = cosim.read_system(catalogue.find(name))
    models = {unit: Path(table.model).stem for unit, table in system.units.items()}
    return system, {unit: folder / f"{model}.fmu" for unit, model in models.items()}, folder / f"{name}.ssp"


def by_algorithm(name: str, algorithm: str):
    system, fmus, _ = packed(name)
    steps, names = SYSTEMS[name]
    run = system.model_copy(update={"algorithm": algorithm, "stop": steps * system.step})
    return cosim.cosimulate(run, fmus, record=names)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("master", MASTERS)
def test_libcosim_and_ecos(master, name):
    """Both exchange all values after all steps: our Jacobi exchange, so the motion is the same."""
    system, _, path = packed(name)
    steps, names = SYSTEMS[name]
    rows = np.array(values_by(master, path, system.step, steps, system.name, names))
    ours = by_algorithm(name, "jacobi")
    for variable, theirs in zip(names, rows.T, strict=True):
        scale = np.abs(ours[variable]).max()
        assert scale > 1e-6  # it does move
        assert np.abs(ours[variable][1:] - theirs).max() <= 1e-9 * scale, variable


@pytest.mark.parametrize("name", EACH)
def test_fmpy(name):
    """Starts every connector at 0 and is a step late: quaternions of zeros first, then within the coupling error of ours."""
    system, _, path = packed(name)
    steps, names = SYSTEMS[name]
    table = in_own_process(simulate_ssp, str(path), stop_time=(steps - 0.5) * system.step, step_size=system.step)
    fresh, late = by_algorithm(name, "gauss_seidel"), by_algorithm(name, "jacobi")
    for variable in names:
        error = _apart(table[variable], late[variable][: len(table)])
        coupling = np.abs(fresh[variable] - late[variable]).max()
        assert np.all(np.isfinite(table[variable]))
        # measured up to 6.6 times: joint angles of 0 give Capture's arm a kick in the first step
        assert error <= 8.0 * coupling + 1e-9 * np.abs(late[variable]).max(), variable


def _apart(one, other):
    """Largest difference, up to two steps sooner or later: a coupling that closes a step later jumps a step later."""
    shifted = [np.abs(one[2:-2] - other[2 + k : len(other) - 2 + k]) for k in (-2, -1, 0, 1, 2)]
    return np.min(shifted, axis=0).max()


@pytest.mark.parametrize("name", EACH)
def test_merged_by_fmucontainer(name, tmp_path):
    """One FMU with all units inside, which exchanges as Jacobi does."""
    system, fmus, _ = packed(name)
    steps, names = SYSTEMS[name]
    merged = contained(system, fmus, names, tmp_path)
    ours = by_algorithm(name, "jacobi")
    found = api.simulate(
        merged, stop=steps * system.step, step=system.step, record=[f"out{i}" for i in range(len(names))]
    )
    fresh = by_algorithm(name, "gauss_seidel")
    for i, variable in enumerate(names):
        error = np.abs(found[f"out{i}"] - ours[variable]).max()
        coupling = np.abs(fresh[variable] - ours[variable]).max()
        assert error <= 4.0 * coupling + 1e-9 * np.abs(ours[variable]).max(), variable


def contained(system, fmus, names, folder: Path) -> Path:
    """The container FMU of fmu-manipulation-toolbox; names are its outputs out0, out1, …"""
    for unit, path in fmus.items():
        (folder / f"{unit}.fmu").write_bytes(path.read_bytes())
    wires = connected(system, {unit: read_description(path) for unit, path in fmus.items()})
    ends = [name.partition(".") for name in names]
    description = {
        "name": "Merged.fmu",
        "step_size": system.step,
        "auto_output": False,
        "auto_link": False,  # else ports of equal names are linked too: the inverse problem's torques to the plant's
        "fmu": [f"{unit}.fmu" for unit in fmus],
        "link": [[f"{w.output[0]}.fmu", w.output[1], f"{w.input[0]}.fmu", w.input[1]] for w in wires],
        "output": [[f"{unit}.fmu", variable, f"out{i}"] for i, (unit, _, variable) in enumerate(ends)],
    }
    (folder / "merged.json").write_text(json.dumps(description))
    command = [
        Path(sys.executable).with_name("fmucontainer"),
        "-container",
        "merged.json",
        "-fmu-directory",
        str(folder),
    ]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (folder / "Merged.fmu").exists(), ended.stdout + ended.stderr
    return folder / "Merged.fmu"
