"""Orbits from TLE, OMM and OEM: sgp4's own state, frames, a round trip of a run, refusals."""

from datetime import UTC, datetime

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.environment.orbit_file import read_oem
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src.results.ccsds import write_aem, write_oem
from spacefmu.fmu_src.results.table import Result
from tests.environment.craft import HUB

TLE = """ISS
1 25544U 98067A   19343.69339541  .00001764  00000-0  38792-4 0  9991
2 25544  51.6439 211.2001 0007417  17.6667  85.6398 15.50103472202482
"""
OMM = """CCSDS_OMM_VERS = 2.0
OBJECT_NAME = ISS (ZARYA)
OBJECT_ID = 1998-067A
EPOCH = 2019-12-09T16:38:29.363423
MEAN_MOTION = 15.50103472
ECCENTRICITY = .0007417
INCLINATION = 51.6439
RA_OF_ASC_NODE = 211.2001
ARG_OF_PERICENTER = 17.6667
MEAN_ANOMALY = 85.6398
EPHEMERIS_TYPE = 0
CLASSIFICATION_TYPE = U
NORAD_CAT_ID = 25544
ELEMENT_SET_NO = 999
REV_AT_EPOCH = 20248
BSTAR = .38792E-4
MEAN_MOTION_DOT = .1764E-4
MEAN_MOTION_DDOT = 0
"""
# sgp4 2.27 at 2019-12-09 20:42:00 UTC, in TEME [km, km/s]
SGP4 = (
    (-6088.922358183078, -936.1367482888302, -2866.4408776941464),
    (-1.5255342771668234, -5.5384966257541395, 5.068164791538606),
)


def text(file, axes="equator", epoch="2019-12-09T20:42:00Z", more=""):
    return f'''name = "Test"
[environment]
frame = "orbit"
gravity = "central"
j2 = true
orbit = {{ file = "{file}"{more} }}
[environment.time]
epoch = {epoch}
axes = "{axes}"
{HUB}'''


def state(system):
    y = motion(system, 0.0, *start(system))[1]
    return [y[system.signals.where("outputs", f"hub.inertial.{name}")] for name in ("position", "velocity")]


@pytest.mark.parametrize("name, content", [("iss.tle", TLE), ("iss.omm", OMM)])
def test_mean_elements_at_the_epoch(tmp_path, name, content):
    """In TEME, the equator of the epoch, as sgp4 gives them: measured 1e-4 m by the time's round-off; in GCRF as far from the centre and as fast."""
    (tmp_path / name).write_text(content)
    r, v = state(load_text(text(name), folder=tmp_path))
    assert np.abs(r - 1e3 * np.array(SGP4[0])).max() < 0.01
    assert np.abs(v - 1e3 * np.array(SGP4[1])).max() < 1e-5
    other = state(load_text(text(name, "GCRF"), folder=tmp_path))
    assert np.linalg.norm(other[0]) == pytest.approx(np.linalg.norm(r), abs=1e-5)
    assert 1e4 < np.linalg.norm(other[0] - r) < 4e4  # precession since 2000


def test_round_trip_of_a_run(tmp_path):
    """An OEM of a run starts another one where the first was, between two of its instants too; the AEM has the quaternions, scalar last."""
    epoch = datetime(2026, 3, 20, 12, tzinfo=UTC)
    times = np.arange(0.0, 601.0, 30.0)
    mu, a = 3.986004418e14, 7.0e6
    angle = np.sqrt(mu / a**3) * times
    r = a * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    v = np.sqrt(mu / a) * np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=1)
    q = np.stack([np.cos(angle), 0.0 * angle, 0.0 * angle, np.sin(angle)], axis=1)
    names = [
        f"hub.{name}[{i + 1}]" for name, n in (("position", 3), ("velocity", 3), ("quaternion", 4)) for i in range(n)
    ]
    run = Result(times, tuple(names), np.hstack([r, v, q]))
    path = write_oem(run, tmp_path / "run.oem", "hub", epoch)
    frame, _, seconds, states = read_oem(path.read_text())
    assert frame == "GCRF"
    assert np.abs(states - np.hstack([r, v])).max() < 1e-8
    assert np.abs(seconds - times).max() < 1e-12
    found = state(load_text(text("run.oem", "GCRF", "2026-03-20T12:03:37Z"), folder=tmp_path))
    turned = np.sqrt(mu / a**3) * 217.0
    assert np.abs(found[0] - a * np.array([np.cos(turned), np.sin(turned), 0.0])).max() < 0.01  # measured 5e-4
    lines = write_aem(run, tmp_path / "run.aem", "hub", epoch).read_text().splitlines()
    rows = lines[lines.index("DATA_START") + 1 : lines.index("DATA_STOP")]
    assert rows[1].split()[0] == "2026-03-20T12:00:30.000000000"
    assert np.allclose([float(word) for word in rows[1].split()[1:]], [*q[1, 1:], q[1, 0]], rtol=1e-14)
    with pytest.raises(ValueError, match=r"the run has no panel\.position"):
        write_oem(run, tmp_path / "x.oem", "panel", epoch)


@pytest.mark.parametrize(
    "name, content, more, sentence",
    [
        ("x.tle", "no orbit\n", "", "environment.orbit.file x.tle has neither two-line elements nor an OMM or OEM"),
        ("x.tle", TLE, ", eccentricity = 0.1", "eccentricity = 0.1 is not allowed with a file"),
        ("x.oem", "CCSDS_OEM_VERS = 2.0\nREF_FRAME = MARS\n", "", 'has REF_FRAME = "MARS", expected one of GCRF'),
        ("x.oem", "CCSDS_OEM_VERS = 2.0\nREF_FRAME = GCRF\n2026-01-01T00:00:00 1 2 3 4 5 6\n2026-01-01T00:01:00 1 2 3 4 5 6\n", "", "they must include time 0"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, name, content, more, sentence):
    (tmp_path / name).write_text(content)
    with pytest.raises(DescriptionError) as error:
        load_text(text(name, more=more), folder=tmp_path)
    assert sentence in str(error.value)
