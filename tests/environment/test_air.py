"""Air: Harris and Priester's bulge against brahe, layers, files, winds, inputs, and molecules on a plate against an integral over their speeds."""

from dataclasses import replace

import numpy as np
import pytest

from spacefmu.dynamics.bodies.body import plain_node
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.environment.air import GAS, Air, DailyAir, LayeredAir, read_density, shipped
from spacefmu.dynamics.environment.frames import InertialFrame
from spacefmu.dynamics.environment.planet import RADIUS
from spacefmu.dynamics.environment.surface import Surface
from spacefmu.dynamics.environment.turning import FLATTENING_EARTH, Turning
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.recording import recorded
from spacefmu.dynamics.system.signals import NamedValues
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.environment.craft import HUB, craft

NOW = InertialFrame().at(0.0, np.zeros(0), {})
SUN = np.array([1.2e11, -8.0e10, -3.0e10])

# position [m] from the Earth's centre, density [kg/m³] with cos²(ψ/2) to the third: brahe 1.8.0, density_harris_priester
BRAHE = (
    ((6878e3, 0.0, 0.0), 1.9891054020190267e-12),
    ((0.0, 6.9e6, 1e6), 1.4337890837191478e-13),
    ((-4e6, 3e6, -4.6e6), 1.4786650815515287e-12),
    ((1e6, 1e6, 6.6e6), 3.1993851516307993e-12),
    ((0.0, 0.0, 7.1e6), 2.0469329087594475e-14),
)


@pytest.mark.parametrize("place, density", BRAHE)
def test_harris_priester_of_another_program(place, density):
    """Heights along the radius against geodetic ones: measured 4e-5."""
    air = LayeredAir(bulge=6.0, rows=shipped("H"), turning=Turning(0.0, 0.0, FLATTENING_EARTH))
    values = {signal.name: signal.start for piece in (air, air.turning) for signal in piece.parameters()}
    k = NamedValues(values | {"environment.radius": 6378137.0})
    scene = replace(NOW, sun_N=SUN / np.linalg.norm(SUN))
    assert air.density_at(scene, np.array(place), None, k) == pytest.approx(density, rel=1e-4, abs=0.0)


def test_layers_go_through_their_rows():
    """And fall exponentially between them; above the last row its scale height goes on."""
    air = LayeredAir(rows=shipped("E"))
    k = NamedValues({signal.name: signal.start for signal in air.parameters()} | {"environment.radius": 6378137.0})

    def at(height):
        return air.density_at(NOW, np.array([6378137.0 + height, 0.0, 0.0]), None, k)

    for height, density in shipped("E"):
        assert at(height) == pytest.approx(density, rel=1e-9, abs=0.0)
    assert at(425e3) == pytest.approx(np.sqrt(3.725e-12 * 1.585e-12), rel=1e-9, abs=0.0)
    assert at(1100e3) / at(1050e3) == pytest.approx(at(1000e3) / at(950e3), rel=1e-9)


def test_molecules_on_a_plate():
    """Momentum of a drifting Maxwellian on the plate, summed over the speeds along its normal, plus that of the leaving molecules: 2e-7, the error of the error
    function."""
    air = Air(0.0, density=1.0, height=0.0, scale_height=1.0)
    plate = Surface(
        "plate", 0, plain_node("place", np.zeros(3)), (0.0, 0.0, 1.0), area=2.0, air=air, accommodation=0.93
    )
    k = NamedValues({signal.name: signal.start for piece in (air, plate) for signal in piece.parameters()})
    thermal = np.sqrt(2.0 * GAS * 1000.0 / 0.016)
    for velocity in ([0.0, 0.0, 7500.0], [3000.0, -2000.0, 6000.0], [7500.0, 0.0, 10.0], [7000.0, 0.0, -900.0]):
        v = np.array(velocity)
        speed = np.linalg.norm(v)
        n = np.array([0.0, 0.0, 1.0])
        w = np.linspace(0.0, 14.0 * thermal + max(v @ n, 0.0), 400001)  # speed toward the plate along −n
        spread = np.exp(-(((w - v @ n) / thermal) ** 2)) / (thermal * np.sqrt(np.pi))
        flux, pressure = np.trapezoid(w * spread, w), np.trapezoid(w * w * spread, w)
        across = v - (v @ n) * n
        kappa = np.sqrt(0.5 * (1.0 + 0.93 * (4.0 * GAS * 300.0 / (0.016 * speed**2) - 1.0)))
        leaving = 0.5 * np.sqrt(np.pi) * kappa * speed * flux
        exact = -2.0 * (pressure * n + flux * across + leaving * n)
        assert np.abs(plate.molecules(k, 1.0, v, n) - exact).max() < 2e-6 * np.abs(exact).max() + 1.0


