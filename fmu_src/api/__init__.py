"""spacefmu in ten lines, for notebooks and scripts.

from fmu_src import api as spacefmu

craft = spacefmu.load("HingedPanel")                     # a catalogue name or a description file
fmu = spacefmu.build(craft, "HingedPanel.fmu")           # native FMU for this machine
run = spacefmu.simulate(fmu, stop=30.0, start_values={"hub.mass": 410.0, "panel.mode[1].amplitude": 0.01})
tip = run["panel.tip.displacement"]                      # array (n, 3) over run.time (n,)
spacefmu.plot(run, ["panel.tip.displacement", "hub.angular_velocity"])
run.write("run.csv")                                     # or .npz, .mat; read_table("run.csv") reads it again, with units

slew = spacefmu.cosimulate("AttitudeSlew")               # plant and controller, coupled

spread = spacefmu.sweep("spread.toml")                   # many runs on all cores; spread.table is the table of them
run17 = spacefmu.repeat(spread.folder, 17)               # one of them again
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamics.system import System

from .. import catalogue
from ..results import Result, read_table
from ..results.events import events
from ..results.plot import plot
from .models import Source, build, inverse, load, only_look, python_of, warnings
from .running import linearize, simulate
from .showing import look, report, run, seen_names
from .sweeps import plot_sweep, python_of_plan, read_sweep, repeat, sweep
from .systems import cosimulate, pack, read_coupled

if TYPE_CHECKING:
    from .. import linearize as linearized

__all__ = [
    "Result",
    "Source",
    "System",
    "build",
    "catalogue",
    "cosimulate",
    "events",
    "inverse",
    "linearize",
    "linearized",
    "load",
    "look",
    "only_look",
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
