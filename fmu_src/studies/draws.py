"""The table of runs: values (runs, parameters) of a plan, in the plan's units; bit for bit the same for the same plan."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ..results.reading import read_numbers
from .distributions import drawn
from .plan import Drawn, Grid, ListedRuns, Plan

MOST_RUNS = 100_000_000


def draws(plan: Plan, folder: Path) -> tuple[tuple[str, ...], np.ndarray]:
    """Names of the parameters, and their values (runs, parameters). `folder`: where the file of a list is searched."""
    if isinstance(plan, ListedRuns):
        return _list(plan, folder)
    if isinstance(plan, Grid):
        return tuple(plan.parameters), _grid(plan)
    return tuple(plan.parameters), _drawn(plan)


def _grid(plan: Grid) -> np.ndarray:
    """Row r is the r-th combination; the last parameter varies fastest."""
    points = [axis.points() for axis in plan.parameters.values()]
    runs = math.prod(len(axis) for axis in points)
    if runs > MOST_RUNS:
        raise ValueError(f"the grid has {runs:.3g} points; at most {MOST_RUNS:.0e} are allowed")
    places = np.unravel_index(np.arange(runs), [len(axis) for axis in points])
    return np.column_stack([axis[place] for axis, place in zip(points, places, strict=True)])


def _drawn(plan: Drawn) -> np.ndarray:
    from scipy.stats import qmc

    size = len(plan.parameters)
    if plan.runs > MOST_RUNS:
        raise ValueError(f"runs is {plan.runs:.3g}; at most {MOST_RUNS:.0e} are allowed")
    if plan.method == "random":
        u = np.random.default_rng(plan.seed).random((plan.runs, size))
    elif plan.method == "latin_hypercube":
        u = qmc.LatinHypercube(size, rng=plan.seed).random(plan.runs)
    else:  # the sequence is balanced at powers of two: a power of two is generated, and the first ones are used
        u = qmc.Sobol(size, rng=plan.seed).random_base2((plan.runs - 1).bit_length())[: plan.runs]
    columns = [drawn(distribution, column) for distribution, column in zip(plan.parameters.values(), u.T, strict=True)]
    return np.column_stack(columns)


def _list(plan: ListedRuns, folder: Path) -> tuple[tuple[str, ...], np.ndarray]:
    names, values = read_numbers(folder / plan.file)
    strange = [name for name in plan.parameters if name not in names]
    if strange:
        raise ValueError(f"parameters.{strange[0]} is not a column of {plan.file}; there are {', '.join(names)}")
    return names, values
