"""The validation page's table of change points: parallelograms after 10 s, by host, formulation, communication step, rate and tolerance.

By itself, `python -m docs.change_point_table` prints the section.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from fmpy import extract, read_model_description, simulate_fmu

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.linkages import NATURAL, UNIFORM, parallelograms, swing

STOP, COUNTS, BAR = 10.0, (1, 2), 1000.0
RATES = (-1.0, -1.3, -1.6, -2.0, -3.0, -6.0)
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
BUILT_AT = -2.0  # rad/s, of which other rates are multiples
NATIVE, PYTHON, CVODE = "native, co-simulation", "Python, co-simulation", "native, model exchange in FMPy's CVode"
# Host, formulation, communication step or output interval.
ROWS = (
    *((NATIVE, "joints", step) for step in (1.0, 0.1, 0.01)),
    (PYTHON, "joints", 0.1),
    *((CVODE, "joints", step) for step in (1.0, 0.1, 0.01)),
)
Error = Callable[[int, float, float, float], float]  # of count, rate, tolerance, step


def description(count: int, form: str) -> str:
    return (
        f'name = "Bars{count}"\n' + (NATURAL if form == "natural" else "") + UNIFORM + parallelograms(count, BUILT_AT)
    )


def off(count: int, rate: float, angle: float, knee: float) -> float:
    wanted = swing(count, np.pi / 2.0, rate, STOP)[0]
    return max(abs(angle - wanted), abs(knee + wanted))


def in_fmpy(folder: Path, form: str, kind: str) -> Error:
    """Native FMUs; each is built once."""
    opened: dict[int, tuple] = {}

    def error(count, rate, tolerance, step):
        if count not in opened:
            path = build_native(load_text(description(count, form)), folder / f"{form}{count}.fmu", ["host"])
            opened[count] = extract(str(path), str(folder / f"{form}{count}{kind}")), read_model_description(str(path))
        unpacked, model = opened[count]
        speeds = [
            v for v in model.modelVariables if "rate" in v.name and v.start and v.causality in ("output", "local")
        ]
        run = simulate_fmu(
            unpacked, model_description=model, fmi_type=kind, stop_time=STOP, step_size=step, output_interval=step, relative_tolerance=tolerance,
            start_values={v.name: float(v.start) * rate / BUILT_AT for v in speeds}, output=["pivot0.angle", "knee0.angle"], record_events=False,
        )  # fmt: skip
        return off(count, rate, run["pivot0.angle"][-1], run["knee0.angle"][-1])

    return error


def in_python() -> Error:
    systems = {count: fast(load_text(description(count, "joints"))) for count in COUNTS}

    def error(count, rate, tolerance, step):
        system, solver = systems[count], Solver(systems[count], 1, tolerance)
        x = np.array(
            [state.start * (rate / BUILT_AT if "rate" in state.name else 1.0) for state in system.signals.states]
        )
        solver.place(0.0, *start(system, x=x))
        for i in range(round(STOP / step)):
            solver.advance((i + 1) * step)
        angle, knee = (solver.x[system.signals.where("states", name)] for name in ("pivot0.angle", "knee0.angle"))
        return off(count, rate, angle, knee)

    return error


def measured(rows=ROWS, rates=RATES, tolerances=TOLERANCES, counts=COUNTS) -> dict[tuple, float]:
    """Error over tolerance by (host, formulation, step, count, rate, tolerance)."""
    found = {}
    with TemporaryDirectory() as folder:
        kinds = {NATIVE: "CoSimulation", CVODE: "ModelExchange"}
        runs = {
            (host, form): in_python() if host == PYTHON else in_fmpy(Path(folder), form, kinds[host])
            for host, form, _ in rows
        }
        for host, form, step in rows:
            for count in counts:
                for rate in rates:
                    for tolerance in tolerances:
                        try:
                            error = runs[host, form](count, rate, tolerance, step)
                        except Exception:  # whatever a host makes of an FMU that refuses a step
                            error = math.inf
                        found[host, form, step, count, rate, tolerance] = error / tolerance
    return found


def change_points() -> str:
    return section(measured()) + natural_coordinates()


def natural_coordinates() -> str:
    """One parallelogram in natural coordinates."""
    hosts, step = (NATIVE, CVODE), 0.1
    found = measured(tuple((host, "natural", step) for host in hosts), counts=(1,))

    def row(host: str, tolerance: float) -> str:
        values = [value for key, value in found.items() if key[0] == host and key[5] == tolerance]
        carried = [value for value in values if value < math.inf]
        ended = f" ({len(values) - len(carried)} of {len(values)} ended)" if len(carried) < len(values) else ""
        return (f"{max(carried):,.2g}" if carried else "none") + ended

    rows = "\n".join(f"| {host} | {' | '.join(row(host, t) for t in TOLERANCES)} |" for host in hosts)
    return f"""
