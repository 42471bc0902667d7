"""Native FMUs in OMSimulator, against our own way to run them:  python bench/omsimulator.py

Needs the program OMSimulator (https://openmodelica.org) on the path, or its place in the variable OMSIMULATOR.
Prints the largest difference of any output, in units of the largest value of its array, at least 1.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.archive.description import read_description
from spacefmu.fmu_src.results.names import resolve

STEP, STOP = 0.1, 20.0  # [s]
TOLERANCE = 1e-12  # of the FMUs' own solver
ALONE = {  # model: start values. The last two have events: a cable that goes slack and taut, a hinge that latches
    "HingedPanel": {"hub.angular_velocity": 0.01},
    "TetheredMasses": {},
    "DeployableFourBar": {},
}
UNITS = {"plant": "HingedPanel", "controller": "AttitudeController"}
CONNECTIONS = {  # input: output
    "controller.quaternion": "plant.hub.quaternion",
    "controller.angular_velocity": "plant.hub.angular_velocity",
    "plant.hub.torque": "controller.torque",
}


def script(
    units: dict[str, Path], start: dict[str, float], connections: dict[str, str], system: str, result: str
) -> str:
    """Lua for OMSimulator: FMUs by name, connections with a line an element, weakly (co-simulation) or strongly coupled."""
    names = {unit: [v.name for v in read_description(path).modelVariables] for unit, path in units.items()}

    def elements(end: str) -> list[str]:
        unit, variable = end.split(".", 1)
        return [f"model.root.{unit}.{name}" for name in resolve(variable, names[unit])]

    lines = ['oms_newModel("model")', f'oms_addSystem("model.root", {system})']
    lines += [f'oms_addSubModel("model.root.{unit}", "{path}")' for unit, path in units.items()]
    for target, source in connections.items():
        pairs = zip(elements(source), elements(target), strict=True)
        lines += [f'oms_addConnection("{output}", "{input_}")' for output, input_ in pairs]
    lines += [f'oms_setReal("{name}", {value})' for end, value in start.items() for name in elements(end)]
    lines += [
        f'oms_setResultFile("model", "{result}")',
        f'oms_setStopTime("model", {STOP})',
        f'oms_setFixedStepSize("model.root", {STEP})' if system == "oms_system_wc" else "",
        'oms_setTolerance("model", 1e-10)',
        *(f'oms_{step}("model")' for step in ("instantiate", "initialize", "simulate", "terminate", "delete")),
    ]
    return "\n".join(lines)


def run(program: str, lua: str, folder: Path, result: str) -> dict[str, np.ndarray]:
    """Columns of the result by name, without OMSimulator's prefix, at multiples of STEP."""
    (folder / result).unlink(missing_ok=True)
    (folder / "model.lua").write_text(lua)
    done = subprocess.run([program, "model.lua"], cwd=folder, capture_output=True, text=True)
    if "error" in done.stdout or not (folder / result).exists():
        sys.exit(f"OMSimulator refused:\n{done.stdout}{done.stderr}")
    first, *rows = (folder / result).read_text().splitlines()
    header = re.split(r",(?![^\[]*\])", first)  # matrix[1,2] stands there without quotation marks
    table = np.array([row.split(",") for row in rows], float)  # of 12 digits
    # at an instant of an event there are several rows: the last one is what follows from it
    last = [np.flatnonzero(np.abs(table[:, 0] - time) < 1e-9)[-1] for time in np.arange(0.0, STOP + STEP / 2, STEP)]
    return {name.removeprefix("model.root."): table[last, i] for i, name in enumerate(header)}


def difference(ours: api.Result, theirs: dict[str, np.ndarray], prefix: str = "") -> str:
    """The largest difference, and of which variable."""
    worst, where = 0.0, ""
    for name in ours.names:
        array = [other for other in ours.names if other.rsplit("[", 1)[0] == name.rsplit("[", 1)[0]]
        scale = max(1.0, *(np.abs(ours[other]).max() for other in array))
        error = np.abs(ours[name] - theirs[prefix + name]).max() / scale
        if error > worst:
            worst, where = error, name
    return f"{worst:.1e} ({where})"


def main() -> None:
    program = os.environ.get("OMSIMULATOR") or shutil.which("OMSimulator")
    if not program:
        print("OMSimulator is not on the path: nothing to compare.")
        return
    print(subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for model, given in ALONE.items():
            fmu = api.build(model, folder / f"{model}.fmu")
            start = given | {"solver.tolerance": TOLERANCE}
            ours = api.simulate(fmu, STOP, STEP, start)
            for system, words in (("oms_system_wc", "co-simulation"), ("oms_system_sc", "model exchange, CVODE")):
                lua = script({"plant": fmu}, {f"plant.{key}": start[key] for key in start}, {}, system, "alone.csv")
                print(f"{model}, {words}: {difference(ours, run(program, lua, folder, 'alone.csv'), 'plant.')}")
        fmus = {unit: api.build(model, folder / f"{model}.fmu") for unit, model in UNITS.items()}
        starts = {unit: {"solver.tolerance": TOLERANCE} for unit in UNITS}
        starts["plant"] |= ALONE["HingedPanel"]
        units = {unit: {"model": str(path), "start": starts[unit]} for unit, path in fmus.items()}
        coupled = cosim.CoupledSystem(name="Slew", step=STEP, stop=STOP, units=units, connections=CONNECTIONS)
        start = {f"{unit}.{key}": value for unit, own in starts.items() for key, value in own.items()}
        lua = script(fmus, start, CONNECTIONS, "oms_system_wc", "coupled.csv")
        theirs = run(program, lua, folder, "coupled.csv")
        print(f"{' and '.join(UNITS.values())}, co-simulation: {difference(cosim.cosimulate(coupled, fmus), theirs)}")


if __name__ == "__main__":
    main()
