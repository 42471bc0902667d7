"""(e) native against Python flavour, (f) what is beside the equations: steps, values, instances, files, builds, starts."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from . import models
from .driver import FMU2Model, FMU2Slave, NotBuilt, Unit, as_installed, build
from .results import Results, folder
from .timing import alternate

FLAVOURS = ("HingedPanel", "FourBar")
ROUNDS = 3  # of builds, of which the quickest counts: the first one reads libraries from the disk, and keeps bytecode
STARTS = 15  # of a command, which takes half a second: between 0.39 and 0.94 s of CPU were seen of one command on one idle machine
TINY = """
name = "Tiny"
[bodies.hub]
mass = 1.0
inertia = [1.0, 1.0, 1.0]
forces_at = ["frame"]
"""


def flavours(results: Results) -> None:
    for name in FLAVOURS:
        taken = {}
        for flavour, count in (("native", 100), ("python", 10)):
            unit = Unit(build(models.entry(name), f"{name}_{flavour}", flavour=flavour)[0])
            chunk = unit.steps(0.1)
            taken[flavour] = min(chunk(count) for _ in range(3))
            unit.free()
        results.row("e", f"{name}: Python flavour over native, steps of 0.1 s", taken["python"] / taken["native"])


def steps(results: Results) -> None:
    """A communication step without states, and what one costs beyond the evaluations in it."""
    controller = Unit(build(models.entry("AttitudeController"), "AttitudeController")[0])
    tiny, _ = build(TINY, "Tiny")
    slave, exchange = Unit(tiny), Unit(tiny, FMU2Model)
    names = [v.name for v in slave.description.modelVariables if v.type == "Real"][:100]
    settable = [v.name for v in slave.description.modelVariables if v.type == "Real" and v.causality == "input"]
    best = alternate({
        "step without states": controller.steps(1e-3),
        "step of a free body": slave.steps(0.1),
        "evaluation": exchange.evaluations,
        "get": slave.values("GetReal", (names * 100)[:100]),
        "set": slave.values("SetReal", (settable * 100)[:100]),
    })  # fmt: skip
    results.row(
        "f",
        "doStep without states (AttitudeController between samples)",
        best["step without states"],
        "ns",
        key="do_step",
    )
    results.row(
        "f",
        "doStep of a free body in evaluations of its equations",
        best["step of a free body"] / best["evaluation"],
        "evaluations",
    )
    results.row("f", "fmi2GetReal of 100 variables", best["get"], "ns")
    results.row("f", "fmi2SetReal of 100 inputs", best["set"], "ns")


def instances(results: Results) -> None:
    """Loading, instances and memory of FlexibleSatellite."""
    path, _ = build(models.entry("FlexibleSatellite"), "FlexibleSatellite")
    begin = time.process_time()
    unit = Unit(path)
    results.row(
        "f", "unpack, read, load and initialize FlexibleSatellite in FMPy", 1e3 * (time.process_time() - begin), "ms"
    )
    before, kept, begin = _resident(), [], time.process_time()
    for i in range(100):
        fmu = FMU2Slave(guid=unit.description.guid, unzipDirectory=str(unit.place), modelIdentifier=unit.description.coSimulation.modelIdentifier, instanceName=str(i))  # fmt: skip
        fmu.instantiate()
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        kept.append(fmu)
    results.row("f", "instantiate and initialize it", 1e3 * (time.process_time() - begin) / 100, "ms")
    results.row("f", "memory per instance", (_resident() - before) / 100 / 1e3, "kB")
    results.row("f", "its FMU for one platform", path.stat().st_size / 1e3, "kB")
    for fmu in kept:
        fmu.freeInstance()
    unit.free()


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _another(text: str) -> str:
    """The same with another mass of the hub in the last digits: what was compiled before does not serve."""
    line = next(line for line in text.splitlines() if line.startswith("mass = "))
    return text.replace(line, f"mass = {float(line.split()[2]) * (1 + 1e-9 * random.random())!r}", 1)


def builds(results: Results, limit: float = 240.0) -> None:
    for text, name, words, key in (
        (models.entry("FlexibleSatellite"), "BuiltSatellite", "FlexibleSatellite", "build_satellite"),
        (models.chain(100), "built100", "100 links", "build100"),
        (models.chain(300), "built300", "300 links", "build300"),
    ):
        try:
            build(TINY, "Tiny")  # warm: the runtime is compiled
            taken = min(build(_another(text), name, limit)[1] for _ in range(ROUNDS))
            results.row("f", f"build of {words} for the host, warm, CPU", taken, "s", key=key)
        except NotBuilt as error:
            results.row("f", f"build of {words} for the host", None, "s", str(error), key)
    code = "import sys; from spacefmu.fmu_src.cli.main import main; main()"
    path = folder() / "FlexibleSatellite.fmu"
    command = [sys.executable, "-c", code] if not _console() else [_console()]
    taken = min(_children([*command, "simulate", str(path), "--stop", "0.1"]) for _ in range(STARTS))
    results.row("f", "`spacefmu simulate` of a finished FMU, 0.1 s of motion, CPU", taken, "s", key="simulate")


def _children(command: list[str]) -> float:
    """Seconds of CPU that a command takes as a process."""
    before = os.times()
    subprocess.run(command, cwd=folder(), env=as_installed(), capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _console() -> str:
    place = Path(sys.executable).parent / "spacefmu"
    return str(place) if place.exists() else ""


def run(results: Results) -> None:
    flavours(results)
    steps(results)
    instances(results)
    builds(results)
