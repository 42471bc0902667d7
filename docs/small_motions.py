"""How exact small motions are at a host's tolerance: the catalogue's plants, at rest or not, with inputs far below their nominal values."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from spacefmu.fmu_src import api, catalogue

SMALL = {"N": 0.01, "N.m": 0.01, "K": 0.01}  # what is added to inputs of these units
TOLERANCES = (1e-3, 1e-4, 1e-6)
EXACT = 1e-12
STEPS = 100  # communication steps of a run, at most
FINER = 20  # communication steps of the run that tells the largest magnitudes, for one of the others
UNJUDGED = 1e-9  # of the nominal value: a vector that stays below is not judged


def entries() -> list[str]:
    """Plants of the catalogue: what has states."""
    return [entry.name for entry in catalogue.entries() if entry.kind != "system" and api.load(entry.name).nx]


def small_inputs(system) -> dict[str, float]:
    """Inputs that push a little, in turn one way and the other."""
    found = [signal for signal in system.signals.inputs if signal.unit in SMALL]
    return {s.name: s.start + (-1) ** i * SMALL[s.unit] for i, s in enumerate(found)}


def run(name: str, tolerance: float, finer: int = 1) -> Mapping[str, np.ndarray]:
    """Outputs of the native FMU over time by name."""
    system = api.load(name)
    experiment = system.about.experiment
    step, stop = experiment["step"], min(experiment["stop"], STEPS * experiment["step"])
    values = small_inputs(system) | {"solver.tolerance": tolerance}
    table = api.simulate(system, stop=stop, step=step / finer, start_values=values)
    return {column: np.asarray(table[column]) for column in table.names}


def vectors(names) -> dict[str, list[str]]:
    """Names of the entries of each vector; quaternions go with the angular velocities, and are left out."""
    found: dict[str, list[str]] = {}
    for name in names:
        if name != "time" and "quaternion" not in name:
            found.setdefault(re.sub(r"\[[0-9,]+\]$", "", name), []).append(name)
    return found


def errors(name: str, tolerances=TOLERANCES) -> dict[float, tuple[float, str]]:
    """Tolerance → the largest error of a vector over its largest magnitude in the run, and whose it is."""
    exact, fine = run(name, EXACT), run(name, EXACT, FINER)
    system = api.load(name)
    nominal = {state.name: state.nominal or 1.0 for state in system.signals.states}
    magnitudes = {
        vector: np.linalg.norm([fine[entry] for entry in its], axis=0).max() for vector, its in vectors(exact).items()
    }
    judged = {
        vector: its
        for vector, its in vectors(exact).items()
        if magnitudes[vector] > UNJUDGED * nominal.get(its[0], 1.0)
    }

    def worst(found) -> tuple[float, str]:
        return max(
            (float(np.linalg.norm([found[e] - exact[e] for e in its], axis=0).max() / magnitudes[v]), v)
            for v, its in judged.items()
        )

    return {tolerance: worst(run(name, tolerance)) for tolerance in tolerances}


def small_motions() -> str:
    """The section of the validation page."""
    rows = []
    for name in entries():
        found = errors(name)
        at_host = found[1e-4][1]
        rows.append(f"| {name} | {' | '.join(f'{100 * error:.2g}' for error, _ in found.values())} | `{at_host}` |")
    return f"""## Small motions and tolerances

Native FMUs of the catalogue in co-simulation, over {STEPS} communication steps with inputs of 0.01 N, 0.01 N m, 0.01 K: the largest error of any vector output, in per cent of
the largest magnitude that the vector has in the run, against a tolerance of {EXACT:g}. Vectors that stay below {UNJUDGED:g} of their nominal value are not judged.

| entry | {" | ".join(f"{tolerance:g}" for tolerance in TOLERANCES)} | largest at 1e-4 |
|---|{"---|" * (len(TOLERANCES) + 1)}
{chr(10).join(rows)}
"""


if __name__ == "__main__":
    print(small_motions())
