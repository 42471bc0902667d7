"""The light on sections: eclipse, the Sun on a deformed body, and the planet, each against a second computation."""

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import rotation_vector
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.environment.planet_light import view_of_sphere
from spacefmu.dynamics.environment.sun import LARGE, SUN_RADIUS_ANGLE, beyond_cylinder, sunlit
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.signals import Bag
from tests.algebra.on_symbols import slopes
from tests.compare import relative
from tests.thermal.crafts import boom

RADIUS, SUN = 6378137.0, np.array([1.0, 0.0, 0.0])


def points_of_the_sun(r, theta):
    """Share of the Sun's disc on the sky that is beside the planet's, by points; the planet's centre is at θ from the Sun's."""
    points, weights = np.polynomial.legendre.leggauss(400)
    out, around = 0.5 * (points + 1.0) * SUN_RADIUS_ANGLE, (np.arange(4000) + 0.5) * np.pi / 2000.0
    from_planet = np.arccos(
        np.outer(np.cos(out), np.cos(theta)) + np.outer(np.sin(out), np.cos(around)) * np.sin(theta)
    )
    shares = weights * np.sin(out)
    return shares @ np.mean(from_planet > np.arcsin(RADIUS / r), axis=1) / shares.sum()


def away_from_the_sun(r, theta):
    return r * np.array([-np.cos(theta), np.sin(theta), 0.0])


@pytest.mark.parametrize("r", [7e6, 4.2e7, 3e8])
@pytest.mark.parametrize("z", [-0.95, -0.5, 0.0, 0.4, 0.9])
def test_share_of_the_suns_disc(r, z):
    """Points of the Sun's disc on the sky that are beside the planet's: 2.5e-5 of it, the points' own error."""
    theta = np.arcsin(RADIUS / r) + z * SUN_RADIUS_ANGLE
    assert sunlit(away_from_the_sun(r, theta), SUN, RADIUS) == pytest.approx(points_of_the_sun(r, theta), abs=5e-5)


@pytest.mark.parametrize("size", [0.3, 0.914, 1.0, 1.5, 4.0, 19.9, 20.1])
@pytest.mark.parametrize("apart", [0.05, 0.4, 0.8, 1.2])
def test_share_of_the_suns_disc_beside_planets_of_any_size(size, apart):
    """Planets that look `size` times as large as the Sun, down to those that it surrounds: 3.9e-5, the points' own error."""
    r = RADIUS / np.sin(size * SUN_RADIUS_ANGLE)
    theta = (max(size - 1.0, 0.0) + apart) * SUN_RADIUS_ANGLE
    R = away_from_the_sun(r, theta)
    assert sunlit(R, SUN, RADIUS) == pytest.approx(points_of_the_sun(r, theta), abs=1e-4)
    assert np.all(np.isfinite(slopes(lambda place: np.array([sunlit(place, SUN, RADIUS)]), R)))


def test_an_annular_shadow():
    """1.5 million km behind the Earth its disc is 0.914 of the Sun's: 0.164 of the light is left on the axis (1.0005 before)."""
    size = np.tan(np.arcsin(RADIUS / 1.5e9)) / SUN_RADIUS_ANGLE
    assert sunlit(np.array([-1.5e9, 0.0, 0.0]), SUN, RADIUS) == pytest.approx(1.0 - size**2, abs=1e-15)
    assert 1.0 - size**2 == pytest.approx(0.164, abs=5e-4)


def test_the_share_is_continuous():
    """Through the limbs, and where the limb's segment becomes a series: no step, never less light farther out."""
    for size in (0.4, 0.914, 1.0, 2.5):
        r, thetas = RADIUS / np.sin(size * SUN_RADIUS_ANGLE), np.linspace(0.0, size + 1.2, 20001) * SUN_RADIUS_ANGLE
        lit = np.array([sunlit(away_from_the_sun(r, theta), SUN, RADIUS) for theta in thetas[::5]])
        assert np.max(np.abs(np.diff(lit))) < 2e-3
        assert np.all(np.diff(lit) >= -1e-12)
    for share in (-0.9, 0.1, 0.9):
        near = [
            RADIUS / np.sin(np.arctan(size * SUN_RADIUS_ANGLE)) for size in (LARGE * (1 - 1e-14), LARGE * (1 + 1e-14))
        ]
        lit = [
            sunlit(away_from_the_sun(r, np.arcsin(RADIUS / r) + share * SUN_RADIUS_ANGLE), SUN, RADIUS) for r in near
        ]
        assert lit[0] == pytest.approx(lit[1], abs=1e-11)


@pytest.mark.parametrize("z", [-1.0, -0.3, 1.0])
def test_the_penumbra_has_derivatives(z):
    theta = np.arcsin(RADIUS / 7e6) + z * SUN_RADIUS_ANGLE
    R = 7e6 * np.array([-np.cos(theta), np.sin(theta), 0.0])
    assert np.all(np.isfinite(slopes(lambda r: np.array([sunlit(r, SUN, RADIUS)]), R)))


