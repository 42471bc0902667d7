"""Places of third bodies from files: an SPK kernel written here word by word, an OEM, and what is wrong with others."""

import struct

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.environment.ephemeris import around_the_sun, seen_from
from spacefmu.dynamics.environment.ephemeris_file import places
from spacefmu.dynamics.environment.third_bodies import ThirdBody
from tests.environment.craft import HUB

DAY = 86400.0
BEGIN = 9574.0  # days after J2000, before the epoch of the descriptions
MARK = b"FTPSTR:\r:\n:\r\n:\r\x00:\x81:\x10\xce:ENDFTP"  # by which readers detect files damaged in transfer
TEXT = """name = "Test"
[environment]
gravity = "central"
[environment.time]
epoch = 2026-03-20T12:00:00Z
axes = "GCRF"
[environment.third_bodies]
span = 864000.0
"""


def segment(place, records: int, length: float, terms: int, kind: int) -> list[float]:
    """Words of a segment: records of Chebyshev coefficients [km], and its directory."""
    words = []
    for i in range(records):
        middle, half = (BEGIN + (i + 0.5) * length) * DAY, 0.5 * length * DAY
        nodes = np.cos(np.pi * (np.arange(terms) + 0.5) / terms)
        values = np.array([1e-3 * place(middle / DAY + half / DAY * x) for x in nodes])
        rows = np.polynomial.chebyshev.chebfit(nodes, values, terms - 1).T
        words += [middle, half, *rows.ravel(), *([0.0] * rows.size if kind == 3 else [])]
    return [*words, BEGIN * DAY, length * DAY, float(len(words) // records), float(records)]


def kernel(order: str = "<") -> bytes:
    """Sun, Earth and Moon for 16 days from BEGIN; the Earth and the Moon by way of their barycentre, as DE440 has them."""
    rows = [
        (10, 0, 2, segment(lambda d: np.zeros(3), 2, 8.0, 4, 2)),
        (3, 0, 3, segment(lambda d: around_the_sun("earth", d), 2, 8.0, 12, 3)),
        (399, 3, 2, segment(lambda d: np.zeros(3), 2, 8.0, 4, 2)),
        (301, 3, 2, segment(lambda d: seen_from("earth", "moon", d), 8, 2.0, 12, 2)),
    ]
    end, first, summaries, words = (BEGIN + 16.0) * DAY, 3 * 128 + 1, b"", []
    for target, center, kind, own in rows:
        summaries += struct.pack(f"{order}2d6i", BEGIN * DAY, end, target, center, 1, kind, first, first + len(own) - 1)
        words, first = words + own, first + len(own)
    head = struct.pack(f"{order}8s2i60s3i8s", b"DAF/SPK ", 2, 6, b"test", 2, 2, first, b"LTL-IEEE" if order == "<" else b"BIG-IEEE")  # fmt: skip
    record = struct.pack(f"{order}3d", 0.0, 0.0, float(len(rows))) + summaries
    return (head.ljust(699, b"\0") + MARK).ljust(1024, b"\0") + record.ljust(1024, b"\0") + b" " * 1024 + struct.pack(f"{order}{len(words)}d", *words)  # fmt: skip


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_kernel_has_the_places_that_it_was_made_of(tmp_path, order):
    (tmp_path / "x.bsp").write_bytes(kernel(order))
    for body in ("moon", "sun"):
        place = places(tmp_path / "x.bsp", "earth", body, BEGIN, BEGIN + 16.0)
        for day in np.linspace(BEGIN, BEGIN + 16.0, 23):
            wanted = seen_from("earth", body, day)
            assert np.abs(place(day) - wanted).max() < 1e-9 * np.linalg.norm(wanted)


def test_third_bodies_of_a_kernel_are_where_the_series_has_them(tmp_path):
    (tmp_path / "x.bsp").write_bytes(kernel())
    found = {}
    for file in ("", 'file = "x.bsp"\n'):
        system = load_text(TEXT + file + HUB, folder=tmp_path)
        bodies = {each.body: each for each in system.made_by[1].environment.fields if isinstance(each, ThirdBody)}
        found[file] = [bodies[name].place(3e5, {})[0] for name in ("moon", "sun")]
    for series, kernel_ in zip(*found.values(), strict=True):
        assert np.abs(series - kernel_).max() < 3e-9 * np.linalg.norm(series)


def test_an_oem_of_the_moon(tmp_path):
    days = np.arange(BEGIN, BEGIN + 16.0, 0.125)
    rows = [f"{np.datetime64('2000-01-01T12:00:00') + np.timedelta64(round(day * DAY), 's')} {' '.join(repr(float(v)) for v in 1e-3 * seen_from('earth', 'moon', day))} 0 0 0" for day in days]  # fmt: skip
    head = "CCSDS_OEM_VERS = 2.0\nOBJECT_NAME = MOON\nCENTER_NAME = EARTH\nREF_FRAME = GCRF\nTIME_SYSTEM = TT\n"
    (tmp_path / "moon.oem").write_text(head + "\n".join(rows))
    place = places(tmp_path / "moon.oem", "earth", "moon", BEGIN + 1.0, BEGIN + 11.0)
    for day in np.linspace(BEGIN + 1.0, BEGIN + 11.0, 17):
        assert np.abs(place(day) - seen_from("earth", "moon", day)).max() < 1.0


@pytest.mark.parametrize(
    "content, more, sentence",
    [
        (b"nothing", "", "environment.third_bodies.file x is neither an SPK kernel (.bsp) nor an OEM"),
        (kernel(), 'bodies = ["jupiter"]', "x has no jupiter (number 599 or 5 of NAIF)"),
        (kernel(), "span = 2.0e6", "x has sun from day 9574.0 to 9590.0 after J2000, expected days 9575.0 to 9598.1"),
        (b"CCSDS_OEM_VERS = 2.0\nOBJECT_NAME = MOON\nCENTER_NAME = EARTH\n", "", 'x is of "MOON" about "EARTH", expected sun about earth'),
        (None, "", "environment.third_bodies.file"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, content, more, sentence):
    if content is not None:
        (tmp_path / "x").write_bytes(content)
    text = TEXT.replace("span = 864000.0\n", "" if "span" in more else "span = 864000.0\n")
    with pytest.raises(DescriptionError) as error:
        load_text(text + f'file = "x"\n{more}\n' + HUB, folder=tmp_path)
    assert sentence in str(error.value)
