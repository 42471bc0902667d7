"""The planet's axes in descriptions: outputs, GCRF and TEME of one orbit, other planets, files of Earth orientation, refusals."""

from datetime import datetime
from pathlib import Path

import fmpy
import numpy as np
import pytest

from spacefmu.dynamics.description import load, load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.environment.earth import (
    ARCSECOND,
    bias_precession,
    celestial_to_terrestrial,
    rotation_z,
    sidereal_time_1982,
)
from spacefmu.dynamics.environment.eop import read_eop
from spacefmu.dynamics.environment.epoch import DAY, epoch_of
from spacefmu.dynamics.environment.turning import Turning
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import Bag
from spacefmu.fmu_src import cosim
from spacefmu.fmu_src.build import build_native, build_python
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.environment.craft import craft

KEYS = Path(__file__).parents[2] / "examples" / "keys"
HUB = "[bodies.hub]\nmass = 12.0\ninertia = [0.12, 0.11, 0.05]\n"


def dated(more="", epoch="2023-05-16T20:00:00Z", gravity="j2 = true"):
    return f'[environment]\ngravity = "central"\n{gravity}\n[environment.time]\nepoch = {epoch}\n{more}\n'


def at(R, V):
    return f"[bodies.hub.initial]\nposition = {list(map(float, R))}\nvelocity = {list(map(float, V))}\n"


def outputs(system, t=0.0):
    _, y, *_ = motion(system, t, *start(system))
    return {signal.name: value for signal, value in zip(system.signals.outputs, y, strict=True)}


def turning_of(system) -> Turning:
    return system.made_by[1].environment.medium(Turning)


def test_axes_follow_the_pole_over_the_span():
    """Polynomials against the series between their nodes; behind the span the pole stands still."""
    system = craft(dated('axes = "GCRF"\nspan = 6.0e5'), HUB, at([7e6, 0.0, 0.0], [0.0, 7.5e3, 0.0]))
    turning, k = turning_of(system), start(system)[2]
    k = Bag(system.signals, "parameters", k)
    epoch = epoch_of(datetime(2023, 5, 16, 20))
    for t in (0.0, 12345.6, 3.3e5, 6.0e5):
        expected = celestial_to_terrestrial(epoch.tt + t / DAY, epoch.ut1 + t / DAY)
        assert np.abs(turning.at(t, k) - expected).max() < 1e-4 * ARCSECOND
    later = celestial_to_terrestrial(epoch.tt + 20.0, epoch.ut1 + 20.0)
    assert np.abs(turning.at(20.0 * DAY, k) - later).max() < 3.0 * ARCSECOND


def test_outputs_of_a_place():
    """Over Greenwich's meridian at noon of an equinox: latitude by the ellipsoid, the Sun overhead in longitude."""
    system = craft(
        dated(epoch="2026-03-20T14:46:00Z"), "[environment.sun]\n", HUB, at([7e6, 0.0, 0.0], [0.0, 0.0, 7.5e3])
    )
    found = outputs(system)
    turning, k = turning_of(system), start(system)[2]
    angle = k[[s.name for s in system.signals.parameters].index("environment.rotation.angle")]
    assert turning.pole is None
    assert found["system.longitude"] == pytest.approx(-angle if angle < np.pi else 2.0 * np.pi - angle, abs=1e-12)
    assert found["system.latitude"] == 0.0
    assert found["system.altitude"] == pytest.approx(7e6 - 6378137.0, abs=1e-6)
    # the Sun is at the equinox, N's x axis, to a quarter of an hour of its motion: noon, in the plane of a polar orbit
    assert found["system.local_solar_time"] == pytest.approx(43200.0, abs=20.0)
    assert abs(found["system.beta_angle"]) < 1e-4


@pytest.mark.parametrize("place", [[0.0, 0.0, 7e6], [0.0, 0.0, -7e6], [7e6, 0.0, 0.0]])
@pytest.mark.parametrize("axes", ["equator", "GCRF"])
def test_values_and_derivatives_are_finite(place, axes):
    speed = [0.0, 7.5e3, 0.0]
    system = craft(dated(f'axes = "{axes}"'), "[environment.sun]\n", HUB, at(place, speed))
    x, u, k, d = start(system)
    found = ExactDerivatives(system)(0.0, x, u, k, d)
    assert all(np.all(np.isfinite(value)) for value in vars(found).values() if isinstance(value, np.ndarray))


