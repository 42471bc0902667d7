"""Liquid at rest in its tank: closed forms against sums over points, and their slopes against differences."""

import numpy as np
import pytest

from spacefmu.dynamics.algebra.dual import duals, rates_of
from spacefmu.dynamics.system.splines import curve_through
from spacefmu.dynamics.tanks.fill import LEAST, AtOnePlace, Cylinder, Ellipsoid, Tabled, ball_depth

TILTED = tuple(np.array([0.3, -0.5, -0.8]) / np.linalg.norm([0.3, -0.5, -0.8]))
FILLS = np.linspace(0.0, 1.0, 9)
TABLE = [
    FILLS * 0.1,
    0.02 + 0.0 * FILLS,
    FILLS**2 - 0.5,
    *(0.2 + 0.1 * np.outer([1, 2, 3], FILLS)),
    *(0.01 * np.outer([1, -1, 2], FILLS)),
]
SHAPES = {
    "sphere": Ellipsoid((0.5, 0.5, 0.5), (0.0, 0.0, -1.0)),
    "ellipsoid": Ellipsoid((0.5, 0.3, 0.7), TILTED),
    "cylinder": Cylinder(0.4, 1.2, TILTED),
    "point": AtOnePlace(),
    "table": Tabled(tuple(curve_through(FILLS, column) for column in TABLE), np.zeros(3)),
}


def points_of(shape) -> np.ndarray:
    """Points (n, 3) that fill the shape evenly: midpoints of a fine grid."""
    size = shape.semi_axes if isinstance(shape, Ellipsoid) else (0.7, 0.7, 0.7)
    axes = [np.linspace(-s, s, 121)[:-1] + s / 120.0 for s in size]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    if isinstance(shape, Ellipsoid):
        return grid[((grid / np.array(size)) ** 2).sum(axis=1) < 1.0]
    along = grid @ np.array(shape.outlet)
    across = np.linalg.norm(grid - np.outer(along, shape.outlet), axis=1)
    return grid[(across < shape.radius) & (np.abs(along) < 0.5 * shape.length)]


@pytest.mark.parametrize("name", ["sphere", "ellipsoid", "cylinder"])
@pytest.mark.parametrize("fill", [0.08, 0.5, 0.83])
def test_moments_of_a_fill(name, fill):
    """The lowest share of all points, towards the outlet: mass centre and second moments as of the closed form."""
    shape = SHAPES[name]
    points = points_of(shape)
    depth = points @ np.array(shape.outlet)
    lowest = points[depth >= np.quantile(depth, 1.0 - fill)]
    liquid = shape.at(fill)
    assert lowest.sum(axis=0) / len(points) == pytest.approx(liquid.first, abs=2e-3)
    assert np.einsum("pi,pj->ij", lowest, lowest) / len(points) == pytest.approx(liquid.second, abs=2e-3)
    assert (depth.max(), shape.outlet_place @ np.array(shape.outlet)) == pytest.approx(
        (shape.outlet_place @ np.array(shape.outlet),) * 2, rel=0.02
    )


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("fill", [0.03, 0.4, 0.97])
def test_slopes_of_a_fill(name, fill):
    """What leaves is the surface: ds/df, dQ/df and d²s/df² against central differences."""
    shape, h = SHAPES[name], 1e-5
    low, high, here = shape.at(fill - h), shape.at(fill + h), shape.at(fill)
    assert (high.first - low.first) / (2 * h) == pytest.approx(here.drawn, abs=1e-7)
    assert (high.second - low.second) / (2 * h) == pytest.approx(here.layer, abs=1e-7)
    assert (high.drawn - low.drawn) / (2 * h) == pytest.approx(here.rise, abs=2e-5)


def test_full_and_empty():
    """A full ball: ∫r rᵀ = R²/5; an empty one has nothing. A full cylinder: L²/12 along, R²/4 across."""
    ball, can = SHAPES["sphere"], Cylinder(0.4, 1.2, (0.0, 0.0, 1.0))
    assert ball.at(1.0).second == pytest.approx(np.eye(3) * 0.05, abs=1e-11)
    assert ball.at(1.0).first == pytest.approx(np.zeros(3), abs=1e-11)
    assert ball.at(0.0).second == pytest.approx(np.zeros((3, 3)), abs=1e-11)
    assert can.at(1.0).second == pytest.approx(np.diag([0.04, 0.04, 0.12]), abs=1e-15)


def test_walls():
    """A thin sphere has R²/3 each way; a flat ellipsoid is nearly two discs, R²/4; a cylinder is a tube and two discs."""
    assert SHAPES["sphere"].shell == pytest.approx(np.eye(3) * 0.25 / 3.0, rel=1e-12)
    assert np.diag(Ellipsoid((1.0, 1.0, 1e-3), TILTED).shell)[:2] == pytest.approx([0.25, 0.25], rel=2e-3)
    R, L = 0.4, 1.2
    tube, disc = 2 * np.pi * R * L, np.pi * R * R
    expected = (tube * R * R / 2 + 2 * disc * R * R / 4) / (tube + 2 * disc)
    can = Cylinder(R, L, (0.0, 0.0, 1.0))
    assert can.shell[0, 0] == pytest.approx(expected, rel=1e-14)
    assert can.shell[2, 2] == pytest.approx((tube * L * L / 12 + 2 * disc * L * L / 4) / (tube + 2 * disc), rel=1e-14)


def test_the_depth_of_a_ball():
    """It solves w²(3 − w)/4 = h to round-off from the least fill on, and is the sine of a third of the angle; its slope over h is 4/(3w(2 − w))."""
    h = np.concatenate([np.geomspace(LEAST, 0.5, 400), np.linspace(0.01, 0.5, 50)])
    w = ball_depth(h)
    assert w * w * (3.0 - w) / 4.0 == pytest.approx(h, rel=2e-15)
    sine = 2.0 * np.sin(np.arcsin(1.0 - 2.0 * h[400:]) / 3.0)  # which loses half of its digits towards h = 0
    assert 1.0 - w[400:] == pytest.approx(sine, abs=2e-15)
    slopes = np.array([rates_of(ball_depth(duals(np.array([each]), np.ones(1))[0])) for each in h])
    assert slopes == pytest.approx(4.0 / (3.0 * w * (2.0 - w)), rel=1e-13)
