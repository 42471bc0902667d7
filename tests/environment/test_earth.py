"""Time scales and the Earth's rotation against numbers that ERFA 2.0.1 gave (utctai, taitt, gmst82, c2t06a, gc2gd), and the IAU's poles."""

from datetime import UTC, datetime

import numpy as np
import pytest

from spacefmu.dynamics.environment.earth import ARCSECOND, celestial_to_terrestrial, planet_axes, sidereal_time_1982
from spacefmu.dynamics.environment.epoch import epoch_of, leap_seconds
from spacefmu.dynamics.environment.turning import geodetic

# date in UTC (UT1 = UTC); TT in days after J2000.0; GMST of IAU 1982; GCRF → ITRF without polar motion, IAU 2006/2000A
ERFA = [
    ((1975, 1, 2, 3), -9130.374465462963, 2.5504595958353633, [[-0.8334094248164465, 0.5526525093437269, -0.0019835683001507], [-0.5526508727492103, -0.8334117849521638, -0.0013451960393675332], [-0.0023965551643188344, -2.4878305198706024e-05, 0.9999971279480828]]),
    ((2004, 4, 6, 7), 1556.792409537037, 5.23438598331337, [[0.49778574329818764, -0.8673000213034973, -0.00016375598891482096], [0.8672999488850542, 0.49778576898372434, -0.0003561758897437311], [0.00039042675763018453, 3.5273719205530796e-05, 0.9999999231613529]]),
    ((2023, 5, 16, 20), 8536.334134074074, 3.0416744267659723, [[-0.9944748654440181, 0.10495115991251648, 0.00223518078003439], [-0.10495082506296124, -0.9944773768576551, 0.00026690245634994255], [0.0022508484413086742, 3.084371733580449e-05, 0.99999746636177]]),
    ((2049, 12, 31, 23), 18262.459134074074, 1.497574066490202, [[0.08430382474854534, 0.9964400315331016, -0.00035873538736263193], [-0.9964281143185656, 0.08430457108301379, 0.004873632121619427], [0.004886525177911104, -5.3411802700797935e-05, 0.999988059438144]]),
]  # fmt: skip


@pytest.mark.parametrize("date, tt, gmst, dcm", ERFA)
def test_earth_rotation(date, tt, gmst, dcm):
    """Nutation of 77 terms is good to 1 mas of the full series: measured 0.05 to 0.5 mas."""
    epoch = epoch_of(datetime(*date, tzinfo=UTC))
    assert abs(epoch.tt - tt) * 86400.0 < 1e-6
    assert abs(np.angle(np.exp(1j * (sidereal_time_1982(epoch.ut1) - gmst)))) < 1e-12
    assert np.abs(celestial_to_terrestrial(epoch.tt, epoch.ut1) - dcm).max() < 1e-3 * ARCSECOND


def test_scales():
    """One instant in three scales; a leap second passes between two of UTC."""
    utc = epoch_of(datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC))
    after = epoch_of(datetime(2017, 1, 1, tzinfo=UTC))
    assert (after.tt - utc.tt) * 86400.0 == pytest.approx(2.0, abs=1e-6)
    tt = epoch_of(datetime(2017, 1, 1, 0, 1, 9, 184000), "TT")
    tai = epoch_of(datetime(2017, 1, 1, 0, 0, 37), "TAI")
    for other in (tt, tai):
        assert other.tt == pytest.approx(after.tt, abs=1e-11)
        assert other.ut1 == pytest.approx(after.ut1, abs=1e-11)
    assert leap_seconds()[-1][1] == 37.0


@pytest.mark.parametrize(
    "date, scale, expected",
    [
        (datetime(1971, 12, 31, tzinfo=UTC), "UTC", "from 1972 on"),
        (datetime(2150, 1, 1, tzinfo=UTC), "UTC", "between 1900 and 2100"),
        (datetime(2020, 1, 1, tzinfo=UTC), "TT", "without Z"),
    ],
)
def test_dates_that_no_model_covers(date, scale, expected):
    with pytest.raises(ValueError, match=expected):
        epoch_of(date, scale)


@pytest.mark.parametrize(
    "place, longitude, latitude, height",
    [
        ([2e6, 3e6, 5.244e6], 0.982793723247329, 0.9716018481907546, 331.4172461415939),  # ERFA's own test
        ([-4e7, 1e6, -2e5], 3.1165978599708732, -0.0050037359783384775, 33634861.42213027),
        ([0.0, 0.0, -6.8e6], 0.0, -np.pi / 2, 6.8e6 - 6356752.314245179),  # over a pole
        ([6378137.0, 0.0, 0.0], 0.0, 0.0, 0.0),
    ],
)
def test_latitude_longitude_altitude(place, longitude, latitude, height):
    found = geodetic(np.array(place), 6378137.0, 1.0 / 298.257223563)
    assert np.allclose(found[:2], [latitude, longitude], rtol=0.0, atol=1e-12)
    assert abs(found[2] - height) < 1e-6


def test_the_pole_of_mars():
    """Its direction by the angles themselves, and a solar day of 24 h 37 min 22.66 s to the stars."""
    dcm, _, rate = planet_axes("mars", 0.0)
    a, d = np.radians([317.68143, 52.88650])
    assert np.allclose(dcm[2], [np.cos(d) * np.cos(a), np.cos(d) * np.sin(a), np.sin(d)], rtol=0.0, atol=1e-15)
    assert 2.0 * np.pi / rate == pytest.approx(88642.66, abs=0.01)
