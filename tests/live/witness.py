"""The default experiment of a System three ways: as WebAssembly in node, natively with the same C library, and as its FMU."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np

from spacefmu.fmu_src.interface.variables import Variable, variables_of
from spacefmu.fmu_src.live.module import module_of, sources_of
from spacefmu.fmu_src.native.platforms import compile as compiling
from tests.catalogue_fmus import system_of
from tests.cli.command import ROOT

MUSL = "x86_64-linux-musl"  # zig's; wasi's C library has the same mathematical functions
TYPES = {"real": 0, "integer": 1, "enumeration": 1, "boolean": 2}


class Experiment:
    """Default experiment of a catalogue entry: step, steps, and the outputs that are compared."""

    def __init__(self, name: str):
        self.system = system_of(name)
        self.variables = variables_of(self.system)
        self.outputs: list[Variable] = [v for v in self.variables if v.causality == "output"]
        self.names = [v.name for v in self.outputs]
        given = self.system.about.experiment
        self.tolerance, self.step, self.stop = (float(given[key]) for key in ("tolerance", "step", "stop"))
        self.steps = round(self.stop / self.step)

    def in_node(self, folder: Path) -> tuple[np.ndarray, dict]:
        """Rows at the communication points, and what node says: seconds, and whether a saved state gave the same numbers again."""
        module, table, out = folder / "model.wasm", folder / "table.json", folder / "rows"
        module.write_bytes(module_of(self.system, self.variables))
        references = [v.reference for v in self.outputs]
        table.write_text(json.dumps({"tolerance": self.tolerance, "step": self.step, "steps": self.steps, "references": references}))  # fmt: skip
        script = [ROOT / "tests/live/experiment.mjs", ROOT / "fmu_src/live/model.js", module, table, out]
        said = subprocess.run(["node", *script], capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr
        return np.fromfile(out).reshape(self.steps + 1, -1), json.loads(said.stdout)

    def native(self, folder: Path) -> tuple[np.ndarray, float]:
        """The same by the functions of FMI 2.0, in a program of the same C library; and its seconds."""
        runtime = compiling.runtime_sources()
        own = {name: text for name, text in sources_of(self.system, self.variables).items() if name != "picture.c"}
        texts = runtime | compiling.fmi_headers() | own | {"names.h": "", "native.c": (ROOT / "tests/live/native.c").read_text()}  # fmt: skip
        program = folder / "native"
        command = [compiling._zig(), "cc", "-target", MUSL]
        program.write_bytes(compiling._linked(command, texts, runtime, ("-static", "-s")))
        program.chmod(0o755)
        pairs = "\n".join(f"{v.reference} {TYPES[v.signal.kind]}" for v in self.outputs)
        line = [program, repr(self.tolerance), repr(self.step), str(self.steps), str(len(self.outputs))]
        said = subprocess.run(line, input=pairs.encode(), capture_output=True, check=False)
        assert said.returncode == 0, said.stderr
        rows = np.frombuffer(said.stdout).reshape(self.steps + 1, -1)
        return rows, float(said.stderr.split()[-1])
