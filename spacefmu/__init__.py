"""Spacecraft as FMUs, from Python.

import spacefmu

craft = spacefmu.load("HingedPanel")                     # a catalogue name or a description file
fmu = spacefmu.build(craft, "HingedPanel.fmu")           # native FMU for this machine
run = spacefmu.simulate(fmu, stop=30.0, start_values={"hub.mass": 410.0, "panel.mode[1].amplitude": 0.01})
tip = run["panel.tip.displacement"]                      # array (n, 3) over run.time (n,)
spacefmu.plot(run, ["panel.tip.displacement", "hub.angular_velocity"])
run.write("run.csv")                                     # or .npz, .mat; read_table("run.csv") reads it again, with units

slew = spacefmu.cosimulate("AttitudeSlew")               # plant and controller, coupled

spread = spacefmu.sweep("spread.toml")                   # many runs on all cores; spread.table is their table
run17 = spacefmu.repeat(spread.folder, 17)               # one of them again

The public names are those of fmu_src/api, stated there once. Of `spacefmu.dynamics` and `spacefmu.fmu_src` only what the
documentation names (blocks and pieces of your own) is public; everything else may change with any version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from .fmu_src.api import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """A public name, imported when first used: so `import spacefmu` and every command start quickly."""
        if name == "__version__":
            from importlib.metadata import version

            return version("spacefmu")
        from .fmu_src import api

        if name == "__all__" or name in api.__all__:
            return getattr(api, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from .fmu_src import api

    return list(api.__all__)