DATED = '[environment]\ngravity = "central"\n[environment.time]\nepoch = 2026-03-20T12:00:00Z\n[environment.sun]\n'
AT = "[bodies.hub.initial]\nposition = [4.6e6, 3.0e6, 4.0e6]\nvelocity = [-4.0e3, 6.0e3, 1.0e3]\n"
PLATE = '[surfaces.plate]\nbody = "hub"\nplace = [0.0, 0.5, 0.0]\nnormal = "y"\narea = 2.0\n'
HP = '[environment.air]\nmodel = "Harris-Priester"\nwind = [100.0, -50.0, 0.0]\n'


@pytest.mark.parametrize("more", ["", "accommodation = 0.9\nboth_sides = true\n"])
def test_floats_symbols_and_recorded_agree(more):
    """With a wind, drag coefficients and molecules; derivatives are finite."""
    system = craft(DATED, HP, HUB, AT, PLATE + more)
    rates = [motion(each, 100.0, *start(system))[0] for each in (system, fast(system), recorded(system))]
    for other in rates[1:]:
        assert np.abs(rates[0] - other).max() < 1e-14 * np.abs(rates[0]).max()
    found = ExactDerivatives(system)(0.0, *start(system))
    assert all(np.all(np.isfinite(value)) for value in vars(found).values() if isinstance(value, np.ndarray))
    still = motion(craft(DATED, HUB, AT), 100.0, *start(craft(DATED, HUB, AT)))[0]
    speeds = system.signals.where("states", "hub.velocity")
    assert 1e-10 < np.linalg.norm(rates[0][speeds] - still[craft(DATED, HUB, AT).signals.where("states", "hub.velocity")]) < 1e-3  # fmt: skip


def test_density_is_an_input():
    """Twice the density, twice the drag."""
    system = craft(
        '[environment]\ngravity = "central"\n[environment.air]\nmodel = "input"\ndensity = 1e-12\n', HUB, AT, PLATE
    )
    x, u, k, d = start(system)
    names = [signal.name for signal in system.signals.inputs]
    drag = []
    for density in (0.0, 1e-12, 2e-12):
        given = u.copy()
        given[names.index("environment.air.air_density")] = density
        drag.append(motion(system, 0.0, x, given, k, d)[0][system.signals.where("states", "hub.velocity")])
    assert u[names.index("environment.air.air_density")] == 1e-12
    assert np.allclose(drag[2] - drag[0], 2.0 * (drag[1] - drag[0]), rtol=1e-6, atol=1e-14)
    assert np.linalg.norm(drag[1] - drag[0]) > 1e-9


def test_a_file(tmp_path):
    (tmp_path / "air.csv").write_text("height,density\n1e5,5e-7\n3e5,2e-11\n5e5,7e-13\n")
    assert read_density(tmp_path / "air.csv").shape == (3, 2)
    (tmp_path / "bad.csv").write_text("1e5,5e-7\n1e5,2e-11\n5e5,7e-13\n")
    with pytest.raises(ValueError, match="increasing heights"):
        read_density(tmp_path / "bad.csv")
    text = f'name = "Test"\n[environment]\ngravity = "central"\n[environment.air]\nfile = "air.csv"\n{HUB}{AT}{PLATE}'
    assert np.all(np.isfinite(motion(load_text(text, folder=tmp_path), 0.0, *start(load_text(text, folder=tmp_path)))[0]))  # fmt: skip


