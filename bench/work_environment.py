"""(l) The environment of a real orbit: one evaluation of FlexibleSatellite with J2, with harmonics, Sun, Moon and Harris–Priester, in N and on the mission's frame.

Ratios of one run; CPU time of `rates` alone.
"""

from __future__ import annotations

from . import models
from .driver import NotBuilt, build, rates_of
from .results import Results
from .timing import alternate

CENTRAL = '\n[environment]\ngravity = "central"\n'
DATED = "[environment.time]\nepoch = 2026-03-20T12:00:00Z\n"
STATE = "[bodies.hub.initial]\nposition = [0.0, 6.9e6, 2.0e4]\nvelocity = [5.0e3, 0.0, 5.5e3]\n"
PLATE = '[surfaces.wing]\nbody = "panel"\nplace = [0.0, 2.25, 0.0]\nnormal = "z"\narea = 7.2\nboth_sides = true\n'
EXPONENTIAL = "[environment.air]\ndensity = 3.7e-12\nheight = 4.0e5\nscale_height = 5.8e4\n"
HARRIS_PRIESTER = '[environment.air]\nmodel = "Harris-Priester"\n'


def around(degree: int) -> str:
    return f"{DATED}[environment.harmonics]\ndegree = {degree}\n[environment.third_bodies]\n"


def texts() -> dict[str, str]:
    """Descriptions by what they have."""
    craft = models.entry("FlexibleSatellite").replace("[bodies.hub]", f"{STATE}[bodies.hub]", 1) + PLATE
    mission = models.mission()
    return {
        "J2": f"{craft}{CENTRAL}j2 = true\n[environment.sun]\n{EXPONENTIAL}",
        "8 × 8, Sun, Moon, Harris–Priester": f"{craft}{CENTRAL}{around(8)}[environment.sun]\n{HARRIS_PRIESTER}",
        "36 × 36, Sun, Moon, Harris–Priester": f"{craft}{CENTRAL}{around(36)}[environment.sun]\n{HARRIS_PRIESTER}",
        "mission": mission,
        "mission, 36 × 36, Sun, Moon": mission.replace("j2 = true\n", "").replace("date = 2026-06-21T08:25:00Z\n", "")
        + around(36),
    }


def run(results: Results) -> None:
    rates = {}
    for number, (name, text) in enumerate(texts().items()):
        try:
            path, _ = build(text, f"environment{number}")
        except NotBuilt as error:
            results.row("l", name, None, note=str(error), key=f"environment{number}")
            continue
        rates[name] = rates_of(path)
    taken = alternate({name: each.chunk(1) for name, each in rates.items()})
    for number, (name, nanoseconds) in enumerate(taken.items()):
        results.row("l", f"`rates`, {name}", nanoseconds, "ns", key=f"rates{number}")
    first, eighth, full, plain, mission = taken.values()
    results.row("l", "8 × 8, Sun, Moon, Harris–Priester by J2", eighth / first, key="environment8")
    results.row(
        "l",
        "36 × 36 beside it, by the mission's evaluation",
        (full - eighth) / plain,
        key="environment36",
    )
    results.row(
        "l", "the same on the mission's frame, where O falls too", (mission - plain) / plain, key="environmentO"
    )
