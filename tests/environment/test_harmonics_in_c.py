"""The C runtime's own routine for harmonics against the equations: another scaling, other sums, no table of derivatives."""

import casadi
import numpy as np
import pytest

from spacefmu.dynamics.algebra.symbol import ROUTINES, _operation
from spacefmu.dynamics.environment.gravity_file import SHIPPED, read_gfc
from spacefmu.dynamics.environment.harmonics import FIRST, SECOND, Coefficients, HarmonicField
from tests.batch.test_writer import LANES, by_lanes
from tests.environment.test_harmonics import random_coefficients
from tests.native.test_writer import evaluated

PLACES = ((5.0e6, -4.1e6, 2.3e6), (0.0, 0.0, 6.9e6), (-7.1e6, 0.0, 0.0), (1.0, 1e-3, -7e6))


def all_ways(field: HarmonicField, seed: int):
    """The value, its change along a motion, and the gradient of a weighted sum, with arguments of each."""
    function, rng = _operation(field, 3), np.random.default_rng(seed)
    assert function.name() in ROUTINES
    weights, along = rng.normal(size=len(field.table)), 1e3 * rng.normal(size=3)
    cases = [(function, [])]
    cases += [(function.forward(1), [np.zeros(0), along]), (function.reverse(1), [np.zeros(0), weights])]
    return [(each, [np.array(R), *more]) for R in PLACES for each, more in cases]


def high(degree: int) -> Coefficients:
    """Of a high degree, as small as those of a planet."""
    n = np.arange(degree + 1.0)[:, None]
    whole = random_coefficients(degree)
    return Coefficients(whole.radius, whole.C * 1e-5 / (n + 1.0) ** 2, whole.S * 1e-5 / (n + 1.0) ** 2)


FIELDS = {
    "EGM2008": lambda: HarmonicField((read_gfc(SHIPPED["EGM2008"]).coefficients.cut(36, 36),), (*FIRST, *SECOND)),
    "all from degree 1": lambda: HarmonicField((random_coefficients(5),), (*FIRST, *SECOND)),
    "few orders": lambda: HarmonicField((random_coefficients(9).cut(9, 3),), (*FIRST, *SECOND)),
    "zonal": lambda: HarmonicField((random_coefficients(6).cut(6, 0),), (*FIRST, *SECOND)),
    "magnetic": lambda: HarmonicField((random_coefficients(13), random_coefficients(13).cut(13, 8)), FIRST),
    "degree 120": lambda: HarmonicField((high(120),), (*FIRST, *SECOND)),
}


@pytest.mark.parametrize("name", FIELDS)
def test_value_change_and_gradient(name, tmp_path):
    """At places off the axis, on it, on the equator and a metre beside the axis."""
    cases = all_ways(FIELDS[name](), 3)
    functions, arguments = zip(*cases, strict=True)
    for function, given, (found,) in zip(functions, arguments, evaluated(functions, arguments, tmp_path), strict=True):
        expected = np.array(casadi.DM(function.call(given)[0]).nonzeros())
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()


def test_on_lanes(tmp_path):
    """Several runs at once, each at a place of its own: the same to round-off."""
    function = _operation(HarmonicField((random_coefficients(7),), (*FIRST, *SECOND)), 3)
    places = 4e6 * np.random.default_rng(1).normal(size=(3, LANES))
    ((found,),) = by_lanes([function], [[places]], tmp_path)
    expected = np.column_stack([np.array(function(place).nonzeros()) for place in places.T])
    assert np.abs(found - expected).max() < 1e-14 * np.abs(expected).max()