def test_a_cylindrical_shadow():
    """Dark behind the planet within its radius, lit beside it and before it."""
    behind = [beyond_cylinder(np.array([-7e6, y, 0.0]), SUN, RADIUS) > 0.0 for y in (0.0, 6.37e6, 6.38e6)]
    assert behind == [False, False, True]
    assert beyond_cylinder(np.array([7e6, 0.0, 0.0]), SUN, RADIUS) > 0.0


@pytest.mark.parametrize("sine", [0.1, 0.4, 0.9])
def test_view_of_the_planet(sine):
    """∫ cos⁺ dω/π over its disc on the sky, for faces that see all of it, a part, and nothing. Measured 1e-7."""
    points, weights = np.polynomial.legendre.leggauss(200)
    rho = np.arcsin(sine)
    out, around = 0.5 * (points + 1.0) * rho, (np.arange(1000) + 0.5) * np.pi / 500.0
    for cosine in (0.95, 0.3, 0.05, 0.0, -0.08, -0.85, -0.95):
        on_face = np.outer(np.cos(out), cosine) + np.outer(np.sin(out), np.cos(around)) * np.sqrt(1.0 - cosine**2)
        seen = 0.5 * rho * weights * np.sin(out) @ np.mean(np.maximum(on_face, 0.0), axis=1) * 2.0
        assert view_of_sphere(cosine, sine) == pytest.approx(seen, abs=1e-6)
        assert np.all(np.isfinite(slopes(lambda both: np.array([view_of_sphere(*both)]), [cosine, sine])))


ORBIT = """
[environment]
frame = "orbit"
gravity = "central"
albedo = 0.3
infrared = 237.0
orbit = { semi_major_axis = 6.9e6, inclination = 0.9, raan = 0.4, mean_anomaly = 1.1 }
sun = { date = 2026-05-01T10:00:00Z }
"""
MODES = "{ bending_y = 1, bending_z = 1 }"


def outputs(text, amplitudes):
    system = load_text(text)
    x, u, k, d = start(system)
    x[: len(amplitudes)] = amplitudes
    return system, Bag(system.signals, "outputs", motion(system, 0.0, x, u, k, d)[1])


def test_the_light_follows_the_slope_of_the_deformed_body():
    """Axes of a section are those of the body turned by its slopes: the Sun, its incidence on both faces and its flux, each from the others."""
    eta = np.array([0.6, -0.3, 0.1, 0.05, 0.02, -0.01])
    text = boom(2, modes=MODES) + "[environment]\nsun = { direction = [0.3, 0.8, -0.5] }\n"
    system, y = outputs(text, eta)
    body = system.made_by[1].tree.links[0].body
    sun = np.array([0.3, 0.8, -0.5]) / np.linalg.norm([0.3, 0.8, -0.5])
    assert relative(y["boom.sun_direction"], sun) < 1e-15
    flux, directions = 1361.0, np.reshape(y["boom.section.sun_direction"], (2, 3))
    for i, node in enumerate(body.thermal.sections):
        slopes_there = node.turn @ eta
        expected = rotation_vector(slopes_there, np.zeros(3))[0].T @ sun
        assert np.linalg.norm(slopes_there) > 0.05
        assert relative(directions[i], expected) < 1e-14
        assert relative(np.reshape(y["boom.section.rotation"], (2, 3))[i], slopes_there) < 1e-14
        assert relative(np.reshape(y["boom.section.sunlight"], (2, 3))[i], flux * expected) < 1e-14
        assert relative(y["boom.section.incidence_y"][i], expected[1]) < 1e-14
        both = np.reshape(y["boom.section.solar_flux_z"], (2, 2))[i]
        assert relative(both, flux * np.maximum([expected[2], -expected[2]], 0.0)) < 1e-14
    assert relative(y["boom.section.position"][0], 1.25 + body.thermal.sections[0].displacement(eta)[0]) < 1e-14


def test_sections_on_an_orbit():
    """Node against place: what a root body is told of Sun and planet, in its axes, is what an undeformed section is told."""
    text = boom(2, modes=MODES, more="polar_inertia = 0.01").split("[joints")[0] + ORBIT
    _, y = outputs(text, [])
    for i in range(2):
        at = slice(3 * i, 3 * i + 3)
        assert relative(y["boom.section.sun_direction"][at], y["boom.sun_direction"]) < 1e-14
        assert relative(y["boom.section.planet_direction"][at], y["boom.earth_direction"]) < 1e-6  # some metres apart
        sine = RADIUS / 6.9e6
        assert y["boom.section.planet_sine"][i] == pytest.approx(sine, rel=1e-5)
        view = view_of_sphere(y["boom.earth_direction"][1], sine), view_of_sphere(-y["boom.earth_direction"][1], sine)
        assert relative(np.reshape(y["boom.section.planet_view_y"], (2, 2))[i], view) < 1e-5
        noon = -y["boom.earth_direction"] @ y["boom.sun_direction"]
        assert y["boom.section.planet_albedo"][i] == pytest.approx(0.3 * 1361.0 * max(noon, 0.0), rel=1e-5)
        assert y["boom.section.planet_infrared"][i] == 237.0
        assert y["boom.section.sunlit"][i] == y["boom.sunlit"]
