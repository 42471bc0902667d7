"""Sunlight, air and magnetic field against formulas worked by hand."""

import numpy as np
import pytest

from spacefmu.dynamics.bodies.body import plain_node
from spacefmu.dynamics.environment.air import Air
from spacefmu.dynamics.environment.frames import InertialFrame
from spacefmu.dynamics.environment.magnetic import DipoleField
from spacefmu.dynamics.environment.planet import RADIUS_EARTH, SUN_PRESSURE
from spacefmu.dynamics.environment.sun import ByDate, Sun
from spacefmu.dynamics.environment.surface import Surface
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.signals import NamedValues
from tests.environment.craft import A, craft, orbit

UP = np.array([0.0, 0.0, 1.0])
NOW = InertialFrame().at(0.0, np.zeros(0), {})


def plate(both_sides=False, **coefficients):
    values = {"area": 2.0, "specular": 0.0, "diffuse": 0.0, "drag": 2.2} | coefficients
    node = plain_node("place", np.zeros(3))
    around = {"sun": Sun(ByDate(0.0)), "air": Air(0.0, density=0.0, height=0.0, scale_height=1.0)}
    surface = Surface("plate", 0, node, (0.0, 0.0, 1.0), **values, both_sides=both_sides, **around)
    return surface, NamedValues({f"plate.{name}": value for name, value in values.items()})


@pytest.mark.parametrize(
    "coefficients, direction, expected",
    [
        ({}, [0.0, 0.0, 1.0], [0.0, 0.0, -2.0]),  # black, facing the Sun: P A
        ({"specular": 1.0}, [0.0, 0.0, 1.0], [0.0, 0.0, -4.0]),  # a mirror: 2 P A
        ({"diffuse": 1.0}, [0.0, 0.0, 1.0], [0.0, 0.0, -2.0 * 5.0 / 3.0]),  # white: (1 + 2/3) P A
        (
            {"specular": 1.0},
            [0.6, 0.0, 0.8],
            [0.0, 0.0, -4.0 * 0.64],
        ),  # a slanted mirror: along its normal, 2 P A cos²
        ({}, [0.6, 0.0, 0.8], [-2.0 * 0.48, 0.0, -2.0 * 0.64]),  # a slanted black plate: P A cos, away from the Sun
        ({}, [0.0, 0.6, -0.8], [0.0, 0.0, 0.0]),  # lit from behind
    ],
)
def test_sunlight_on_a_plate(coefficients, direction, expected):
    surface, k = plate(**coefficients)
    assert np.allclose(surface.pressure(k, 1.0, np.array(direction), UP), expected, rtol=0.0, atol=1e-15)


def test_both_sides():
    """From behind, a two-sided mirror is pushed the other way; a one-sided one not at all."""
    surface, k = plate(both_sides=True, specular=1.0)
    assert np.allclose(surface.pressure(k, 1.0, np.array([0.0, 0.0, -1.0]), UP), [0.0, 0.0, 4.0], rtol=0.0, atol=1e-15)
    assert np.allclose(
        surface.resistance(k, 1.0, np.array([0.0, 0.0, -3.0]), UP), [0.0, 0.0, 0.5 * 2.2 * 2.0 * 9.0], rtol=1e-15
    )


def test_drag_on_a_plate():
    """½ ρ C_D A (n·v) v against the motion; nothing on the lee side."""
    surface, k = plate()
    force = surface.resistance(k, 1e-12, np.array([0.0, 3000.0, 4000.0]), UP)
    assert np.allclose(force, -0.5e-12 * 2.2 * 2.0 * 4000.0 * np.array([0.0, 3000.0, 4000.0]), rtol=1e-15)
    assert np.all(surface.resistance(k, 1e-12, np.array([0.0, 3000.0, -4000.0]), UP) == 0.0)


def test_air_turns_with_the_planet():
    air = Air(7.2921159e-5, density=3e-13, height=5e5, scale_height=6e4)
    k = NamedValues({signal.name: signal.start for signal in air.parameters()} | {"environment.radius": RADIUS_EARTH})
    R = np.array([RADIUS_EARTH + 5e5 + 6e4, 0.0, 0.0])
    assert air.density_at(NOW, R, None, k) == pytest.approx(3e-13 / np.e, rel=1e-14)
    assert np.allclose(air.velocity_at(NOW, R, None, k), [0.0, 7.2921159e-5 * R[0], 0.0], rtol=1e-15)


PLATE = """
[bodies.plate]
mass = 5.0
inertia = [1.0, 1.0, 2.0]
[surfaces.front]
body = "plate"
place = [0.0, 0.5, 0.0]
normal = "{normal}"
area = 2.0
{more}
"""


