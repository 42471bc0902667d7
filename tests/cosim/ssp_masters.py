"""Other people's masters on an .ssp file of ours, each in a process of its own: libcosim (libcosimpy) and ecos (ecospy).

    python tests/cosim/ssp_masters.py MASTER FILE STEP STEPS PARAMETER_SET NAME,NAME,…

The line of stdout that begins with [[ has the values, a row after each step.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path


def values_by(
    master: str, path: Path, step: float, steps: int, parameter_set: str, names: list[str]
) -> list[list[float]]:
    """Rows of values, one after each step. ecos needs the libraries of the package tbb beside Python's own."""
    arguments = [master, str(path), repr(step), str(steps), parameter_set, ",".join(names)]
    ended = subprocess.run(
        [sys.executable, __file__, *arguments],
        env=os.environ | {"LD_LIBRARY_PATH": str(Path(sysconfig.get_path("data")) / "lib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    return json.loads(next(line for line in ended.stdout.splitlines() if line.startswith("[[")))


def by_libcosim(path: str, step: float, steps: int, parameter_set: str, names: list[str]) -> list[list[float]]:
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver

    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(path).extractall(folder)  # it reads folders, and applies all parameter sets by itself
        execution, observer = CosimExecution.from_ssp_file(folder, round(1e9 * step)), CosimObserver.create_last_value()
        execution.add_observer(observer)
        places = []
        for unit, _, name in (full.partition(".") for full in names):
            index = execution.slave_index_from_instance_name(unit)
            places.append((index, {v.name.decode(): v.reference for v in execution.slave_variables(index)}[name]))
        rows = []
        for _ in range(steps):
            assert execution.step(1)
            rows.append([observer.last_real_values(index, [reference])[0] for index, reference in places])
    return rows


def by_ecos(path: str, step: float, steps: int, parameter_set: str, names: list[str]) -> list[list[float]]:
    from ecospy import EcosSimulation

    rows = []
    with EcosSimulation(step, ssp_path=path) as simulation:
        simulation.init(parameter_set=parameter_set)
        for _ in range(steps):
            simulation.step(1)
            rows.append([simulation.get_real(name.replace(".", "::", 1)) for name in names])
    return rows


MASTERS = {"libcosim": by_libcosim, "ecos": by_ecos}

if __name__ == "__main__":
    master, path, step, steps, parameter_set, names = sys.argv[1:]
    print(json.dumps(MASTERS[master](path, float(step), int(steps), parameter_set, names.split(","))), flush=True)
