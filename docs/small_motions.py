"""How exact small motions are at a host's tolerance: the catalogue's plants, at rest or not, with inputs far below their nominal values."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
from fmpy import simulate_fmu
from fmpy.sundials import CVodeSolver

from spacefmu.fmu_src import api, catalogue
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.results.events import events
from spacefmu.fmu_src.results.table import Result
from tests.constraints.exchange_hosts import Exchanged, NoInput, by_dop853

SMALL = {"N": 0.01, "N.m": 0.01, "K": 0.01}  # what is added to inputs of these units
TOLERANCES = (1e-3, 1e-4, 1e-6)
EXACT = 1e-12
HOSTS = 1e-4  # tolerance of OMSimulator and others
GOOD = 0.01  # of a vector's largest magnitude
STEPS = 100  # communication steps of a run, at most
FINER = 20  # communication steps of the run that tells the largest magnitudes, for one of the others
UNJUDGED = 1e-9  # of the nominal value: a vector that stays below is not judged
BESIDE = (
    2  # communication points next to an event, where an event that is found a little late shows the values of before it
)


def entries() -> list[str]:
    """Plants of the catalogue: what has states."""
    return [entry.name for entry in catalogue.entries() if entry.kind != "system" and api.load(entry.name).nx]


def small_inputs(system) -> dict[str, float]:
    """Inputs that push a little, in turn one way and the other; those that push one way only (thrusters), that way."""
    found = [signal for signal in system.signals.inputs if signal.unit in SMALL]
    signs = [1 if signal.min is not None else (-1) ** i for i, signal in enumerate(found)]
    return {s.name: s.start + sign * SMALL[s.unit] for s, sign in zip(found, signs, strict=True)}


def run(name: str, tolerance: float, finer: int = 1) -> Result:
    """Outputs of the native FMU over time."""
    system = api.load(name)
    step, stop = times(system)
    values = small_inputs(system) | {"solver.tolerance": tolerance}
    return api.simulate(system, stop=stop, step=step / finer, start_values=values)


def vectors(names) -> dict[str, list[str]]:
    """Names of the entries of each vector; quaternions go with the angular velocities, and are left out."""
    found: dict[str, list[str]] = {}
    for name in names:
        if name != "time" and "quaternion" not in name:
            found.setdefault(re.sub(r"\[[0-9,]+\]$", "", name), []).append(name)
    return found


def times(system) -> tuple[float, float]:
    """Communication step and stop time."""
    experiment = system.about.experiment
    return experiment["step"], min(experiment["stop"], STEPS * experiment["step"])


class Judged:
    """An entry's exact run; vectors: those that are judged; away: the communication points that no event is beside."""

    def __init__(self, name: str):
        self.name = name
        self.exact, fine = run(name, EXACT), run(name, EXACT, FINER)
        nominal = {state.name: state.nominal or 1.0 for state in api.load(name).signals.states}
        self.magnitudes = {
            vector: np.linalg.norm([fine[entry] for entry in its], axis=0).max()
            for vector, its in vectors(self.exact.names).items()
        }
        self.vectors = {
            vector: its
            for vector, its in vectors(self.exact.names).items()
            if self.magnitudes[vector] > UNJUDGED * nominal.get(its[0], 1.0)
        }

        step, switched = times(api.load(name))[0], [event.time for event in events(self.exact).found]
        beside = [np.abs(self.exact.time - t) <= BESIDE * step for t in switched]
        self.away = ~np.any([np.zeros(len(self.exact.time), bool), *beside], axis=0)

    def worst(self, found, where=slice(None)) -> tuple[float, str]:
        """The largest error of a vector over its largest magnitude in the run, and whose it is. where: the communication points."""
        return max(
            (
                float(
                    np.linalg.norm([found[e] - self.exact[e] for e in its], axis=0)[where].max() / self.magnitudes[v]
                ),
                v,
            )
            for v, its in self.vectors.items()
        )


def errors(name: str, tolerances=TOLERANCES) -> dict[float, tuple[float, str]]:
    """By tolerance."""
    return errors_of(Judged(name), tolerances)


def errors_of(judged: Judged, tolerances=TOLERANCES) -> dict[float, tuple[float, str]]:
    return {tolerance: judged.worst(run(judged.name, tolerance)) for tolerance in tolerances}


class RelativeOnly(CVodeSolver):
    """FMPy's CVode with an absolute part of next to nothing: what is left of its error is its own, whatever nominal values an FMU has."""

    def __init__(self, *args, get_nominals, **more):
        def next_to_nothing(values, count):
            get_nominals(values, count)
            for i in range(count):
                values[i] *= 1e-6

        super().__init__(*args, get_nominals=next_to_nothing, **more)


def exchanged(name: str, folder: Path, solver: type[CVodeSolver] = CVodeSolver) -> tuple[float, str]:
    """The same in model exchange, in FMPy's CVode at HOSTS."""
    judged = Judged(name)
    return judged.worst(run_exchanged(judged, folder, solver))


