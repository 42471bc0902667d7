"""IGRF-14, files of coefficients, the field as an input: values of ppigrf, secular variation, refusals."""

from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.environment.epoch import epoch_of
from spacefmu.dynamics.environment.magnetic import HarmonicMagneticField
from spacefmu.dynamics.environment.magnetic_file import IGRF, _days, _year, read_cof
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.recording import recorded
from spacefmu.fmu_src.native.trace.fast import fast
from tests.environment.craft import HUB, craft

# radius [km], colatitude, longitude [deg], year; northward, eastward and downward field [nT]: IAGA's igrf14syn, by the tests of SatelliteToolboxGeomagneticField.jl
IAGA = (
    (6750.33, 4.23, 244.39, 1971.9, (-1045.63966, 128.93455, 48340.11401)),
    (6852.76, 83.46, 74.93, 1975.5, (30493.19566, -1856.19445, -2673.17317)),
    (7059.61, 67.77, 306.96, 1997.5, (19224.94575, -5354.44578, 20475.29848)),
    (7892.55, 27.01, 52.63, 2000.0, (7390.46973, 860.27661, 28369.13052)),
    (6566.47, 56.75, 267.22, 2007.5, (20814.30313, 644.74333, 40783.15994)),
    (7651.48, 1.11, 287.06, 2011.9, (-244.75821, -783.38401, 33921.80035)),
    (6480.13, 68.54, 277.27, 2027.0, (24526.15584, -2284.08774, 29399.38466)),
)
# the same of ppigrf 2.1.0, igrf_gc, at the beginning of blocks: it interpolates over days and not over years
PPIGRF = (
    (6371.2, 30.0, 20.0, 2020.0, (14561.690737752093, 1934.8453046078014, 49545.48598809432)),
    (6771.2, 1e-9, 0.0, 2025.0, (1151.5476075819201, 103.75782577072351, 47922.389426532245)),
)


@pytest.mark.parametrize("radius, colatitude, longitude, year, expected", [*IAGA, *PPIGRF])
def test_values_of_igrf(radius, colatitude, longitude, year, expected):
    """At Earth-fixed places, near the pole too: measured 0.014 nT in all 1910 places of the table until 2030 (yearly rates of the shipped file are rounded); the aim is 0.1."""
    field = HarmonicMagneticField(*read_cof(IGRF).at(_days(year)))
    theta, phi = np.radians([colatitude, longitude])
    out = np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
    north = np.array([-np.cos(theta) * np.cos(phi), -np.cos(theta) * np.sin(phi), np.sin(theta)])
    B = field.at(SimpleNamespace(dcm_FN=np.eye(3), time=0.0), 1e3 * radius * out, None, None)
    found = 1e9 * np.array([B @ north, B @ np.cross(north, out), -B @ out])
    assert np.abs(found - expected).max() < 0.02


def test_years_and_days():
    """Every day of 1900 to 2030 has its share of its own year."""
    for year in np.linspace(1900.0, 2031.0, 2000):
        assert _year(_days(year))[0] == pytest.approx(year, abs=1e-9)
    assert _year(_days(2024.5)) == (2024.5, 366.0)


DATED = '[environment]\ngravity = "central"\n[environment.time]\nepoch = 2027-01-01T00:00:00Z\n'
FIELD = '[environment.magnetic]\nmodel = "IGRF-14"\n'
AT = "[bodies.hub.initial]\nposition = [5.0e6, 3.0e6, 4.0e6]\nvelocity = [-4.0e3, 6.0e3, 1.0e3]\n"
COIL = '[dipoles.coil]\nbody = "hub"\nresidual = [1.0, 2.0, -1.0]\n'