def accelerations(system, t=0.0):
    x, u, k, d = start(system)
    rates = motion(system, t, x, u, k, d)[0]
    return [rates[system.signals.where("states", f"plate.{name}")] for name in ("velocity", "angular_velocity")]


def test_sunlight_on_a_spacecraft():
    """On the sunny side of a circular orbit: F/m, and the torque of its lever 0.5 m about the mass centre."""
    system = craft(
        orbit(), "[environment.sun]\ndirection = [1.0, 0.0, 0.0]\n", PLATE.format(normal="x", more="specular = 0.4")
    )
    moved, turned = accelerations(system)
    force = -SUN_PRESSURE * 2.0 * (0.6 + 2.0 * 0.4)
    assert moved == pytest.approx([force / 5.0, 0.0, 0.0], abs=1e-12)  # differential gravity of the inertia: 1e-14
    # (0, 0.5, 0) × (force, 0, 0) = (0, 0, −0.5 force); principal axes along O: no gravity-gradient torque
    assert turned == pytest.approx([0.0, 0.0, -0.5 * force / 2.0], rel=1e-9, abs=1e-20)


def test_drag_on_a_spacecraft():
    """Air at rest in N: the plate meets it with the orbital velocity √(μ/a), along track."""
    text = "[environment.air]\ndensity = 1e-11\nheight = 0.0\nscale_height = 1e9\nspin = 0.0\n"
    system = craft(orbit(), text, PLATE.format(normal="y", more="drag = 2.0"))
    moved, _ = accelerations(system)
    speed2 = 3.986004418e14 / A
    density = 1e-11 * np.exp(-(A - RADIUS_EARTH) / 1e9)
    assert moved[1] == pytest.approx(
        -density * 2.0 * speed2 / 5.0, rel=1e-6
    )  # place is 0.5 m ahead of the origin: 1e-7


def test_dipole_field():
    """B_s at the magnetic equator, against d; twice that over the pole, along d; falling as R⁻³."""
    field = DipoleField(3.0e-5, 0.0, 0.0, 0.0)
    k = NamedValues({signal.name: signal.start for signal in field.parameters()} | {"environment.radius": RADIUS_EARTH})
    assert np.allclose(
        field.at(NOW, np.array([RADIUS_EARTH, 0.0, 0.0]), None, k), [0.0, 0.0, 3.0e-5], rtol=1e-15
    )  # northward
    assert np.allclose(
        field.at(NOW, np.array([0.0, 0.0, RADIUS_EARTH]), None, k), [0.0, 0.0, -6.0e-5], rtol=1e-15
    )  # downward
    assert np.allclose(
        field.at(NOW, np.array([0.0, 2.0 * RADIUS_EARTH, 0.0]), None, k), [0.0, 0.0, 3.0e-5 / 8.0], rtol=1e-15
    )


@pytest.mark.parametrize(("command", "given"), [(4.0, 4.0), (50.0, 6.0), (-50.0, -6.0)])
def test_coils_saturate(command, given):
    """Beyond `limit` = 6 A m² a command along y gives no more torque about x; the residual dipole is not limited."""
    text = orbit() + "[environment.magnetic]\nstrength = 3e-5\ntilt = 0.0\n"
    coil = '[bodies.plate]\nmass = 5.0\ninertia = [1.0, 1.0, 2.0]\n[dipoles.coil]\nbody = "plate"\nresidual = [0.0, 10.0, 0.0]\nlimit = 6.0\n'
    system = craft(text, coil)
    x, u, k, d = start(system)
    u[system.signals.where("inputs", "dipole.coil.command[2]")] = command
    turned = motion(system, 0.0, x, u, k, d)[0][system.signals.where("states", "plate.angular_velocity")]
    assert turned[0] == pytest.approx((10.0 + given) * 3e-5 * (RADIUS_EARTH / A) ** 3, rel=1e-12)


def test_dipole_torque():
    """m × B on the equator: a dipole along y in a northward field turns about x."""
    text = orbit() + "[environment.magnetic]\nstrength = 3e-5\ntilt = 0.0\n"
    system = craft(
        text,
        '[bodies.plate]\nmass = 5.0\ninertia = [1.0, 1.0, 2.0]\n[dipoles.coil]\nbody = "plate"\nresidual = [0.0, 10.0, 0.0]\n',
    )
    _, turned = accelerations(system)
    assert turned == pytest.approx([10.0 * 3e-5 * (RADIUS_EARTH / A) ** 3, 0.0, 0.0], rel=1e-12, abs=1e-18)
