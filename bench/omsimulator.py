"""Native FMUs in OMSimulator, against our own way to run them:  python bench/omsimulator.py

FMUs of FMI 2.0 and 3.0 alone, and a plant with its controller as an SSP of both versions; no Lua, which newer versions do not have.
FMI 3.0 FMUs are built with `--scalars`, because OMSimulator does not read arrays.
Needs the program OMSimulator (https://openmodelica.org) on the path, or its place in the variable OMSIMULATOR.
Prints the largest difference of any output, in units of the largest value of its array, at least 1.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.cosim.ssp import write_ssp

STEP, STOP = 0.1, 20.0  # [s]
TOLERANCE = 1e-12  # of the FMUs' own solver
ALONE = (  # the last two have events: a cable that goes slack and taut, a hinge that latches
    "FlexibleSatellite",
    "TetheredMasses",
    "DeployableFourBar",
)
MODES = {"cs": "co-simulation", "me": "model exchange, CVODE"}
UNITS = {"plant": "HingedPanel", "controller": "AttitudeController"}
CONNECTIONS = {  # input: output
    "controller.quaternion": "plant.hub.quaternion",
    "controller.angular_velocity": "plant.hub.angular_velocity",
    "plant.hub.torque": "controller.torque",
}


def run(program: str, folder: Path, source: Path, *options: str, prefix: str = "") -> dict[str, np.ndarray]:
    """Columns of the result of an FMU or a system by name, without a prefix, at multiples of STEP."""
    result = folder / "result.csv"
    result.unlink(missing_ok=True)
    line = [
        program,
        f"--stopTime={STOP}",
        f"--stepSize={STEP}",
        f"--intervals={round(STOP / STEP)}",
        "--tolerance=1e-10",
    ]
    line += [f"--resultFile={result}", *options, str(source)]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True)
    if "error:" in done.stdout or not result.exists():
        sys.exit(f"OMSimulator refused:\n{done.stdout}{done.stderr}")
    header, *rows = csv.reader(result.read_text().splitlines())
    table = np.array(rows, float)  # of 12 digits
    # at an instant of an event there are several rows: the last one is what follows from it
    last = [np.flatnonzero(np.abs(table[:, 0] - time) < 1e-9)[-1] for time in np.arange(0.0, STOP + STEP / 2, STEP)]
    return {name.removeprefix(prefix): table[last, i] for i, name in enumerate(header)}


def difference(ours: api.Result, theirs: dict[str, np.ndarray]) -> str:
    """The largest difference, and of which variable."""
    worst, where = 0.0, ""
    for name in ours.names:
        array = [other for other in ours.names if other.rsplit("[", 1)[0] == name.rsplit("[", 1)[0]]
        scale = max(1.0, *(np.abs(ours[other]).max() for other in array))
        error = np.abs(ours[name] - theirs[name]).max() / scale
        if error > worst:
            worst, where = error, name
    return f"{worst:.1e} ({where})"


def built(model: str, folder: Path) -> dict[int, Path]:
    """The FMU of each version of FMI."""
    return {2: api.build(model, folder / f"{model}.fmu"), 3: api.build(model, folder / f"{model}_3.fmu", fmi=3, scalars=True)}  # fmt: skip


def main() -> None:
    program = os.environ.get("OMSIMULATOR") or shutil.which("OMSimulator")
    if not program:
        print("OMSimulator is not on the path: nothing to compare.")
        return
    print(subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for model in ALONE:
            fmus = built(model, folder)
            ours = api.simulate(fmus[2], STOP, STEP, {"solver.tolerance": TOLERANCE})
            for (fmi, fmu), (mode, words) in product(fmus.items(), MODES.items()):
                theirs = run(program, folder, fmu, f"--mode={mode}")
                print(f"{model}, FMI {fmi}.0, {words}: {difference(ours, theirs)}", flush=True)
        units_by_fmi = {unit: built(model, folder) for unit, model in UNITS.items()}
        starts = {unit: {"solver.tolerance": TOLERANCE} for unit in UNITS}
        starts["plant"] |= {"hub.angular_velocity": 0.01}
        units = {unit: {"model": str(path[2]), "start": starts[unit]} for unit, path in units_by_fmi.items()}
        coupled = cosim.CoupledSystem(name="Slew", step=STEP, stop=STOP, units=units, connections=CONNECTIONS)
        ours = cosim.cosimulate(coupled, {unit: path[2] for unit, path in units_by_fmi.items()})
        for version, fmi in (("1.0", 2), ("2.0", 2), ("2.0", 3)):
            fmus = {unit: path[fmi] for unit, path in units_by_fmi.items()}
            packed = write_ssp(folder / f"slew{version}_{fmi}.ssp", coupled, fmus, version)
            theirs = run(program, folder, packed, prefix="Slew.Slew.")
            print(f"{' and '.join(UNITS.values())}, SSP {version}, FMI {fmi}.0: {difference(ours, theirs)}", flush=True)


if __name__ == "__main__":
    main()
