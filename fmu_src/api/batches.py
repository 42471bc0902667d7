"""Many runs, stepped together."""

from __future__ import annotations

from pathlib import Path

from spacefmu.dynamics.system.contract import System

from ..batch.batch import LaneBatch
from ..batch.library import batch_model
from .models import load


class Batch(LaneBatch):
    """`runs` instances of a model, stepped together: several share one SIMD vector, and vectors are spread over the cores.

    model: a description file, a catalogue entry, a system (it becomes one model), or a System.
    lanes: runs per vector; default: as many doubles as one instruction of this machine takes. threads: default: one per core.
    With the same number of lanes, results are bit for bit the same for any number of threads. Use it in a `with` block, or `close` it.
    """

    def __init__(self, model: System | Path | str, runs: int, lanes: int | None = None, threads: int | None = None):
        self.system = model if isinstance(model, System) else load(model)
        super().__init__(batch_model(self.system), runs, lanes, threads)
