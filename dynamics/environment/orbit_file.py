"""Orbits from files: two-line elements (TLE), OMM and OEM of CCSDS 502.0-B; position and velocity at the epoch of a description, in N.

TLE and OMM have SGP4's mean elements: the package sgp4 propagates them to the epoch, in TEME. An OEM has states, which are interpolated by a polynomial through
the eight nearest. Read at build only. Proved by tests/environment/test_orbit_files.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import StringIO
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..texts import finite, read_text
from .epoch import DAY, epoch_of
from .turning import Turning

POINTS = 8  # states through which a polynomial goes
SHORTEST = 63  # characters of a line of two-line elements, which has 69 with its checksum
FRAMES = ("GCRF", "ICRF", "EME2000", "TEME", "ITRF")


def state_of(path: Path, turning: Turning) -> tuple[np.ndarray, np.ndarray]:
    """Position [m] and velocity [m/s] (3,) in N at time 0; ValueError is the end of a sentence about the file."""
    text = read_text(path)
    if turning.planet != "earth" or turning.dcm_TG is None:
        raise ValueError(f"is an orbit of the Earth, environment.time.planet is {turning.planet}")
    if "CCSDS_OEM_VERS" in text:
        return _of_oem(text, turning)
    fields = _omm(text)
    r, v = _propagated(text, fields, turning)
    return _to_N(r, v, "TEME", turning)


def _to_N(r, v, frame: str, turning: Turning):
    """Components in N of r and v in a named frame at time 0."""
    if frame == "ITRF":
        dcm_FN = turning.start
        spin = turning.rate_start * dcm_FN[2]
        r = dcm_FN.T @ r
        return r, dcm_FN.T @ v + np.cross(spin, r)
    if frame == "TEME":
        assert turning.dcm_TG is not None
        r, v = turning.dcm_TG.T @ r, turning.dcm_TG.T @ v
    return turning.from_GCRF(r), turning.from_GCRF(v)


def _omm(text: str) -> dict[str, str] | None:
    """The fields of an OMM in XML or KVN; None of a TLE."""
    from sgp4 import omm

    if text.lstrip().startswith("<"):
        if re.search(r"<!\s*(DOCTYPE|ENTITY)", text):
            raise ValueError(
                "defines entities (<!DOCTYPE …>), which is refused: a few lines of them can fill any memory"
            )
        try:
            return next(iter(omm.parse_xml(StringIO(text))), None)
        except (ElementTree.ParseError, AttributeError, TypeError) as error:
            raise ValueError(f"is not an OMM in XML: {error}") from None
    if "CCSDS_OMM_VERS" in text:
        pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
        return {key.strip(): value.strip().split(" [")[0] for key, _, value in pairs}
    return None


def _propagated(text: str, fields: dict[str, str] | None, turning: Turning):
    """r [m], v [m/s] in TEME at time 0, by SGP4."""
    from sgp4 import omm
    from sgp4.api import SGP4_ERRORS, Satrec

    if fields is None:
        lines = [line.rstrip() for line in text.splitlines()]
        pair = next(
            ((a, b) for a, b in pairwise(lines) if a[:2] == "1 " and b[:2] == "2 " and min(len(a), len(b)) >= SHORTEST),
            None,
        )
        if pair is None:
            raise ValueError("has neither two-line elements nor an OMM or OEM of CCSDS")
        satellite = Satrec.twoline2rv(*pair)
    else:
        satellite = Satrec()
        try:
            omm.initialize(satellite, fields)
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            raise ValueError(f"is an OMM without mean elements of SGP4: {error}") from None
    whole = np.floor(turning.utc)
    code, r, v = satellite.sgp4(2451545.0 + whole, turning.utc - whole)
    if code or not np.isfinite([*r, *v]).all():
        raise ValueError(f"can't be propagated to time 0: {SGP4_ERRORS.get(code, 'its elements are not numbers')}")
    return 1e3 * np.array(r), 1e3 * np.array(v)


def _of_oem(text: str, turning: Turning):
    frame, start, seconds, states = read_oem(text)
    seconds = seconds + after(start, turning)
    if not seconds[0] <= 0.0 <= seconds[-1]:
        raise ValueError(
            f"has states from {seconds[0]:.0f} to {seconds[-1]:.0f} s after time 0; they must include time 0"
        )
    first = int(np.clip(np.searchsorted(seconds, 0.0) - POINTS // 2, 0, max(len(seconds) - POINTS, 0)))
    near = slice(first, first + POINTS)
    state = _interpolated(seconds[near], states[near])
    return _to_N(state[:3], state[3:], frame, turning)


def _interpolated(times, values):
    """At time 0, by Lagrange's polynomial through all."""
    weights = [
        np.prod([-other / (own - other) for j, other in enumerate(times) if j != i]) for i, own in enumerate(times)
    ]
    return np.array(weights) @ values


