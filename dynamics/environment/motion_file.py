"""Motion from files of CCSDS over a whole run: orbits of an OEM (502.0-B), attitudes of an AEM (504.0-B), as splines in N (over_time.py). Read at build only.

Proved by tests/environment/test_given_frames.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..algebra.rotation import dcm_quaternion, quaternion_conjugate, quaternion_product
from ..texts import read_text
from .orbit_file import POINTS, after, ccsds_rows, check_times, named_frame, read_oem
from .over_time import OverTime
from .points_over_time import spline_through
from .turning import Turning

ROUGH = 1e-4  # of the speed, by which velocities of a table may differ from the spline through its positions


def orbit_path(path: Path, turning: Turning) -> OverTime:
    """Position [m] of an OEM in N from time 0 on, with three derivatives; ValueError is the end of a sentence about the file."""
    text = read_text(path)
    if "CCSDS_OEM_VERS" not in text:
        raise ValueError("is not an OEM of CCSDS, whose states O could follow")
    if turning.planet != "earth":
        raise ValueError(f"is an orbit of the Earth, environment.time.planet is {turning.planet}")
    frame, start, seconds, states = read_oem(text)
    seconds, states = _from_start(seconds + after(start, turning), states)
    if frame == "ITRF":
        k = {turning.angle: float(turning.angle.start), turning.rate: turning.rate_start}
        places = np.array([turning.at(t, k).T @ state[:3] for t, state in zip(seconds, states, strict=True)])
        return spline_through(seconds, places, 3)
    dcm = _to_N(frame, turning)
    found = spline_through(seconds, states[:, :3] @ dcm.T, 3)
    apart = max(np.abs(found.at(t)[1] - dcm @ state[3:]).max() for t, state in zip(seconds, states, strict=True))
    speed = np.abs(states[:, 3:]).max()
    if apart > ROUGH * speed:
        raise ValueError(
            f"has velocities that differ by {apart:.3g} m/s from the change of its positions, expected at most {ROUGH * speed:.2g} m/s: states may be too far apart"
        )
    return found


def attitude_path(path: Path, turning: Turning) -> OverTime:
    """q_NB of an AEM from time 0 on, with two derivatives; ValueError as above."""
    text = read_text(path)
    if "CCSDS_AEM_VERS" not in text:
        raise ValueError("is not an AEM of CCSDS")
    frame, start, seconds, quaternions = read_aem(text)
    seconds, q = _from_start(seconds + after(start, turning), quaternions)
    q_NA = dcm_quaternion(_to_N(frame, turning))
    turned = np.array([quaternion_product(q_NA, each) for each in q])
    return spline_through(seconds, turned, 2)


def read_aem(text: str) -> tuple[str, float, np.ndarray, np.ndarray]:
    """Frame A, days of TT after J2000.0 of the first row, seconds from there (n,), and quaternions q_AB (n, 4), scalar first and without jumps of sign, of an AEM's first segment."""
    head, start, seconds, rows = ccsds_rows(text, 4)
    kind = head.get("ATTITUDE_TYPE", "").upper()
    if not kind.startswith("QUATERNION"):
        raise ValueError(f'has ATTITUDE_TYPE = "{head.get("ATTITUDE_TYPE", "")}", expected QUATERNION')
    check_times(seconds)
    first = head.get("QUATERNION_TYPE", "LAST").upper() == "FIRST"
    q = rows if first else np.roll(rows, 1, axis=1)
    size = np.linalg.norm(q, axis=1)
    if np.any(np.abs(size - 1.0) > 1e-3):
        raise ValueError(f"has a quaternion of length {size[np.argmax(np.abs(size - 1.0))]:.4g}, expected 1")
    q = q / size[:, None]
    body_first = head.get("REF_FRAME_A", "").upper().startswith("SC_BODY")
    if body_first != (head.get("ATTITUDE_DIR", "A2B").upper() == "B2A"):
        q = np.array([quaternion_conjugate(each) for each in q])
    steps = np.where(np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
    q[1:] *= np.cumprod(steps)[:, None]
    return named_frame(head, "REF_FRAME_B" if body_first else "REF_FRAME_A", ("ITRF",)), start, seconds, q


def _from_start(seconds, rows):
    """Rows from shortly before time 0 on."""
    if not seconds[0] <= 1e-6 or seconds[-1] <= 0.0:
        raise ValueError(
            f"covers {seconds[0]:.0f} to {seconds[-1]:.0f} s after time 0, expected a table that begins at time 0 or earlier"
        )
    first = max(int(np.searchsorted(seconds, 0.0)) - POINTS, 0)
    return seconds[first:], rows[first:]


def _to_N(frame: str, turning: Turning):
    """(3, 3): from a frame that does not turn to N; TEME is that of time 0."""
    columns = [turning.from_GCRF(axis) for axis in np.eye(3)]
    dcm_NG = np.stack(columns, axis=1)
    if frame != "TEME":
        return dcm_NG
    assert turning.dcm_TG is not None
    return dcm_NG @ turning.dcm_TG.T
