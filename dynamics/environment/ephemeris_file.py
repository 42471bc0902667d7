"""Places of Sun, Moon and planets from a file: SPK kernels of NAIF (.bsp, as DE440; segments of types 2 and 3), or an OEM of one body about the planet.

An SPK file is a DAF: a file record, then summaries of segments (begin, end in seconds of TDB after J2000; target, center, frame, type, first and last word)
and the words themselves. A segment of type 2 or 3 has records of Chebyshev coefficients, and at its end INIT, INTLEN, RSIZE, N (NAIF, SPK and DAF Required Reading).
TDB is taken as TT, an error of at most 2 ms, or 2 m along the Moon's orbit. Read at build only. Proved by tests/environment/test_ephemeris_file.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ..limits import FILE
from ..texts import read_bytes
from .epoch import DAY
from .orbit_file import ccsds_rows, check_times, named_frame
from .points_over_time import spline_through

WORD, RECORD = 8, 1024  # bytes
# numbers of NAIF that a body may have in a file, the first that is there is taken; barycentres stand for planets with small moons
NUMBERS = {
    "sun": (10,), "moon": (301,), "mercury": (199, 1), "venus": (299, 2), "earth": (399,), "mars": (499, 4), "jupiter": (599, 5), "saturn": (699, 6),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Segment:
    """Of one target about one center: `begin`, `end` [s of TDB after J2000]; records (n, RSIZE), each of the `length` [s] from `first` on."""

    begin: float
    end: float
    center: int
    first: float
    length: float
    records: np.ndarray
    components: int

    def at(self, seconds: float) -> np.ndarray:
        """Position (3,) [m]."""
        i = min(max(int((seconds - self.first) // self.length), 0), len(self.records) - 1)
        record = self.records[i]
        rows = record[2:].reshape(self.components, -1)[:3]
        return 1e3 * np.polynomial.chebyshev.chebval((seconds - record[0]) / record[1], rows.T)


def places(path: Path, center: str, body: str, begin: float, end: float) -> Callable[[float], np.ndarray]:
    """Place (3,) [m] of a body from another in GCRF by days of TT after J2000.0, from day `begin` to `end`; ValueError is the end of a sentence about the file."""
    try:
        content = read_bytes(path, FILE)
    except OSError as error:
        raise ValueError(f"can't be read: {error.strerror}") from None
    if content[:7] == b"DAF/SPK":
        segments = read_spk(content)
        ways = [_way(segments, each, begin, end) for each in (body, center)]
        return lambda day: _sum(ways[0], day * DAY) - _sum(ways[1], day * DAY)
    if b"CCSDS_OEM_VERS" in content[:2000]:
        return _of_oem(content.decode("utf-8", errors="replace"), center, body, begin, end)
    raise ValueError("is neither an SPK kernel (.bsp) nor an OEM")


@cache
def read_spk(content: bytes) -> dict[int, tuple[Segment, ...]]:
    """Segments by the number of their target; ValueError, as the end of a sentence about the file, if its contents are inconsistent."""
    try:
        return _segments(content)
    except (ValueError, IndexError, OverflowError):
        raise ValueError("is a damaged SPK kernel") from None


def _segments(content: bytes) -> dict[int, tuple[Segment, ...]]:
    order = "<" if content[88:96] == b"LTL-IEEE" else ">"
    doubles, whole = np.frombuffer(content, f"{order}f8", len(content) // WORD), np.dtype(f"{order}i4")
    nd, ni = np.frombuffer(content, whole, 2, 8)
    size = int(nd) + (int(ni) + 1) // 2
    found: dict[int, tuple[Segment, ...]] = {}
    record, records = int(np.frombuffer(content, whole, 1, 76)[0]), list[int]()
    while record:
        if record in records or not 0 < record <= len(content) // RECORD:
            raise ValueError("summaries that lead nowhere, or in a circle")
        records.append(record)
        words = doubles[(record - 1) * RECORD // WORD : record * RECORD // WORD]
        for i in range(min(int(words[2]), (len(words) - 3) // size)):
            own = words[3 + i * size : 3 + (i + 1) * size]
            target, center, frame, kind, start, stop = np.frombuffer(own[int(nd) :].tobytes(), whole, int(ni))
            if frame == 1 and kind in (2, 3):
                segment = _segment(own[0], own[1], int(center), doubles[start - 1 : stop], 3 if kind == 2 else 6)
                found[int(target)] = (*found.get(int(target), ()), segment)
        record = int(words[0])
    return found


def _segment(begin, end, center: int, words, components: int) -> Segment:
    first, length, size, count = words[-4:]
    if not (
        np.isfinite(words).all()
        and length > 0.0
        and size >= 2 + components
        and (size - 2) % components == 0.0
        and count >= 1.0
    ):
        raise ValueError("records that have no coefficients")
    if np.any(words[: int(size * count)].reshape(int(count), int(size))[:, 1] <= 0.0):
        raise ValueError("a record of zero length")
    return Segment(float(begin), float(end), center, float(first), float(length), words[: int(size * count)].reshape(int(count), int(size)), components)  # fmt: skip


def _way(segments: dict[int, tuple[Segment, ...]], body: str, begin: float, end: float) -> list[Segment]:
    """Segments from a body to the barycentre of the solar system, over all days from begin to end."""
    number = next((number for number in NUMBERS[body] if number in segments), None)
    if number is None:
        raise ValueError(f"has no {body} (number {' or '.join(map(str, NUMBERS[body]))} of NAIF)")
    way: list[Segment] = []
    while number:
        if len(way) > len(segments):
            raise ValueError(f"has {body} about centers that lead in a circle")
        all_times = segments.get(number, ())
        fitting = [each for each in all_times if each.begin <= begin * DAY and end * DAY <= each.end]
        if not fitting:
            told = f"from day {min(s.begin for s in all_times) / DAY:.1f} to {max(s.end for s in all_times) / DAY:.1f}" if all_times else "nowhere"  # fmt: skip
            raise ValueError(f"has {body} {told} after J2000, expected days {begin:.1f} to {end:.1f}")
        way.append(fitting[0])
        number = fitting[0].center
    return way


def _sum(way: list[Segment], seconds: float) -> np.ndarray:
    return sum((segment.at(seconds) for segment in way), np.zeros(3))


def _of_oem(text: str, center: str, body: str, begin: float, end: float) -> Callable[[float], np.ndarray]:
    head, start, seconds, rows = ccsds_rows(text, 6)
    named, about = head.get("OBJECT_NAME", ""), head.get("CENTER_NAME", "")
    if named.lower() != body or about.lower() != center:
        raise ValueError(f'is of "{named}" about "{about}", expected {body} about {center}')
    named_frame(head, "REF_FRAME", ("TEME", "ITRF"))
    check_times(seconds)
    times = start + seconds / DAY
    if not times[0] <= begin or not end <= times[-1]:
        raise ValueError(f"has {body} from day {times[0]:.1f} to {times[-1]:.1f} after J2000, expected days {begin:.1f} to {end:.1f}")  # fmt: skip
    path = spline_through(times, 1e3 * rows[:, :3], 0)
    return lambda day: path.at(day)[0]
