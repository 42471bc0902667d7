"""Observed Earth rotation: UT1 − UTC, polar motion, offsets of the celestial pole; from a file of the IERS (finals2000A)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..texts import read_text
from .earth import ARCSECOND
from .epoch import DAY

# columns of finals2000A (readme.finals2000A): MJD; pole x, y ["]; UT1 − UTC [s]; dX, dY [mas]
MJD, COLUMNS = (7, 15), ((18, 27), (37, 46), (58, 68), (97, 106), (116, 125))


@dataclass(frozen=True)
class Observed:
    """UT1 − UTC at time 0 [s] and its rate [s/s]; polar motion x, y (2,) [rad] and its rate [rad/s]; offsets dX, dY (2,) [rad]."""

    ut1_utc: float
    drift: float
    pole: np.ndarray
    pole_rate: np.ndarray
    offsets: np.ndarray

    @property
    def wobbles(self) -> bool:
        return bool(np.any(self.pole) or np.any(self.pole_rate))

    def slowed(self, rate: float) -> float:
        """A rate of rotation by UT1, by UTC."""
        return rate * (1.0 + self.drift)


def no_observation(ut1_utc: float, pole) -> Observed:
    return Observed(ut1_utc, 0.0, np.array(pole, float), np.zeros(2), np.zeros(2))


def read_eop(path: Path, mjd: float, span: float) -> Observed:
    """The values at a Modified Julian Date in UTC, and their mean rates over the span; `ValueError` is the end of a sentence."""
    if not path.is_file():
        raise ValueError("does not exist; paths are relative to the description")
    rows = [row for line in read_text(path).splitlines() if (row := _row(line)) is not None]
    if not rows:
        raise ValueError("has no line in the format finals2000A of the IERS")
    table = np.array(rows)
    if not (np.isfinite(table).all() and np.all(np.diff(table[:, 0]) > 0.0)):
        raise ValueError("has days that do not increase, or values that are not finite")
    if not table[0, 0] <= mjd <= table[-1, 0]:
        raise ValueError(f"has days {table[0, 0]:.0f} to {table[-1, 0]:.0f} (MJD), time 0 is {mjd:.2f}")
    table[:, 3] = _without_leaps(table[:, 3], mjd, table[:, 0])
    end = min(mjd + span / DAY, table[-1, 0])
    start, last = (np.array([np.interp(day, table[:, 0], column) for column in table.T[1:]]) for day in (mjd, end))
    seconds = max((end - mjd) * DAY, 1.0)
    rate = (last - start) / seconds
    return Observed(
        float(start[2]), float(rate[2]), start[:2] * ARCSECOND, rate[:2] * ARCSECOND, start[3:] * 1e-3 * ARCSECOND
    )


def _row(line: str) -> list[float] | None:
    """MJD and the five columns; offsets that are not yet published count as 0."""
    try:
        needed = [float(line[a:b]) for a, b in (MJD, *COLUMNS[:3])]
        return [*needed, *(float(line[a:b]) if line[a:b].strip() else 0.0 for a, b in COLUMNS[3:])]
    except ValueError:
        return None


def _without_leaps(ut1_utc, mjd, days):
    """UT1 − UTC as it would be without leap seconds after the day mjd."""
    steps = np.concatenate([[0.0], np.round(np.diff(ut1_utc))])
    total = np.cumsum(steps)
    return ut1_utc - total + np.interp(np.floor(mjd), days, total)