def after(start: float, turning: Turning) -> float:
    """Days of TT after J2000.0 as seconds after time 0, to a microsecond, the precision of a difference of two day numbers."""
    return round((start - turning.days) * DAY, 6)


def read_oem(text: str) -> tuple[str, float, np.ndarray, np.ndarray]:
    """Frame, days of TT after J2000.0 of the first state, seconds from there (n,), and states (n, 6) [m, m/s] of an OEM's first segment."""
    head, start, seconds, rows = ccsds_rows(text, 6)
    if head.get("CENTER_NAME", "EARTH").upper() != "EARTH":
        raise ValueError(f"has CENTER_NAME = {head['CENTER_NAME']}, expected EARTH")
    frame = named_frame(head, "REF_FRAME")
    check_times(seconds)
    return frame, start, seconds, 1e3 * rows


def ccsds_rows(text: str, count: int) -> tuple[dict[str, str], float, np.ndarray, np.ndarray]:
    """Keywords, days of TT after J2000.0 of the first row, seconds from there (n,), and `count` numbers for each (n, count), of the first segment of a file in KVN."""
    head: dict[str, str] = {}
    times: list[CcsdsTime] = []
    rows: list[list[float]] = []
    for line in text.splitlines():
        key, equals, value = (part.strip() for part in line.partition("="))
        if equals:
            if key == "OBJECT_NAME" and rows:
                break  # the next segment
            head[key] = value
            continue
        words = key.split()
        if len(words) > count and "T" in words[0]:
            try:
                times.append(_time(words[0], head.get("TIME_SYSTEM", "UTC")))
                rows.append([finite(word) for word in words[1 : count + 1]])
            except (ValueError, OverflowError) as error:
                raise ValueError(f'has the line "{key}" that is not a state: {error}') from None
    if not times:
        return head, 0.0, np.zeros(0), np.zeros((0, count))
    first = times[0]
    return head, first.tt, np.array([each.since(first) for each in times]), np.array(rows)


def check_times(times) -> None:
    """Of at least two states, one after the other."""
    if len(times) < 2:
        raise ValueError("has fewer than two states")
    if not np.all(np.diff(times) > 0.0):
        raise ValueError("has states whose times do not increase")


def named_frame(head: dict[str, str], key: str, refused: tuple[str, ...] = ()) -> str:
    """The frame that a keyword names, one of FRAMES."""
    found = head.get(key, "")
    frame = "ITRF" if found.startswith("ITRF") else found
    taken = [each for each in FRAMES if each not in refused]
    if frame not in taken:
        raise ValueError(f'has {key} = "{found}", expected one of {", ".join(taken)}')
    return frame


@dataclass(frozen=True)
class CcsdsTime:
    """A minute as a file writes it, seconds of it, and days of TT after J2000.0, which hold a microsecond."""

    minute: datetime
    seconds: float
    tt: float

    def since(self, other: CcsdsTime) -> float:
        """Seconds, to their last digit; leap seconds between the two count."""
        written = (self.minute - other.minute).total_seconds() + (self.seconds - other.seconds)
        return written + round((self.tt - other.tt) * DAY - written)


def _time(text: str, scale: str) -> CcsdsTime:
    """Of CCSDS' calendar or day-of-year form."""
    date, _, clock = text.rstrip("Z").partition("T")
    day = datetime.strptime(date, "%Y-%j" if len(date) == 8 else "%Y-%m-%d")
    hours, minutes, seconds = clock.split(":")
    moment = day + timedelta(hours=int(hours), minutes=int(minutes))
    return CcsdsTime(moment, finite(seconds), epoch_of(moment, scale).tt + finite(seconds) / DAY)
