"""Instances of Python FMUs with their log."""

from __future__ import annotations

import re
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE

OK, WARNING, DISCARD, ERROR, FATAL = range(5)
ROOT = Path(__file__).parent.parent.parent
GYRO = next(
    text
    for text in re.findall(r"```python[^\n]*\n(.*?)```", (ROOT / "docs/python_fmu.md").read_text("utf-8"), re.DOTALL)
    if "class Gyro" in text
)
# The same with a mistake: it raises at the first sample after t = 0.5.
BROKEN = GYRO.replace('return {"held": now.filtered + now.bias}', 'return {"held": 1.0 / 0.0 if now.t > 0.5 else 0.0}')


class Unit:
    """One instance of an unpacked Python FMU, with logging on."""

    def __init__(self, folder: Path, logging: bool = True):
        description = fmpy.read_model_description(str(folder))
        self.variables = {v.name: v for v in description.modelVariables}
        self.log: list[tuple[int, str, str]] = []
        self.callbacks = fmi2CallbackFunctions()
        self.callbacks.logger = fmi2CallbackLoggerTYPE(
            lambda _, __, s, c, m: self.log.append((s, (c or b"").decode(), m.decode()))
        )
        self.fmu = FMU2Slave(
            guid=description.guid,
            unzipDirectory=str(folder),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="unit",
        )
        self.fmu.instantiate(callbacks=self.callbacks, loggingOn=logging)

    def start(self, stop: float | None = None, **values) -> Unit:
        self.set(**values)
        self.fmu.setupExperiment(stopTime=stop)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self

    def set(self, **values):
        """Names have __ for dots."""
        for name, value in values.items():
            self.fmu.setReal([self.variables[name.replace("__", ".")].valueReference], [value])

    def __getitem__(self, name: str) -> float:
        return self.fmu.getReal([self.variables[name].valueReference])[0]

    def run(self, first: int, last: int, step: float = 0.1):
        for i in range(first, last):
            self.fmu.doStep(i * step, step)
        return self

    def everything(self) -> bytes:
        """All real values, bit for bit."""
        return np.array([self[v.name] for v in self.variables.values() if v.type == "Real"]).tobytes()

    def logged(self, *words: str) -> bool:
        """Is there one message of status error or discard with all these words in it?"""
        return any(
            status in (DISCARD, ERROR) and all(word in message for word in words) for status, _, message in self.log
        )


def status_of(call, *arguments) -> int:
    try:
        call(*arguments)
    except FMICallException as error:
        return error.status
    return OK