def test_torque_and_output_follow_the_field():
    """m × B in both flavours' ways of evaluation; secular variation: a year of the model's rates."""
    system = craft(DATED, FIELD, HUB, AT, COIL)
    rates = [motion(each, 100.0, *start(system)) for each in (system, fast(system), recorded(system))]
    B = rates[0][1][system.signals.where("outputs", "hub.magnetic_field")]
    assert 1e-5 < np.linalg.norm(B) < 6e-5
    for other in rates[1:]:
        assert np.abs(rates[0][0] - other[0]).max() < 1e-14 * np.abs(rates[0][0]).max()
        assert np.allclose(other[1], rates[0][1], rtol=1e-12, atol=1e-12)
    turned = rates[0][0][system.signals.where("states", "hub.angular_velocity")]
    free = motion(craft(DATED, HUB, AT), 100.0, *start(craft(DATED, HUB, AT)))[0]
    plain = craft(DATED, HUB, AT)
    inertia = np.array([[120.0, 2.0, -1.0], [2.0, 100.0, 3.0], [-1.0, 3.0, 150.0]])
    gained = turned - free[plain.signals.where("states", "hub.angular_velocity")]
    assert np.allclose(inertia @ gained, np.cross([1.0, 2.0, -1.0], B), rtol=1e-6, atol=1e-12)
    now, change = read_cof(IGRF).at(epoch_of(datetime(2027, 1, 1)).tt)
    later, _ = read_cof(IGRF).at(epoch_of(datetime(2027, 1, 1)).tt + 100.0)
    assert np.allclose(now.C + 8.64e6 * change.C, later.C, rtol=0.0, atol=1e-18)


def test_the_field_is_an_input():
    system = craft(
        '[environment]\ngravity = "central"\n[environment.magnetic]\nmodel = "input"\nfield = [1e-5, 2e-5, 3e-5]\n',
        HUB,
        AT,
        COIL,
    )
    y = motion(system, 0.0, *start(system))[1]
    assert np.allclose(y[system.signals.where("outputs", "hub.magnetic_field")], [1e-5, 2e-5, 3e-5])
    assert "environment.magnetic_field" in [quantity.name for quantity in system.signals.quantities("inputs")]


def test_a_file(tmp_path):
    """The form of WMM.COF, one block for five years."""
    (tmp_path / "x.cof").write_text(
        "    2025.0            WMM-2025     11/13/2024\n  1  0  -29351.8       0.0       12.0        0.0\n  1  1   -1410.8    4545.4        9.7      -21.5\n"
        + "9" * 48
        + "\n"
    )
    now, _ = read_cof(tmp_path / "x.cof").at(epoch_of(datetime(2026, 1, 1)).tt)
    assert now.C[1, 0] * np.sqrt(3.0) * 1e9 == pytest.approx(-29351.8 + 12.0, abs=0.01)
    system = load_text(f'name = "Test"\n{DATED}[environment.magnetic]\nfile = "x.cof"\n{HUB}{AT}', folder=tmp_path)
    assert np.all(np.isfinite(motion(system, 0.0, *start(system))[1]))


@pytest.mark.parametrize(
    "text, sentence",
    [
        (DATED.replace("2027", "2031") + FIELD, "environment.magnetic.model IGRF-14 is valid from 1900 to 2030, time 0 is 2031.0"),
        (DATED.split("[environment.time]")[0] + FIELD, "environment.magnetic.model is 'IGRF-14', expected a dipole or an input without a table environment.time"),
        (DATED + FIELD + "degree = 14\n", "environment.magnetic.degree is 14, expected at most 13, the degree of IGRF-14"),
        (DATED + FIELD + "tilt = 0.1\n", "environment.magnetic.tilt = 0.1 is not allowed without model"),
        (DATED + '[environment.magnetic]\nfile = "no.cof"\n', "environment.magnetic.file no.cof"),
    ],
)  # fmt: skip
def test_refusals(text, sentence):
    with pytest.raises(DescriptionError) as error:
        load_text('name = "Test"\n' + text + HUB)
    assert sentence in str(error.value)


def test_a_file_that_is_none(tmp_path):
    (tmp_path / "x.cof").write_text("no field\n")
    with pytest.raises(ValueError, match="where a year"):
        read_cof(tmp_path / "x.cof")
