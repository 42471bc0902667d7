"""Three masters that do the same jobs, each in a process of its own: FMPy, libcosim (libcosimpy) and ecos (ecospy).

    python -m tests.python_fmu.masters MASTER JOBS        JOBS: a list in JSON; the last line of stdout: their results

A job: `fmus` (files, run together, not coupled), `start` (values set before initialization), `steps` of length `step`,
`late` (values set then, before one more step), `again` (the whole once more: from a saved state, from a reset, or in a
new execution, whichever the master has a verb for). A result: `values` of all real variables, one dict an FMU.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    """results: one per job. log: stdout and stderr. code: of the process; negative if a signal ended it."""

    results: list[dict]
    log: str
    code: int


def drive(master: str, *jobs: dict) -> Outcome:
    """The jobs, one after the other, in one new process. ecos needs the libraries of the package tbb beside Python's own."""
    command = [sys.executable, "-m", "tests.python_fmu.masters", master, json.dumps(jobs)]
    environment = os.environ | {"LD_LIBRARY_PATH": str(Path(sysconfig.get_path("data")) / "lib")}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    lines = ended.stdout.splitlines()
    return Outcome(
        json.loads(lines[-1]) if ended.returncode == 0 else [], ended.stdout + ended.stderr, ended.returncode
    )


def job(*fmus, steps: int = 10, step: float = 0.1, start=None, late=None, again: bool = False) -> dict:
    return {"fmus": list(map(str, fmus)), "steps": steps, "step": step, "start": start or {}, "late": late or {}, "again": again}  # fmt: skip


def by_fmpy(job: dict) -> dict:
    import fmpy

    from tests.python_fmu.units import Unit, status_of

    def run(units):
        statuses = []
        for i in range(job["steps"]):
            statuses += [status_of(unit.fmu.doStep, i * job["step"], job["step"]) for unit in units]
        for unit in units if job["late"] else ():
            unit.set(**job["late"])
            statuses.append(status_of(unit.fmu.doStep, job["steps"] * job["step"], job["step"]))
        values = [{name: unit[name] for name, v in unit.variables.items() if v.type == "Real"} for unit in units]
        return values, not any(statuses)

    with TemporaryDirectory() as folder:
        units = [
            Unit(Path(fmpy.extract(path, f"{folder}/{i}"))).start(**job["start"]) for i, path in enumerate(job["fmus"])
        ]
        saved = [unit.fmu.getFMUState() for unit in units]
        values, done = run(units)
        result = {"values": values, "done": done}
        if job["again"]:
            for unit, state in zip(units, saved, strict=True):
                unit.fmu.setFMUState(state)
            result["again"], _ = run(units)
        for unit in units:
            unit.fmu.freeInstance()
    return result


def by_libcosim(job: dict) -> dict:
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimManipulator import CosimManipulator
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    log_output_level(CosimLogLevel.DEBUG)  # what FMI Library complains of, and which functions it calls
    execution = CosimExecution.from_step_size(round(1e9 * job["step"]))
    observer, manipulator = CosimObserver.create_last_value(), CosimManipulator.create_override()
    slaves = [CosimLocalSlave(path, f"unit{i}") for i, path in enumerate(job["fmus"])]
    indices = [execution.add_local_slave(slave) for slave in slaves]
    execution.add_observer(observer)
    execution.add_manipulator(manipulator)
    tables = [{v.name.decode(): v for v in execution.slave_variables(i)} for i in indices]
    for i, table in zip(indices, tables, strict=True):
        for name, value in job["start"].items():
            execution.real_initial_value(i, table[name].reference, value)
    done = execution.step(job["steps"])
    for i, table in zip(indices, tables, strict=True):
        for name, value in job["late"].items():
            manipulator.slave_real_values(i, [table[name].reference], [value])
    done = done and (not job["late"] or execution.step(1))
    reals = [{name: v.reference for name, v in table.items() if v.type == 0} for table in tables]
    values = [
        dict(zip(names, observer.last_real_values(i, list(names.values())), strict=True))
        for i, names in zip(indices, reals, strict=True)
    ]
    kinds = [{name: (v.reference, v.causality, v.variability) for name, v in table.items()} for table in tables]
    result = {"values": values, "done": done, "kinds": kinds}
    del execution, observer, manipulator, slaves
    return result | ({"again": by_libcosim(job | {"again": False})["values"]} if job["again"] else {})


def by_ecos(job: dict) -> dict:
    import fmpy
    from ecospy import EcosSimulation, EcosSimulationStructure

    structure = EcosSimulationStructure()
    names = []
    for i, path in enumerate(job["fmus"]):
        structure.add_model(f"unit{i}", path)
        names.append([v.name for v in fmpy.read_model_description(path).modelVariables if v.type == "Real"])
    structure.add_parameter_set(
        "start", {f"unit{i}::{name}": value for i in range(len(names)) for name, value in job["start"].items()}
    )
    with structure, EcosSimulation(job["step"], structure=structure) as simulation:

        def run():
            done = simulation.init(parameter_set="start")
            simulation.step(job["steps"])
            for i in range(len(names)):
                for name, value in job["late"].items():
                    simulation.set_real(f"unit{i}::{name}", value)
            if job["late"]:
                simulation.step(1)
            values = [{name: simulation.get_real(f"unit{i}::{name}") for name in unit} for i, unit in enumerate(names)]
            return values, done

        values, done = run()
        result = {"values": values, "done": done}
        if job["again"]:
            simulation.reset()
            result["again"], _ = run()
    return result


MASTERS = {"FMPy": by_fmpy, "libcosim": by_libcosim, "ecos": by_ecos}

if __name__ == "__main__":
    found = [MASTERS[sys.argv[1]](each) for each in json.loads(sys.argv[2])]
    print("\n" + json.dumps(found), flush=True)
