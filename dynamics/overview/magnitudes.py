"""Warnings about numbers that are allowed but probably not intended, with a guess of the intended one.

A warning is a row of WARNINGS: its quantities, its condition and its text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..spacecraft.motion import Dynamics
from ..spacecraft.spin import softening, spinning_fast
from ..spacecraft.structure import Spacecraft
from ..spacecraft.system import spacecraft_system
from ..system.contract import System
from ..system.evaluate import Refused, start
from ..system.signals import Bag, Quantity
from .proportions import proportions

TURN = 2.0 * math.pi


@dataclass(frozen=True)
class Warning:
    """Quantities with the unit whose names end with `ending`; `odd(value)`: whether to warn; `meant(value)`: the end of the sentence."""

    unit: str
    odd: Callable[[float], bool]
    meant: Callable[[float], str]
    ending: str = ""
    groups: tuple[str, ...] = ("parameters", "states", "inputs")


WARNINGS = (
    Warning("rad", lambda a: abs(a) > TURN, lambda a: f'more than a turn ({math.degrees(a):.0f}°); perhaps "{a:g} deg" was meant'),
    Warning("rad/s", lambda w: abs(w) > 2000.0, lambda w: f"{w / TURN * 60:.0f} rpm; perhaps {w:g} rpm, {w / 60 * TURN:.4g} rad/s, was meant"),
    Warning("rad", lambda i: math.pi < abs(i) <= TURN, lambda i: f'more than half a turn; perhaps "{i:g} deg" was meant', ".orbit.inclination", ("parameters",)),
    Warning("rad/s", lambda w: 20.0 < abs(w) <= 2000.0, lambda w: f"{w / TURN * 60:.0f} rpm; perhaps {w:g} deg/s, {math.radians(w):.4g} rad/s, was meant", ".angular_velocity", ("states",)),
    Warning("rad/s", lambda w: 20.0 < abs(w) <= 2000.0, lambda w: f"{w / TURN * 60:.0f} rpm; perhaps {w:g} deg/s, {math.radians(w):.4g} rad/s, was meant", ".rate", ("states",)),
    Warning("m2", lambda area: area > 5000.0, lambda area: f"perhaps mm² were meant, {area * 1e-6:g} m²", ".area", ("parameters",)),
    Warning("m", lambda h: 0.0 < h < 2e4, lambda h: f"hardly above the ground; perhaps {h:g} km, {1000 * h:g} m, was meant", "environment.air.height", ("parameters",)),
    Warning("m", lambda h: h < 1e3, lambda h: f"the air would end within {10 * h:g} m; perhaps {h:g} km, {1000 * h:g} m, was meant", "environment.air.scale_height", ("parameters",)),
    Warning("1", lambda z: z > 1.0, lambda z: f"more than critical; perhaps {z:g} %, {z / 100:g}, was meant", ".damping", ("parameters",)),
    Warning("Hz", lambda f: f > 5000.0, lambda f: f"a period of {1e3 / f:.2g} ms; perhaps {f / 1000:g} Hz was meant"),
    Warning("Hz", lambda f: 0.0 < f < 1e-4, lambda f: f"a period of {1 / f / 3600:.2g} hours"),
    Warning("kg", lambda m: m > 1e6, lambda m: f"{m / 1000:.3g} t; perhaps grams were meant, {m / 1000:g} kg"),
    Warning("kg", lambda m: 0.0 < m < 1e-6, lambda m: "less than a milligram; perhaps tonnes were meant"),
    Warning("m", lambda r: abs(r) > 500.0, lambda r: f"perhaps millimetres were meant, {r / 1000:g} m", ".mass_center", ("parameters",)),
    Warning("m", lambda r: abs(r) > 500.0, lambda r: f"perhaps millimetres were meant, {r / 1000:g} m", ".place", ("parameters",)),
    Warning("m/s2", lambda g: abs(g) > 300.0, lambda g: f"{g / 9.81:.0f} times the Earth's gravity"),
)  # fmt: skip

FEEBLE, WIDE = 1e-4, 50.0  # [m] implausible radius of gyration of a body


def warnings(system: System) -> list[str]:
    """All sentences, without repeats."""
    return list(
        dict.fromkeys(
            [*_by_unit(system), *_gyration(system), *_spinning(system), *_experiment(system), *proportions(system)]
        )
    )


def _by_unit(system: System) -> Iterator[str]:
    for row in WARNINGS:
        for group in row.groups:
            for entry in getattr(system.signals, group):
                if _looked_at(entry, row) and row.odd(float(entry.start)):
                    yield f"{entry.name} is {float(entry.start):g}{f' {entry.unit}' if entry.unit != '1' else ''}: {row.meant(float(entry.start))}"


def _looked_at(entry: Quantity, row: Warning) -> bool:
    name = entry.name.partition("[")[0] if entry.name.endswith("]") and row.ending != ".damping" else entry.name
    return entry.unit == row.unit and entry.kind == "real" and name.endswith(row.ending)


def _gyration(system: System) -> Iterator[str]:
    """J = m r²: a body of 450 kg with 2·10¹¹ kg m² would be 20 km wide."""
    masses = {
        e.name.removesuffix(".mass"): float(e.start) for e in system.signals.parameters if e.name.endswith(".mass")
    }
    for entry in system.signals.parameters:
        body, _, about = entry.name.partition(".inertia.")
        mass = masses.get(body, 0.0)
        if about not in ("xx", "yy", "zz") or not mass > 0.0:
            continue
        inertia = float(entry.start)
        radius = math.sqrt(max(inertia, 0.0) / mass)
        if radius > WIDE:
            yield (
                f"{entry.name} is {inertia:g} kg m² on {mass:g} kg: a radius of gyration of {radius:.3g} m; "
                f"perhaps kg mm² were meant, {inertia * 1e-6:g} kg m²"
            )
        elif 0.0 < radius < FEEBLE:
            yield f"{entry.name} is {inertia:g} kg m² on {mass:g} kg: a radius of gyration of {1e6 * radius:.2g} µm"


def _spinning(system: System) -> list[str]:
    """Bodies that spin fast at the start and whose modes do not stiffen."""
    made, craft = system.made_by if system.made_by is not None else (None, None)
    if made is not spacecraft_system or not isinstance(craft, Spacecraft) or craft.formulation != "tree":
        return []
    if not softening(craft):
        return []
    try:
        x, u, k, d = start(system)
    except Refused:
        return []
    bodies, _ = Dynamics(craft, system.signals).placed(0.0, x, u, k, d)
    return spinning_fast(craft, [body.omega for body in bodies], Bag(system.signals, "parameters", k))


def _experiment(system: System) -> Iterator[str]:
    stop, step, tolerance = (float(system.about.experiment[key]) for key in ("stop", "step", "tolerance"))
    if step > stop:
        yield f"experiment.step is {step:g} s, more than the stop at {stop:g} s"
    if tolerance > 1e-2:
        yield f"experiment.tolerance is {tolerance:g}: a relative error of {100 * tolerance:g} % a step"


def input_warnings(last: float) -> list[str]:
    """Of a table of inputs until `last` [s]; one that begins after the stop is refused (fmu_src/cosim/single.py)."""
    if last < 0.0:
        return [f"the inputs end at {last:g} s, before the run begins: their last values hold throughout"]
    return []
