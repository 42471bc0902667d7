"""Distributions from which parameters are drawn: one row of DISTRIBUTIONS each.

A draw is x = F⁻¹(u), with F the cumulative distribution and u a point of the unit interval, so random numbers, Latin hypercubes and Sobol
sequences work with every distribution. Numbers are in the unit that the plan states.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from spacefmu.dynamics.description.fields import Flag, Number, Positive, Table

_LEAST, _MOST = 2.0**-60, 1.0 - 2.0**-53  # u = 0 and u = 1 map to infinity for some distributions


class SweptQuantity(Table):
    """Keys of every parameter of a plan.

    variables: those that it sets; default: the one (or the array) of its own name. unit: one of their units.
    relative: the numbers are multiples of each variable's start value.
    """

    variables: list[str] | None = Field(default=None, min_length=1)
    unit: str = ""
    relative: Flag = False

    @model_validator(mode="after")
    def _no_unit(self):
        if self.relative and self.unit:
            raise ValueError("expected `unit` or `relative`, not both")
        return self


class _Between(SweptQuantity):
    """Bounded by low and high."""

    distribution: str
    low: Number
    high: Number

    @model_validator(mode="after")
    def _order(self):
        return ordered(self, "low", "high")


class Uniform(_Between):
    """Every value from low to high is equally likely."""

    distribution: Literal["uniform"]

    def frozen(self):
        from scipy.stats import uniform

        return uniform(self.low, self.high - self.low)


class LogUniform(_Between):
    """Every ratio is equally likely: log x is uniform."""

    distribution: Literal["log_uniform"]
    low: Positive
    high: Positive

    def frozen(self):
        from scipy.stats import loguniform

        return loguniform(self.low, self.high)


class Triangular(_Between):
    """Most likely at mode, bounded by low and high."""

    distribution: Literal["triangular"]
    mode: Number

    @model_validator(mode="after")
    def _inside(self):
        if not self.low <= self.mode <= self.high:
            raise ValueError(f"expected mode, {self.mode:g}, between low, {self.low:g}, and high, {self.high:g}")
        return self

    def frozen(self):
        from scipy.stats import triang

        width = self.high - self.low
        return triang((self.mode - self.low) / width, self.low, width)


class Normal(SweptQuantity):
    """Gaussian, with a standard deviation; truncated at low and high, if they are given."""

    distribution: Literal["normal"]
    mean: Number
    deviation: Positive
    low: Number | None = None
    high: Number | None = None

    @model_validator(mode="after")
    def _order(self):
        return ordered(self, "low", "high")

    def frozen(self):
        from scipy.stats import norm, truncnorm

        if self.low is None and self.high is None:
            return norm(self.mean, self.deviation)
        low, high = -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high
        return truncnorm(
            (low - self.mean) / self.deviation, (high - self.mean) / self.deviation, self.mean, self.deviation
        )


class LogNormal(SweptQuantity):
    """log x is normal about log median; `deviation` is that of log x; small ones are the relative deviation of x."""

    distribution: Literal["log_normal"]
    median: Positive
    deviation: Positive

    def frozen(self):
        from scipy.stats import lognorm

        return lognorm(self.deviation, 0.0, self.median)


DISTRIBUTIONS = (Uniform, LogUniform, Triangular, Normal, LogNormal)
Distribution = Annotated[Uniform | LogUniform | Triangular | Normal | LogNormal, Field(discriminator="distribution")]


def drawn(distribution: Distribution, u: np.ndarray) -> np.ndarray:
    """x (n,) = F⁻¹(u) at points u (n,) of the unit interval."""
    return distribution.frozen().ppf(np.clip(u, _LEAST, _MOST))


def ordered(table: Table, lower: str, upper: str):
    """The same table, if its one bound is below the other."""
    low, high = getattr(table, lower), getattr(table, upper)
    if low is not None and high is not None and not low < high:
        raise ValueError(f"expected {lower}, {low:g}, below {upper}, {high:g}")
    return table
