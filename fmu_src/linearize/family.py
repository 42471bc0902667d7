"""Families: linear models of one System over a grid of parameters or start values, in the form that robust-control tools use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from spacefmu.dynamics.linearize.linear import Linear
from spacefmu.dynamics.linearize.reduce import NotLinearizable
from spacefmu.dynamics.system.contract import System

from ..native.trace.jacobian import ExactDerivatives
from .files import contents
from .model import linearize


@dataclass(frozen=True)
class Family:
    """Models over the points of a grid, the last name varying fastest; all with the same states, inputs and outputs."""

    grid: dict[str, np.ndarray]
    points: np.ndarray  # (number of points, number of names)
    models: tuple[Linear, ...]

    def contents(self) -> dict:
        """Arrays with a first axis of points, and the grid: `grid_names`, `grid_points`."""
        parts = [contents(model) for model in self.models]
        first = parts[0]
        stacked = {
            key: np.array([part[key] for part in parts]) if isinstance(first[key], np.ndarray) else first[key]
            for key in first
        }
        stacked["time_varying"] = any(part["time_varying"] for part in parts)
        return stacked | {"grid_names": list(self.grid), "grid_points": self.points}


def family(
    system: System, grid: Mapping[str, Sequence[float]], values: Mapping[str, object] | None = None, **options
) -> Family:
    """The models at all points of the grid (name → values); other `values` and options as for `linearize`."""
    if not grid:
        raise ValueError("a family needs a grid: give at least one name with several values")
    derivatives = ExactDerivatives(system)
    points = list(product(*grid.values()))
    models: list[Linear] = []
    for point in points:
        at = dict(zip(grid, point, strict=True))
        model = linearize(system, values={**(values or {}), **at}, derivatives=derivatives, **options)
        if models and model.states != models[0].states:
            raise NotLinearizable(
                f"{system.name}: at {at} the independent states are {', '.join(s.name for s in model.states)}, at the first point "
                f"{', '.join(s.name for s in models[0].states)}; choose a grid over which they stay the same"
            )
        models.append(model)
    return Family(
        {name: np.array(values, float) for name, values in grid.items()}, np.array(points, float), tuple(models)
    )
