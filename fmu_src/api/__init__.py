"""The public functions, by what they do: models, looking, running, systems, showing, sweeps. Users import them as `spacefmu`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacefmu.dynamics.system.contract import System

from .. import catalogue
from ..results import Result, read_table
from ..results.events import events
from ..results.plot import plot
from .batches import Batch
from .looking import check, info, modes, overview, schema
from .models import Source, build, inverse, load, only_look, python_of, warnings
from .running import linearize, simulate
from .showing import live, look, report, run, seen_names
from .sweeps import plot_sweep, python_of_plan, read_sweep, repeat, sweep
from .systems import cosimulate, pack, read_coupled

if TYPE_CHECKING:
    from .. import linearize as linearized

__all__ = [
    "Batch",
    "Result",
    "Source",
    "System",
    "build",
    "catalogue",
    "check",
    "cosimulate",
    "events",
    "info",
    "inverse",
    "linearize",
    "linearized",
    "live",
    "load",
    "look",
    "modes",
    "only_look",
    "overview",
    "pack",
    "plot",
    "plot_sweep",
    "python_of",
    "python_of_plan",
    "read_coupled",
    "read_sweep",
    "read_table",
    "repeat",
    "report",
    "run",
    "schema",
    "seen_names",
    "simulate",
    "sweep",
    "warnings",
]


def __getattr__(name: str) -> object:
    if name == "linearized":
        from .. import linearize

        return linearize
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
