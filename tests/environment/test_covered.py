"""Tables over time say when they end: outputs on floats, and one message in the log of a run of either flavour; the Sun as seen from Mars."""

from datetime import datetime

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.environment.epoch import epoch_of
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.cosim.fmu import Slave
from spacefmu.fmu_src.python.instance import Instance
from tests.environment.craft import HUB

AT = "[bodies.hub.initial]\nposition = [4.6e6, 3.0e6, 4.0e6]\nvelocity = [-4.0e3, 6.0e3, 1.0e3]\n"
DATED = '[environment]\ngravity = "central"\n{more}[environment.time]\nepoch = 2026-03-20T12:00:00Z\n'
EARTH = DATED.format(more="") + 'axes = "GCRF"\nspan = 300.0\n[environment.third_bodies]\nspan = 200.0\n'
MARS = (
    DATED.format(more="mu = 4.2828e13\nradius = 3.3962e6\n") + 'planet = "mars"\n[environment.sun]\npressure = 2.0e-6\n'
)


def outputs(system, t=0.0):
    y = motion(system, t, *start(system))[1]
    return {signal.name: value for signal, value in zip(system.signals.outputs, y, strict=True)}


def test_each_table_ends_by_itself():
    system = load_text(f'name = "Test"\n{EARTH}{HUB}{AT}')
    told = [
        [outputs(system, t)[f"environment.{name}.covered"] for name in ("third_bodies", "rotation")]
        for t in (0.0, 200.0, 201.0, 300.0, 301.0)
    ]
    assert told == [[1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    plain = outputs(load_text(f'name = "Test"\n{DATED.format(more="")}{HUB}{AT}'))
    assert not [name for name in plain if name.endswith("covered")]


def native_log(system, folder):
    with Slave("test", build_native(system, folder / "test.fmu", ["host"])) as fmu:
        fmu.call("setupExperiment", startTime=0.0, stopTime=400.0)
        fmu.call("enterInitializationMode")
        fmu.call("exitInitializationMode")
        for t in range(0, 400, 50):
            fmu.call("doStep", currentCommunicationPoint=float(t), communicationStepSize=50.0)
        fmu.call("terminate")
        return [line for line in fmu.said if "covered" in line]


def python_log(system, folder):
    instance = Instance(system, "test")
    instance.setup_experiment(0.0, None, None)
    instance.enter_initialization()
    instance.exit_initialization()
    for t in range(0, 400, 50):
        instance.step(float(t), 50.0)
    return instance.notices


@pytest.mark.parametrize("log", [native_log, python_log])
def test_the_log_says_once_that_places_stand_still(log, tmp_path):
    """Of a run of 400 s, 100 s beyond both tables: one message per table, at the first communication point behind its end."""
    bodies, pole = log(load_text(f'name = "Test"\n{EARTH}{HUB}{AT}'), tmp_path)
    assert "environment.third_bodies.covered is false at time 250: its table ends at 200 s, and Sun, Moon and planets stand still; give a longer environment.third_bodies.span" in bodies  # fmt: skip
    assert "environment.rotation.covered is false at time 350" in pole


def test_the_sun_of_mars():
    """Declination and longitude of the place below the Sun, by Allison and McEwen (Planet. Space Sci. 48 (2000) 215), within 0.1 degrees."""
    for date in (datetime(2026, 3, 20, 12), datetime(2026, 12, 1), datetime(2031, 7, 9)):
        text = MARS.replace("2026-03-20T12:00:00Z", f"{date.isoformat()}Z")
        system = load_text(f'name = "Test"\n{text}{HUB}[bodies.hub.initial]\nposition = [3.9e6, 0.0, 0.0]\n')
        y = outputs(system)
        sun = np.array([y[f"hub.sun_direction[{i}]"] for i in (1, 2, 3)])  # body axes are those of N: z along the pole
        days = epoch_of(date).tt
        M = np.radians(19.3871 + 0.52402073 * days)
        ahead = (
            (10.691 + 3e-7 * days) * np.sin(M) + 0.623 * np.sin(2 * M) + 0.05 * np.sin(3 * M) + 0.005 * np.sin(4 * M)
        )
        Ls = np.radians(270.3871 + 0.524038496 * days + ahead)
        assert np.degrees(np.arcsin(sun[2])) == pytest.approx(np.degrees(np.arcsin(0.42565 * np.sin(Ls))), abs=0.1)
        late = 2.861 * np.sin(2 * Ls) - 0.071 * np.sin(4 * Ls) + 0.002 * np.sin(6 * Ls) - ahead
        west = 360.0 * ((days - 4.5) / 1.0274912517 + 44796.0 - 0.0009626) + late + 180.0
        # the craft is on N's x axis: its longitude and the Sun's angle from there
        east = np.degrees(y["system.longitude"] + np.arctan2(sun[1], sun[0]))
        assert (east + west + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=0.1)
        assert y["system.local_solar_time"] == pytest.approx(43200.0 - 43200.0 / np.pi * np.arctan2(sun[1], sun[0]), abs=1e-6)  # fmt: skip


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ("mu = 4.2828e13\n", "", "environment.mu is missing: the default is the Earth's, and environment.time.planet is mars"),
        ("radius = 3.3962e6\n", "", "environment.radius is missing: the default is the Earth's, and environment.time.planet is mars"),
        ("radius = 3.3962e6\n", "radius = 3.3962e6\nj2 = true\n", "environment.j2 is true, expected a number: true is the Earth's, and environment.time.planet is mars"),
        ("pressure = 2.0e-6\n", "", "environment.sun.pressure is missing: the default is that at the Earth, and environment.time.planet is mars"),
        ("pressure = 2.0e-6\n", "pressure = 2e-6\ndate = 2026-03-20\n", "environment.sun.date = 2026-03-20 is not allowed with environment.time, which has the epoch"),
        ("[environment.sun]\npressure = 2.0e-6\n", "[environment.magnetic]\n", "environment.magnetic.strength is missing: the default is the Earth's, and environment.time.planet is mars"),
    ],
)  # fmt: skip
def test_numbers_of_the_earth_about_another_planet(old, new, sentence):
    """Each was taken silently before."""
    assert old in MARS
    with pytest.raises(DescriptionError) as error:
        load_text(f'name = "Test"\n{MARS.replace(old, new)}{HUB}{AT}')
    assert [sentence] == [problem.removeprefix("description: ") for problem in error.value.problems]


def test_a_field_of_another_size_needs_its_radius(tmp_path):
    """Heights and shadows would be those of a planet of the Earth's size."""
    head = "modelname x\nearth_gravity_constant 4.9028D+12\nradius 1.738D+06\nmax_degree 2\nend_of_head\n"
    (tmp_path / "moon.gfc").write_text(head + "gfc 2 0 -9.09D-05 0.0\n")
    text = 'name = "Test"\n[environment]\ngravity = "central"\n[environment.harmonics]\nfile = "moon.gfc"\ndegree = 2\norder = 0\n'
    with pytest.raises(
        DescriptionError,
        match=r"environment\.radius is missing: the default is the Earth.s, and moon\.gfc is of a planet of 1\.738e\+06 m",
    ):
        load_text(text + HUB + AT, folder=tmp_path)


def test_air_turns_with_its_planet():
    air = "[environment.air]\ndensity = 1e-10\nheight = 1e5\nscale_height = 1e4\n"
    system = load_text(f'name = "Test"\n{MARS}{air}{HUB}{AT}')
    k = start(system)[2]
    assert k[system.signals.where("parameters", "environment.air.spin")] == pytest.approx(7.0882e-5, rel=1e-4)