def test_one_orbit_in_two_frames():
    """The same start in GCRF and in the equator of date: J₂'s pull, Sun and longitude are the same vectors.

    TEME's x axis is the mean equinox; the comparison turns by precession and nutation, of which TEME has both in its pole.
    """
    R, V = np.array([5.0e6, 3.0e6, 4.0e6]), np.array([-4.0e3, 6.0e3, 1.0e3])
    celestial = craft(dated('axes = "GCRF"'), "[environment.sun]\n", HUB, at(R, V))
    epoch = epoch_of(datetime(2023, 5, 16, 20))
    to_equator = rotation_z(sidereal_time_1982(epoch.ut1)).T @ celestial_to_terrestrial(epoch.tt, epoch.ut1)
    equator = craft(dated(), "[environment.sun]\n", HUB, at(to_equator @ R, to_equator @ V))
    a, b = outputs(celestial), outputs(equator)
    for name in ("latitude", "longitude"):
        assert a[f"system.{name}"] == pytest.approx(b[f"system.{name}"], abs=1e-9)
    assert a["system.altitude"] == pytest.approx(b["system.altitude"], abs=1e-5)
    assert a["system.beta_angle"] == pytest.approx(b["system.beta_angle"], abs=2e-4)  # the Sun is of mean equinoxes
    pull_a = motion(celestial, 0.0, *start(celestial))[0][celestial.signals.where("states", "hub.velocity")]
    pull_b = motion(equator, 0.0, *start(equator))[0][equator.signals.where("states", "hub.velocity")]
    assert np.allclose(to_equator @ pull_a, pull_b, rtol=0.0, atol=1e-12)


def test_an_orbit_frame_falls_about_the_pole():
    """O and a craft at rest in it fall together about a pole that is not N's z: measured 3e-8 m, by the size of the craft; a wrong pole gives metres."""
    elements = 'frame = "orbit"\norbit = { semi_major_axis = 7.0e6, inclination = "51.6 deg" }'
    system = fast(craft(dated('axes = "GCRF"', gravity=f"j2 = true\n{elements}"), HUB))
    run = integrate(system, np.linspace(0.0, 20000.0, 3), rtol=1e-10, atol=1e-10)
    assert np.max(np.abs(run.x[:, system.signals.where("states", "hub.position")])) < 1e-6


def test_earth_orientation_from_a_file():
    """Values of the IERS's line at its day, and between two of them; a day that the file has not is refused."""
    found = read_eop(KEYS / "finals2000A.txt", 60078.5, 2 * DAY)
    assert found.ut1_utc == pytest.approx(-0.5 * (0.0405224 + 0.0417858), abs=1e-9)
    assert np.allclose(found.pole / ARCSECOND, [0.5 * (0.052351 + 0.055852), 0.5 * (0.489072 + 0.490657)], atol=1e-9)
    with pytest.raises(ValueError, match="time 0 is 60000"):
        read_eop(KEYS / "finals2000A.txt", 60000.0, DAY)
    system = load(KEYS / "time.toml")
    assert turning_of(system).wobble is not None


def test_both_flavours_and_model_exchange(tmp_path):
    """One FMU per flavour in co-simulation agree to 1e-12 (measured 2e-15), CVode in model exchange to its tolerance of 1e-10 (measured 3e-11)."""
    system = load(KEYS / "time.toml")
    native = build_native(system, tmp_path / "native.fmu", ["host"])
    python = build_python(system, tmp_path / "python.fmu")
    a, b = (cosim.simulate(fmu, 600.0, 60.0, {"solver.tolerance": 1e-12}) for fmu in (native, python))
    names = [f"system.{name}" for name in ("latitude", "longitude", "altitude", "local_solar_time", "beta_angle")]
    for name in names:
        assert np.abs(a[name] - b[name]).max() < 1e-12 * np.abs(a[name]).max()
    exchanged = fmpy.simulate_fmu(
        str(native),
        fmi_type="ModelExchange",
        stop_time=600.0,
        output_interval=60.0,
        relative_tolerance=1e-10,
        output=names,
    )
    for name in names:
        assert abs(exchanged[name][-1] - a[name][-1]) < 1e-8 * abs(a[name][-1])


def test_mars_turns():
    """Its meridian after a day to the stars is where it was."""
    system = craft(dated('planet = "mars"\naxes = "GCRF"', gravity="mu = 4.2828e13\nradius = 3.3962e6"), HUB, at([3.9e6, 0, 0], [0, 3e3, 0]))  # fmt: skip
    a, b = outputs(system), outputs(system, 88642.6632)
    assert a["system.longitude"] == pytest.approx(b["system.longitude"], abs=1e-5)
    assert a["system.latitude"] != 0.0


@pytest.mark.parametrize(
    "text, sentence",
    [
        (dated(epoch="1965-01-01"), "environment.time.epoch is 1965-01-01, expected a date from 1972 on"),
        (dated('scale = "TT"'), "expected a time without Z or an offset"),
        (dated('eop = "nowhere.txt"'), "environment.time.eop nowhere.txt does not exist"),
        (dated('planet = "uranus"\naxes = "GCRF"'), "the pole of uranus is below"),
        (dated() + "[environment.sun]\ndate = 2026-01-01\n", "environment.sun.date = 2026-01-01 is not allowed"),
        ("[environment.time]\nepoch = 2026-01-01\n", "there is no planet that has it"),
    ],
)
def test_refusals(text, sentence):
    with pytest.raises(DescriptionError) as error:
        load_text('name = "Test"\n' + text + HUB)
    assert sentence in str(error.value)


def test_the_mean_equator_is_of_the_epoch():
    """The Sun's series is of date: at J2000.0 the two axes differ by the frame bias alone."""
    assert np.abs(bias_precession(0.0) - np.eye(3)).max() < 0.1 * ARCSECOND