def run_exchanged(judged: Judged, folder: Path, solver: type[CVodeSolver] = CVodeSolver):
    system = api.load(judged.name)
    path = build_native(system, folder / f"{judged.name}.fmu", ["host"])
    step, stop = times(system)
    outputs = [entry for its in judged.vectors.values() for entry in its]
    with patch("fmpy.sundials.CVodeSolver", solver):
        return simulate_fmu(
            str(path), fmi_type="ModelExchange", relative_tolerance=HOSTS, stop_time=stop, output_interval=step, start_values=small_inputs(system),
            output=outputs, record_events=False,
        )  # fmt: skip


def run_by_dop853(judged: Judged, folder: Path) -> dict[str, np.ndarray]:
    """In SciPy's DOP853 at HOSTS. folder: where run_exchanged built the FMU."""
    path, system = folder / f"{judged.name}.fmu", api.load(judged.name)
    _, stop = times(system)
    outputs = [entry for its in judged.vectors.values() for entry in its]
    run = Exchanged(path, path.with_suffix(""), small_inputs(system))
    rows = [run.read(*outputs)]
    by_dop853(run, stop, HOSTS, stop / 50.0, judged.exact.time[1:], lambda: rows.append(run.read(*outputs)))
    run.close()
    return dict(zip(outputs, np.array(rows).T, strict=True))


def oscillator(beside: int, frequency: float = 8.7, damping: float = 0.003, stop: float = 10.0) -> float:
    """What FMPy's CVode errs by at HOSTS in an oscillator that a constant force pushes from rest, over its largest motion; beside: states that stand still.

    Nominal values are the largest magnitudes."""
    x = np.zeros(2 + beside)

    def taken(values, count):
        x[:] = values[:count]

    def give(found):
        return lambda values, _: [values.__setitem__(i, value) for i, value in enumerate(found())]

    def rates():
        return [x[1], frequency**2 * (1.0 - x[0]) - 2.0 * damping * frequency * x[1], *([0.0] * beside)]

    nominals = [2.0, 2.0 * frequency, *([1.0] * beside)]
    solver = CVodeSolver(
        len(x), 0, give(lambda: x), taken, give(rates), lambda *_: None, give(lambda: nominals), lambda _: None, NoInput(), 0.0, maxStep=stop / 50.0, relativeTolerance=HOSTS
    )  # fmt: skip
    t, worst, damped = 0.0, 0.0, frequency * np.sqrt(1.0 - damping**2)
    for i in range(STEPS):
        _, _, t = solver.step(t, (i + 1) * stop / STEPS)
        swing = np.cos(damped * t) + damping * frequency / damped * np.sin(damped * t)
        worst = max(worst, abs(x[0] - 1.0 + np.exp(-damping * frequency * t) * swing) / 2.0)
    return worst


def per_cent(share: float) -> str:
    return f"{100 * share:.2g}"


def small_motions() -> str:
    """The section of the validation page."""
    rows, missed = [], []
    with TemporaryDirectory() as folder:
        for name in entries():
            judged = Judged(name)
            found, here = errors_of(judged), run_exchanged(judged, Path(folder))
            error, vector = judged.worst(here)
            shares = " | ".join(per_cent(share) for share, _ in found.values())
            rows.append(f"| {name} | {shares} | `{found[HOSTS][1]}` | {per_cent(error)} | `{vector}` |")
            if error > GOOD:
                away, its = judged.worst(here, judged.away)
                alone, high = run_exchanged(judged, Path(folder), RelativeOnly), run_by_dop853(judged, Path(folder))
                least = error, away, judged.worst(alone, judged.away)[0], judged.worst(high)[0]
                missed.append(f"| {name} | {' | '.join(map(per_cent, least))} | `{its}` |")
    by_itself, among = (per_cent(oscillator(beside)) for beside in (0, 23))
    return f"""## Small motions and tolerances

Native FMUs of the catalogue in co-simulation, over {STEPS} communication steps with inputs of 0.01 N, 0.01 N m, 0.01 K: the largest error of any vector output, in per cent of
the largest magnitude that the vector has in the run, against a tolerance of {EXACT:g}. Vectors that stay below {UNJUDGED:g} of their nominal value are left out.

The last columns are model exchange in FMPy's CVode at {HOSTS:g}. It controls the mean error over all states, and damps oscillations. An oscillator of
8.7 rad/s whose nominal value is its amplitude has an error of {by_itself} % there after 10 s, and of {among} % with 23 further states at rest. So FMUs give hosts nominal values that are a fraction of the motion.

| entry | {" | ".join(f"{tolerance:g}" for tolerance in TOLERANCES)} | largest at 1e-4 | exchanged | largest |
|---|{"---|" * (len(TOLERANCES) + 3)}
{chr(10).join(rows)}

These miss {100 * GOOD:g} % in model exchange in CVode. The host causes these errors: with SciPy's DOP853 as the host of the same FMUs, at the same tolerance and with steps of the same length, the error is that of
the column "DOP853". Tiny nominal values remove the absolute part of CVode's tolerance ("relative part only", away from events); the remaining
error comes from its own control of the relative part.

The second column leaves out the {BESIDE} communication points on each side of every event: if a host locates an event a little late, they still show the values from before it. At an event
on a communication point co-simulation shows the values before it, FMPy's model exchange those after it (Separation at 6 s).

| entry | exchanged | away from events | relative part only | DOP853 | largest in the second column |
|---|---|---|---|---|---|
{chr(10).join(missed)}
"""


if __name__ == "__main__":
    print(small_motions())
