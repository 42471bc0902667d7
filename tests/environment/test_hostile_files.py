"""Files of fields, orbits and the Earth's rotation with impossible numbers: rejected in one sentence, before they cost memory or time."""

from __future__ import annotations

import struct

import pytest

from spacefmu.dynamics.environment.air import read_density
from spacefmu.dynamics.environment.eop import read_eop
from spacefmu.dynamics.environment.ephemeris_file import places
from spacefmu.dynamics.environment.gravity_file import read_gfc
from spacefmu.dynamics.environment.magnetic_file import read_cof
from spacefmu.dynamics.environment.orbit_file import _omm, read_oem
from tests.environment.test_ephemeris_file import BEGIN, kernel

HEAD = "earth_gravity_constant {mu}\nradius 1\nmax_degree {degree}\nend_of_head\n"
OEM = "REF_FRAME = EME2000\n{first} 1 2 3 4 5 6\n2019-12-09T20:44:00 1 2 3 4 {last} 6\n"
DAY = "{:>15}{:>12}{:>19}{:>22}"  # MJD, pole x, y, UT1 - UTC in their columns of finals2000A
CASES = {
    "a degree without end": (read_gfc, HEAD.format(mu=1, degree="1e9"), "has max_degree 1000000000, expected one from 0"),
    "an infinite degree": (read_gfc, HEAD.format(mu=1, degree="inf"), 'has "inf" where a finite number'),
    "a negative degree": (read_gfc, HEAD.format(mu=1, degree="-3"), "has max_degree -3"),
    "no attraction": (read_gfc, HEAD.format(mu="nan", degree=2), 'has "nan" where a finite number'),
    "an order below 0": (read_gfc, HEAD.format(mu=1, degree=2) + "gfc 2 -1 1 0", "degree 2 and order -1"),
    "a coefficient": (read_gfc, HEAD.format(mu=1, degree=2) + "gfc 2 0 nan 0", 'has "nan" where a finite number'),
    "a magnetic degree": (read_cof, "2020 X\n55555555 0 1 0 0 0\n", "has a row of degree 55555555, expected at most 1000"),
    "a magnetic coefficient": (read_cof, "2020 X\n1 0 nan 0 0 0\n", "where a year, or n m g h"),
    "a year": (read_cof, "1e300 X\n1 0 1 0 0 0\n", "has the year 1e+300, expected one from 1900 to 2100"),
    "a density": (read_density, "1,1\n2,nan\n3,1\n", "increasing heights and positive densities, all finite"),
    "a height": (read_density, "1,1\nnan,1\n3,1\n", "increasing heights and positive densities, all finite"),
    "hours": (lambda path: read_oem(path.read_text()), OEM.format(first="2019-12-09T99999999999999:40:00", last=5), "is not a state"),
    "a state": (lambda path: read_oem(path.read_text()), OEM.format(first="2019-12-09T20:40:00", last="nan"), "is not a state"),
    "one time twice": (lambda path: read_oem(path.read_text()), OEM.format(first="2019-12-09T20:44:00", last=5), "times do not increase"),
    "XML that ends": (lambda path: _omm(path.read_text()), "<omm><segment>", "is not an OMM in XML"),
    "XML without parts": (lambda path: _omm(path.read_text()), "<omm><segment/></omm>", "is not an OMM in XML"),
    "entities": (lambda path: _omm(path.read_text()), '<!DOCTYPE x [<!ENTITY a "b">]><omm/>', "defines entities"),
    "days that fall": (lambda path: read_eop(path, 58000.0, 1.0), "\n".join(DAY.format(day, 0.1, 0.2, 0.3) for day in ("58001.00", "57999.00")), "days that do not increase"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_refused_in_a_sentence(name, tmp_path):
    read, text, words = CASES[name]
    (tmp_path / "file").write_text(text, "utf-8")
    with pytest.raises(ValueError, match=words.replace("+", r"\+")):
        read(tmp_path / "file")


def test_kernels_that_lead_in_a_circle(tmp_path):
    """A record of summaries that follows itself, and the Earth about the Moon about the Earth: both once caused an infinite loop."""
    first, center = (
        1024,
        1024 + 24 + 40 + 16 + 4,
    )  # where the next record's number is, and the center of the second segment
    for place, word, sentence in ((first, struct.pack("<d", 2.0), "is a damaged SPK kernel"), (center, struct.pack("<i", 399), "in a circle")):  # fmt: skip
        raw = bytearray(kernel())
        raw[place : place + len(word)] = word
        (tmp_path / "x.bsp").write_bytes(raw)
        with pytest.raises(ValueError, match=sentence):
            places(tmp_path / "x.bsp", "earth", "moon", BEGIN + 1.0, BEGIN + 2.0)
