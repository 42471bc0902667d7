"""Runs as files of CCSDS: orbit ephemeris (OEM, CCSDS 502.0-B-3) and attitude ephemeris (AEM, CCSDS 504.0-B-2), in KVN.

    write_oem(result, "run.oem", "hub", epoch, frame="GCRF")
    write_aem(result, "run.aem", "hub", epoch, frame="GCRF")
    result.write("run.oem")        # the same for its first body, with the date and axes of the description that the result carries

Positions are BODY.inertial.* if a run has them (frame = "orbit"), else those of BODY, from the planet's centre. `epoch` is time 0 in UTC;
`frame` names N: "GCRF", or "TEME" with axes = "equator". The instants are those of the run. Proved by tests/environment/test_orbit_files.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spacefmu.dynamics.environment.epoch import J2000, epoch_of
from spacefmu.dynamics.texts import parse_toml

from .files import whole_file
from .names import array_name
from .origin import files_of

if TYPE_CHECKING:
    from .table import Result

FRAMES = ("GCRF", "ICRF", "EME2000", "TEME")


def write_oem(
    result: Result, path: Path | str, body: str, epoch: datetime, frame: str = "GCRF", name: str = ""
) -> Path:
    """Positions [km] and velocities [km/s] of a body over a run."""
    place, velocity = (_column(result, body, what, 3) for what in ("position", "velocity"))
    rows = 1e-3 * np.hstack([place, velocity])
    meta = [*_named(name or body), "CENTER_NAME = EARTH", f"REF_FRAME = {_frame(frame)}", *_span(result, epoch)]
    return _write(path, "CCSDS_OEM_VERS = 3.0", meta, _lines(epoch, result.time, rows))


def write_aem(
    result: Result, path: Path | str, body: str, epoch: datetime, frame: str = "GCRF", name: str = ""
) -> Path:
    """Quaternions of a body over a run, scalar last: from N to the body."""
    q = _column(result, body, "quaternion", 4)
    rows = np.hstack([q[:, 1:], q[:, :1]])
    frames = [f"REF_FRAME_A = {_frame(frame)}", "REF_FRAME_B = SC_BODY_1"]
    meta = [*_named(name or body), *frames, *_span(result, epoch), "ATTITUDE_TYPE = QUATERNION"]
    return _write(
        path, "CCSDS_AEM_VERS = 2.0", meta, ["DATA_START\n", *_lines(epoch, result.time, rows), "DATA_STOP\n"]
    )


def as_oem(result: Result, path: Path | str) -> None:
    """Of the first free body, with the date of the description that the result carries."""
    write_oem(result, path, *_known(result, "OEM", ("position", "velocity")))


def as_aem(result: Result, path: Path | str) -> None:
    write_aem(result, path, *_known(result, "AEM", ("quaternion",)))


def _known(result: Result, what: str, needed: tuple[str, ...]) -> tuple[str, datetime, str]:
    """Body, time 0 in UTC, and the name of N."""
    units = result.origin.get("units", {})
    texts = [text for unit in units.values() for name, text in files_of(unit).items() if name.endswith(".toml")]
    time = next((found for text in texts if (found := parse_toml(text).get("environment", {}).get("time"))), None)
    if time is None:
        raise ValueError(f"an {what} has dates: it needs a run of a description with a table environment.time")
    if time.get("planet", "earth") != "earth":
        raise ValueError(
            f"an {what} can only be written for orbits about the Earth; environment.time.planet is {time['planet']}"
        )
    arrays = list(dict.fromkeys(array_name(name) for name in result.names))
    bodies = [name.removesuffix(f".{needed[0]}").removesuffix(".inertial") for name in arrays if name.endswith(f".{needed[0]}")]  # fmt: skip
    inside = [body for body in bodies if not body.startswith(("environment.", "system")) and all(_has(arrays, body, each) for each in needed)]  # fmt: skip
    if not inside:
        raise ValueError(f"an {what} needs {' and '.join(needed)} of a free body, which the run did not record; add -v BODY.{needed[0]}, or leave out -v")  # fmt: skip
    frame = "GCRF" if time.get("axes", "equator") == "GCRF" else "TEME"
    utc = J2000 + timedelta(days=epoch_of(time["epoch"], time.get("scale", "UTC")).ut1)  # UT1 − UTC is 0 here
    return inside[0], utc, frame


def _has(arrays: list[str], body: str, what: str) -> bool:
    return any(name in arrays for name in (f"{body}.inertial.{what}", f"{body}.{what}"))


def _frame(frame: str) -> str:
    if frame not in FRAMES:
        raise ValueError(f"frame is {frame!r}, expected one of {', '.join(FRAMES)}")
    return frame


def _column(result: Result, body: str, what: str, count: int) -> np.ndarray:
    arrays = {name.partition("[")[0] for name in result.names}
    for name in (f"{body}.inertial.{what}", f"{body}.{what}"):
        if name in arrays:
            found = np.asarray(result[name])
            if found.shape == (len(result.time), count):
                return found
    raise ValueError(f"the run has no {body}.{what} of a body that is free in space")


def _named(name: str) -> list[str]:
    return [f"OBJECT_NAME = {name}", f"OBJECT_ID = {name}"]


def _span(result: Result, epoch: datetime) -> list[str]:
    start, stop = (_text(epoch, float(t)) for t in (result.time[0], result.time[-1]))
    return ["TIME_SYSTEM = UTC", f"START_TIME = {start}", f"STOP_TIME = {stop}"]


def _text(epoch: datetime, t: float) -> str:
    """A time in CCSDS format, to a nanosecond: fractions of a second are written separately, since datetimes have microseconds."""
    moment = epoch.astimezone(UTC) if epoch.tzinfo else epoch.replace(tzinfo=UTC)
    whole = int(np.floor(t))
    nanoseconds = round((t - whole) * 1e9) + moment.microsecond * 1000
    moment = moment.replace(microsecond=0) + timedelta(seconds=whole + nanoseconds // 1_000_000_000)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{nanoseconds % 1_000_000_000:09d}"


def _write(path, heading: str, meta: list[str], lines: Iterable[str]) -> Path:
    path = Path(path)
    made = f"{heading}\nCREATION_DATE = {datetime.now(UTC):%Y-%m-%dT%H:%M:%S}\nORIGINATOR = spacefmu\n\n"
    with whole_file(path) as unfinished, unfinished.open("w", encoding="utf-8") as file:
        file.write(made + "\n".join(["META_START", *meta, "META_STOP"]) + "\n\n")
        file.writelines(lines)
    return path


def _lines(epoch: datetime, times, rows) -> Iterable[str]:
    for t, row in zip(times, rows, strict=True):
        yield f"{_text(epoch, float(t))} {' '.join(f'{value:.15g}' for value in row)}\n"
