"""(k) FMI 3.0 against FMI 2.0 of the same model: time per communication step, and per call that gets all real outputs."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

import fmpy
import numpy as np

from spacefmu.fmu_src import api
from spacefmu.fmu_src.archive.description import read_description
from spacefmu.fmu_src.cosim.loop import Loop, kept_groups

from .driver import loops, unpacked
from .results import Results, folder
from .timing import alternate

NAMES = ("FlexibleSatellite", "FourBar", "AttitudeController")
STEPS = 300
SIZE = 0.05  # [s]


class Initialized:
    """An instance in co-simulation, of either version."""

    def __init__(self, name: str, version: int):
        path = api.build(name, folder() / f"{name}_fmi{version}.fmu", fmi=version)
        self.version, self.description = version, read_description(path)
        self.fmu = fmpy.instantiate_fmu(str(unpacked(path)), self.description, "CoSimulation")
        self.outputs = [
            v for v in self.description.modelVariables if v.causality == "output" and v.type in ("Real", "Float64")
        ]
        self.start()

    def start(self) -> None:
        if self.version == 2:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def runs(self, outputs: bool) -> Callable[[int], float]:
        """Chunk: a run of STEPS steps from the start, with or without all outputs read after each."""
        points = SIZE * np.arange(STEPS + 1.0)
        kept = kept_groups(f"{self.version}.0", self.outputs, len(points))[0] if outputs else []

        def chunk(n: int) -> float:
            taken = 0
            for _ in range(n):
                self.fmu.reset()
                self.start()
                loop = Loop(self.fmu, f"{self.version}.0", points, [], kept)
                begin = time.process_time_ns()
                loop.run()
                taken += time.process_time_ns() - begin
            return taken / n

        return chunk

    def gets(self) -> Callable[[int], float]:
        """Chunk: one call for all real outputs."""
        references = np.array([v.valueReference for v in self.outputs], np.uint32)
        values = np.zeros(sum(int(np.prod(v.shape or ())) for v in self.outputs))
        name, size = {2: ("fmi2GetReal", ()), 3: ("fmi3GetFloat64", (len(values),))}[self.version]
        call = getattr(loops(), {2: "loop_values", 3: "loop_values3"}[self.version])
        function = ctypes.cast(getattr(self.fmu.dll, name), ctypes.c_void_p)
        places = (references.ctypes.data, len(references), values.ctypes.data, *size)

        def chunk(n: int, held=(references, values)) -> float:
            taken = call(function, self.fmu.component, *places, n)
            assert taken > 0.0, f"{name} was refused"
            return taken

        return chunk


def run(results: Results) -> None:
    for name in NAMES:
        units = {version: Initialized(name, version) for version in (2, 3)}
        steps = alternate({str(v): unit.runs(False) for v, unit in units.items()})
        read = alternate({str(v): unit.runs(True) for v, unit in units.items()})
        gets = alternate({str(v): unit.gets() for v, unit in units.items()})
        counts = [len(units[version].outputs) for version in (2, 3)]
        results.row("k", f"{name}: a step, FMI 3.0 over 2.0", steps["3"] / steps["2"], key="fmi3_step")
        results.row("k", f"{name}: a step with all outputs read", read["3"] / read["2"], key="fmi3_step")
        note = f"{counts[0]} references in FMI 2.0, {counts[1]} in FMI 3.0; {gets['2']:.0f} and {gets['3']:.0f} ns"
        results.row("k", f"{name}: one call for all real outputs", gets["3"] / gets["2"], note=note, key="fmi3_get")
        for unit in units.values():
            unit.fmu.freeInstance()
