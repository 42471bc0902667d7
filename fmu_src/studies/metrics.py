"""Metrics: one number per run, computed from the recorded variables. One row of KINDS each; users add more in a Python file.

For an array, its norm √(x₁² + x₂² + …) at every instant is used; for a scalar, its value.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import model_validator

from spacefmu.dynamics.description.fields import NotNegative, Number, Positive, Table

from ..results.table import Result


def _settling_time(time: np.ndarray, x: np.ndarray, metric: Metric) -> float | None:
    """The first instant after which |x − target| ≤ band; none if the last value is outside."""
    outside = np.flatnonzero(~(np.abs(x - metric.target) <= metric.band))
    if outside.size == 0:
        return float(time[0])
    return float(time[outside[-1] + 1]) if outside[-1] + 1 < len(time) else None


# time (n,) [s], x (n,), the metric's table → the number
KINDS: dict[str, Callable[[np.ndarray, np.ndarray, Metric], float | None]] = {
    "max": lambda time, x, metric: float(np.max(x)),
    "min": lambda time, x, metric: float(np.min(x)),
    "largest": lambda time, x, metric: float(np.max(np.abs(x))),
    "mean": lambda time, x, metric: float(np.mean(x)),
    "rms": lambda time, x, metric: float(np.sqrt(np.mean(x**2))),
    "final": lambda time, x, metric: float(x[-1]),
    "settling_time": _settling_time,
}


class Metric(Table):
    """`kind` of `of`, a variable or an array, from `after` [s] on; `worst`: whether the largest or the smallest value is worst."""

    of: str
    kind: Literal["max", "min", "largest", "mean", "rms", "final", "settling_time"]
    after: NotNegative = 0.0
    unit: str = ""
    target: Number = 0.0  # of settling_time, as band in `unit`
    band: Positive | None = None
    worst: Literal["largest", "smallest"] = "largest"

    @model_validator(mode="after")
    def _band(self):
        if (self.kind == "settling_time") != (self.band is not None):
            raise ValueError("expected `band` with the kind settling_time, and only there")
        return self


@dataclass(frozen=True)
class Measure:
    """A metric with data of the model: the recorded names, and shown value = factor · value + offset."""

    metric: Metric
    names: tuple[str, ...]
    unit: str
    factor: float = 1.0
    offset: float = 0.0

    def __call__(self, result: Result) -> float | None:
        part = result.chosen(self.names)
        kept = part.time >= self.metric.after - 1e-9 * max(1.0, self.metric.after)
        x = part.values[kept] * self.factor + self.offset
        x = x[:, 0] if len(self.names) == 1 else np.linalg.norm(x, axis=1)
        return KINDS[self.metric.kind](part.time[kept], x, self.metric)


class OwnMetrics:
    """The functions of a user's Python file: each takes a run's Result and returns a number; the function's name is the metric's.

    Names that begin with _ are ignored. The text is sent to the workers, and runs there.
    """

    def __init__(self, name: str, text: str):
        self.name, self.text = name, text
        self.functions = _functions(name, text)

    def __reduce__(self):
        return OwnMetrics, (self.name, self.text)

    @staticmethod
    def read(path: Path | str) -> OwnMetrics:
        path = Path(path)
        try:
            return OwnMetrics(path.name, path.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: is not a text file: {error}") from None


def _functions(name: str, text: str) -> Mapping[str, Callable]:
    space: dict = {"__name__": Path(name).stem, "__file__": name}
    try:
        exec(compile(text, name, "exec"), space)
    except Exception as error:
        raise ValueError(f"{name}: {blame(error, name)}") from error
    functions = {
        key: value
        for key, value in space.items()
        if inspect.isfunction(value) and value.__code__.co_filename == name and not key.startswith("_")
    }
    wrong = [key for key, value in functions.items() if len(inspect.signature(value).parameters) != 1]
    if wrong:
        raise ValueError(f"{name}: the function {wrong[0]} must take one argument, the run's result")
    if not functions:
        raise ValueError(f"{name}: has no function; write one per metric: def peak(run): return …")
    return functions


def blame(error: Exception, name: str) -> str:
    """An error inside the user's file, with its line."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


def number_of(value, what: str) -> float | None:
    """A finite number, or None for an undefined metric; ValueError for anything else."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {value!r}, expected a number") from None
    if not np.isfinite(number):
        raise ValueError(f"{what} is {number}, expected a finite number")
    return number
