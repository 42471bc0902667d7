"""Time 0 of a simulation: a date in UTC, TAI or TT as days after J2000.0 in Terrestrial and Universal Time.

TT = TAI + 32.184 s, TAI = UTC + leap seconds (data/leap_seconds.txt), UT1 = UTC + (UT1 − UTC), which is observed.
Proved against ERFA: tests/environment/test_earth.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
DAY = 86400.0  # [s]
J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)
TT_TAI = 32.184  # [s]
SCALES = ("UTC", "TAI", "TT")
FIRST, LAST = 1900, 2100  # years for which the series of earth.py are meant


@dataclass(frozen=True)
class Epoch:
    """Days after J2000.0 (2000-01-01 12:00) in TT and in UT1. To 0.2 µs, what 53 bits hold of it."""

    tt: float
    ut1: float

    @property
    def year(self) -> float:
        return 2000.0 + self.tt / 365.25

    @property
    def utc_day(self) -> float:
        """Modified Julian Date in UTC, to a second."""
        return self.ut1 + 51544.5


def epoch_of(moment: date, scale: str = "UTC", ut1_utc: float = 0.0) -> Epoch:
    """The Epoch of a date or a time; the text of a ValueError says what was expected."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is not None and scale != "UTC":
        raise ValueError(f"a time without Z or an offset, as scale is {scale!r}")
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    if not FIRST <= moment.year < LAST:
        raise ValueError(f"a date between {FIRST} and {LAST}, for which the Earth's rotation is known")
    written = (moment - J2000).total_seconds()
    tai = written - (TT_TAI if scale == "TT" else 0.0)
    if scale == "UTC":
        tai = written + _leap(moment)
    utc = written if scale == "UTC" else tai - _leap_at_tai(tai)
    return Epoch((tai + TT_TAI) / DAY, (utc + ut1_utc) / DAY)


@cache
def leap_seconds() -> tuple[tuple[datetime, float], ...]:
    """(0 h UTC of a date, TAI − UTC [s] from there on), in order."""
    rows = (line.split() for line in (DATA / "leap_seconds.txt").read_text().splitlines() if not line.startswith("#"))
    return tuple((datetime.fromisoformat(day).replace(tzinfo=UTC), float(seconds)) for day, seconds in rows)


def _leap(utc: datetime) -> float:
    table = leap_seconds()
    if utc < table[0][0]:
        raise ValueError('a date from 1972 on, where leap seconds begin (scale = "TT" takes earlier ones)')
    return next(seconds for day, seconds in reversed(table) if utc >= day)


def _leap_at_tai(tai: float) -> float:
    """The same at seconds of TAI after J2000.0; before 1972 that of 1972."""
    table = leap_seconds()
    passed = (seconds for day, seconds in reversed(table) if tai >= (day - J2000).total_seconds() + seconds)
    return next(passed, table[0][1])
