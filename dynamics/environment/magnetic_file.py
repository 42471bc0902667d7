"""Files of magnetic fields in the form of WMM.COF (.cof), and IGRF-14, which is shipped.

A block is headed by its year; its rows have n, m, g, h [nT] and their rates [nT/year]. A file has one block, valid for five years, or several, each until the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ..texts import finite, read_text
from .epoch import DATA, DAY, FIRST, J2000, LAST
from .harmonics import Coefficients

IGRF = DATA / "IGRF14.cof"
RADIUS = 6371200.0  # geomagnetic reference radius [m]
YEARS = 5.0  # that the last block is valid for
NANO = 1e-9
MOST_DEGREE = 1000  # the largest fields that are published have 790


@dataclass(frozen=True)
class MagneticModel:
    """Blocks: year, g, h and their rates per year (n + 1, n + 1), in the file's normalization and units."""

    blocks: tuple[tuple[float, np.ndarray], ...]

    def at(self, tt: float) -> tuple[Coefficients, Coefficients]:
        """Coefficients at days after J2000.0 [T], and their change per second; ValueError, as the end of a sentence, outside the valid range."""
        first, last = self.blocks[0][0], self.blocks[-1][0] + YEARS
        if not _days(first) <= tt <= _days(last):
            raise ValueError(f"is valid from {first:g} to {last:g}, time 0 is {2000.0 + tt / 365.25:.1f}")
        year, rows = next(block for block in reversed(self.blocks) if _days(block[0]) <= tt)
        now_year, days_per_year = _year(tt)
        passed = now_year - year
        norm = NANO / np.sqrt(2.0 * np.arange(rows.shape[1]) + 1.0)[:, None]
        g, h, g_rate, h_rate = rows * norm
        now = Coefficients(RADIUS, g + passed * g_rate, h + passed * h_rate)
        per_second = 1.0 / (days_per_year * DAY)
        return now, Coefficients(RADIUS, g_rate * per_second, h_rate * per_second)


def _days(year: float) -> float:
    """Days after J2000.0 of a year's beginning, or of a share of it."""
    whole = int(np.floor(year))
    start, end = ((datetime(y, 1, 1, tzinfo=UTC) - J2000).total_seconds() / DAY for y in (whole, whole + 1))
    return start + (year - whole) * (end - start)


def _year(days: float) -> tuple[float, float]:
    """The year and its passed share, the inverse of `_days`; and that year's length [d]. Coefficients are linear over years, as in IAGA's own program."""
    whole = float(int(2000.0 + (days + 0.5) // 365.2425))
    whole += 1.0 if days >= _days(whole + 1.0) else -1.0 if days < _days(whole) else 0.0
    length = _days(whole + 1.0) - _days(whole)
    return whole + (days - _days(whole)) / length, length


def read_cof(path: Path) -> MagneticModel:
    """A magnetic field; ValueError, as the end of a sentence about the file, if the file is not one."""
    lines = read_text(path).splitlines()
    blocks: list[tuple[float, list[list[float]]]] = []
    for line in lines:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0].startswith("9999"):
            break
        try:
            if len(words) >= 6 and words[0].isdigit():
                blocks[-1][1].append([finite(word) for word in words[:6]])
            else:
                blocks.append((finite(words[0]), []))
        except (ValueError, IndexError):
            raise ValueError(
                f'has the line "{line.strip()}" where a year, or n m g h and their rates were expected'
            ) from None
    if not blocks or not all(rows for _, rows in blocks):
        raise ValueError(
            "has no rows of n m g h and their rates behind a year: a magnetic field in the form of WMM.COF was expected"
        )
    for year, _ in blocks:
        if not FIRST <= year < LAST:
            raise ValueError(f"has the year {year:g}, expected one from {FIRST} to {LAST}")
    return MagneticModel(tuple((year, _table(rows)) for year, rows in blocks))


def _table(rows: list[list[float]]) -> np.ndarray:
    """g, h and their rates (4, n + 1, n + 1) by degree and order."""
    degree = int(max(row[0] for row in rows))
    if degree > MOST_DEGREE:
        raise ValueError(f"has a row of degree {degree}, expected at most {MOST_DEGREE}")
    table = np.zeros((4, degree + 1, degree + 1))
    for n, m, *numbers in rows:
        if not 0 <= m <= n:
            raise ValueError(f"has a row of degree {n:g} and order {m:g}")
        table[:, int(n), int(m)] = numbers
    return table
