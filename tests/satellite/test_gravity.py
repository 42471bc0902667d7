"""Equation (18) of [tkachev] against mass points, and its gravity of first order: equal to a linear field on every point, off the engine by size over radius."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import casadi as ca
import numpy as np

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.environment import CentralGravity, Environment
from spacefmu.dynamics.spacecraft import spacecraft_system
from spacefmu.dynamics.system.evaluate import motion, start
from tests.papers.point_crafts import hub_with_two
from tests.satellite.test_linear import text

DIRECTION = np.array([2.0, -3.0, 6.0]) / 7.0  # from the planet's centre to the hub
TIDE = 0.3  # μ/R³ [1/s²], the same at every radius: so what remains of it at a large radius is what does not fall


def crafts():
    system, points = hub_with_two()
    return system.made_by[1], points


def states(craft, seed, radius=0.0):
    """A random state of the satellite of mass points, its hub `radius` from the origin; all speeds differ from zero."""
    rng = np.random.default_rng(seed)
    x, *_ = start(spacecraft_system(craft))
    x = 0.4 * rng.normal(size=len(x))
    x[3:7] = rng.normal(size=4)
    x[3:7] /= np.linalg.norm(x[3:7])
    x[:3] += radius * DIRECTION
    return x


def moving(craft, formulation, x, mu=None):
    """ẋ of coordinates and speeds."""
    if mu is not None:
        craft = replace(craft, environment=Environment(fields=(CentralGravity(mu=mu),)))
    system = spacecraft_system(replace(craft, formulation=formulation))
    _, u, k, d = start(system)
    return motion(system, 0.0, x, u, k, d)[0][: craft.tree.nq + craft.tree.nv]


def attracted(points, mu, exact):
    """The point model with a force on every mass: the planet's, or the linear field about the mass centre of all."""
    total = sum(m for _, m in points.points)
    center = sum((m * r for r, m in points.points), ca.SX(3, 1)) / total
    size = ca.norm_2(center)
    for r, m in points.points:
        if exact:
            points.add_force(r, -mu * m * r / ca.norm_2(r) ** 3)
        else:
            x = r - center
            points.add_force(r, -mu * m * (r / size**3 - 3.0 * center * ca.dot(center, x) / size**5))
    return points


@cache
def equations(points):
    return points.equations()


def by_points(points, craft, x):
    tree = craft.tree
    return points.rates(equations(points), x[: tree.nq + tree.nv])


def test_the_closed_form_is_the_motion_of_its_mass_points():
    """(18) against Lagrange's equations of every mass point by automatic differentiation: to 1e-11 of the largest (measured 1e-15)."""
    craft, points = crafts()
    for x in (states(craft, seed) for seed in range(3)):
        expected = by_points(points, craft, x)
        np.testing.assert_allclose(
            moving(craft, "closed", x), expected, rtol=0.0, atol=1e-11 * np.max(np.abs(expected))
        )


def test_gravity_of_first_order_is_a_linear_field_on_every_mass_point():
    """Every row of (18), 100 m from the planet's centre, where the linear field is far from the true one: to 1e-11 of the largest (measured 4e-16)."""
    craft, points = crafts()
    mu, x = TIDE * 100.0**3, states(craft, 1, 100.0)
    expected = by_points(attracted(points, mu, exact=False), craft, x)
    np.testing.assert_allclose(
        moving(craft, "closed", x, mu), expected, rtol=0.0, atol=1e-11 * np.max(np.abs(expected))
    )


def test_the_difference_to_the_engine_falls_as_size_over_radius():
    """One field about C (first order) against one about each body's mass centre (second order), and both against the planet's true pull
    on every mass point: at the same μ/R³ all differ by size/R, slopes measured 0.99 to 1.00.
    """
    craft, _ = crafts()
    inner = slice(craft.tree.nq + 3, None)  # ω̇, hinge and modes: the fall of the whole hides nothing
    apart, paper_off, engine_off = [], [], []
    for radius in (100.0, 400.0):
        mu, x = TIDE * radius**3, states(craft, 7, radius)
        paper, engine = moving(craft, "closed", x, mu), moving(craft, "tree", x, mu)
        exact = by_points(attracted(crafts()[1], mu, exact=True), craft, x)
        for sizes, difference in ((apart, paper - engine), (paper_off, paper - exact), (engine_off, engine - exact)):
            sizes.append(np.max(np.abs(difference[inner])))
    for sizes in (apart, paper_off, engine_off):
        np.testing.assert_allclose(np.diff(np.log(sizes)) / np.log(0.25), 1.0, atol=0.05)
    assert apart[0] > 1e-2 * TIDE


def test_gravity_from_a_description():
    """At 7000 km size over radius is some 1e-6: accelerations of both formulations agree to that share of μ/R³ times size, and not better."""
    free = '[environment]\ngravity = "central"\n[bodies.hub.initial]\nposition = [7e6, 0.0, 0.0]\nvelocity = [0.0, 7546.0, 0.0]\nangular_velocity = [0.01, 0.02, -0.03]\n'
    found, expected = (
        motion(system, 0.0, *start(system))[0] for system in (load_text(text(f) + free) for f in ("closed", "tree"))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