def day_table(heights, hours) -> str:
    """A table of a smooth atmosphere whose density doubles in the afternoon."""
    rows = [[h, *(1e-11 * np.exp(-(h - 3e5) / 5e4 + 0.35 * np.cos(np.pi / 12.0 * (hour - 14.0)) + 0.1 * np.sin(np.pi / 6.0 * hour)) for hour in hours)] for h in heights]  # fmt: skip
    return (
        "height," + ",".join(map(str, hours)) + "\n" + "\n".join(",".join(map(repr, map(float, row))) for row in rows)
    )


@pytest.mark.parametrize("count", [5, 8, 24])
def test_a_table_over_local_time(tmp_path, count):
    """At and between its hours and rows it is the atmosphere that the table was made of, a sum of two waves; over the pole it is finite."""
    (tmp_path / "air.csv").write_text(day_table(np.arange(2e5, 6.1e5, 5e4), 24.0 / count * np.arange(count)))
    air = DailyAir(rows=read_density(tmp_path / "air.csv"))
    scene = replace(InertialFrame().at(0.0, np.zeros(0), {}), sun_N=np.array([0.8, 0.0, 0.6]))
    k = {RADIUS: 6.378e6, air.scale: 1.0}
    for hour in (0.0, 3.0, 7.3, 14.0, 22.9):
        for h in (2.5e5, 3.21e5):
            turned = np.pi / 12.0 * (hour - 12.0)
            R = (6.378e6 + h) * np.array([0.6 * np.cos(turned), 0.6 * np.sin(turned), -0.8])
            wanted = 1e-11 * np.exp(-(h - 3e5) / 5e4 + 0.35 * np.cos(np.pi / 12.0 * (hour - 14.0)) + 0.1 * np.sin(np.pi / 6.0 * hour))  # fmt: skip
            assert air.density_at(scene, R, None, k) == pytest.approx(wanted, rel=1e-9)
    assert 1e-12 < air.density_at(scene, np.array([0.0, 0.0, 6.7e6]), None, k) < 1e-10


def test_a_table_over_local_time_in_a_description(tmp_path):
    """It needs the Sun, and a head with even hours."""
    (tmp_path / "air.csv").write_text(day_table([2e5, 4e5, 6e5], [0.0, 6.0, 12.0, 18.0]))
    sunny = DATED + '[environment.air]\nfile = "air.csv"\n' + HUB + AT + PLATE
    system = load_text('name = "Test"\n' + sunny, folder=tmp_path)
    assert np.all(np.isfinite(motion(system, 0.0, *start(system))[0]))
    with pytest.raises(
        DescriptionError, match=r"environment\.air\.file.*a table without local times, or a table environment\.sun"
    ):
        load_text('name = "Test"\n' + sunny.replace("[environment.sun]\n", ""), folder=tmp_path)
    (tmp_path / "air.csv").write_text(day_table([2e5, 4e5, 6e5], [0.0, 6.0, 13.0, 18.0]))
    with pytest.raises(DescriptionError, match=r"expected the local solar times 0, 6, 12, 18 \[h\] in its first line"):
        load_text('name = "Test"\n' + sunny, folder=tmp_path)


@pytest.mark.parametrize(
    "text, sentence",
    [
        (DATED + "[environment.air]\ndensity = 1e-12\n", "environment.air.height is missing: an exponential atmosphere has it"),
        (DATED.split("[environment.time]")[0] + HP, "expected another one without a table environment.sun"),
        (DATED + HP + "height = 1e5\n", "environment.air.height = 100000.0 is not allowed without model"),
        (DATED + '[environment.air]\nfile = "none.csv"\n', "environment.air.file none.csv"),
    ],
)  # fmt: skip
def test_refusals(text, sentence):
    with pytest.raises(DescriptionError) as error:
        load_text('name = "Test"\n' + text + HUB + PLATE)
    assert sentence in str(error.value)