One parallelogram in natural coordinates, steps of {step:g} s, largest of the same rates. Runs that ended early were ended by the host, at its limit of 500 internal
steps per output.

The cause at 1e-12 is the FMU's: at a change point its rates have a round-off of up to 6e-11 (at a largest rate of 5; elsewhere 1e-14),
more than a host at 1e-12 accepts. SciPy's DOP853 stalls at the same time. Use 1e-10, or co-simulation.

| host | {" | ".join(f"{tolerance:.0e}" for tolerance in TOLERANCES)} |
|---|{"---|" * len(TOLERANCES)}
{rows}
"""


def section(found: dict[tuple, float]) -> str:
    def worst(rate=None, **wanted) -> str:
        names = ("host", "form", "step", "count", "rate", "tolerance")
        wanted |= {} if rate is None else {"rate": rate}
        values = [value for key, value in found.items() if wanted.items() <= dict(zip(names, key, strict=True)).items()]
        carried = [value for value in values if value < math.inf]
        refused = f" ({len(values) - len(carried)} refused)" if len(carried) < len(values) else ""
        return (f"{max(carried):,.0f}" if carried else "none") + refused

    over = [key for key, value in found.items() if BAR < value < math.inf]
    refused = sum(value == math.inf for value in found.values())
    header = " | ".join(f"{tolerance:.0e}" for tolerance in TOLERANCES)
    by_host = "\n".join(
        f"| {host} | {form} | {step:g} | {' | '.join(worst(host=host, form=form, step=step, tolerance=t) for t in TOLERANCES)} |"
        for host, form, step in ROWS
    )
    by_rate = "\n".join(
        f"| {rate:g} | {' | '.join(worst(rate, host=NATIVE, form='joints', tolerance=t) for t in TOLERANCES)} |"
        for rate in RATES
    )
    return f"""
## Linkages that pass change points

One and two parallelograms of equal rods (IFToMM's N-four-bar, N = 1, 2) pass a singular position every half turn. Error of the angles after
{STOP:g} s, over the tolerance: the largest of N = 1, 2 and of crank rates of {", ".join(f"{rate:g}" for rate in RATES)} rad/s.
Of {len(found)} runs {refused} were refused, and {len(over)} have an error above {BAR:,.0f} tolerances, {sum(key[0] != CVODE for key in over)} of them in co-simulation.

CVode has the same error for a pendulum of similar motion that is restarted at the same times, and up to 20,000 tolerances without restarts. With SciPy's DOP853
as a host of the same FMUs the error is at most 160 tolerances (tests/constraints/test_exchanged_linkages.py).

| host | coordinates | step [s] | {header} |
|---|---|---|{"---|" * len(TOLERANCES)}
{by_host}

The same by rate, native FMUs in co-simulation, joint coordinates, largest of all steps:

| rate [rad/s] | {header} |
|---|{"---|" * len(TOLERANCES)}
{by_rate}
"""


if __name__ == "__main__":
    print(change_points())
