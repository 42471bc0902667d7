"""Recorded equations give what the plain ones give."""

import numpy as np
import pytest

from dynamics.evaluate import motion, project, start
from dynamics.recording import record, recorded
from dynamics.scalar import where
from fmu_src import catalogue
from tests.catalogue_fmus import system_of
from tests.compare import relative
from tests.systems_small import ALL

SYSTEMS = {system.name: (lambda system=system: system) for system in ALL}
SYSTEMS |= {path.stem: (lambda name=path.stem: system_of(name)) for path in sorted(catalogue.FOLDER.glob("*.toml"))}


@pytest.mark.parametrize("name", SYSTEMS)
def test_recorded_equations_equal_plain_ones(name):
    """At seeded states near the start, projected; measured 1e-13 at most (FourBar's multipliers)."""
    plain = SYSTEMS[name]()
    fast = recorded(plain)
    x0, u0, k, d = start(plain)
    random = np.random.default_rng(1)
    for _ in range(3):
        u = u0 + 0.3 * random.standard_normal(len(u0))
        x = project(plain, 0.7, x0 + 0.02 * random.standard_normal(len(x0)), u, k, d)
        for found, expected in zip(motion(fast, 0.7, x, u, k, d), motion(plain, 0.7, x, u, k, d), strict=True):
            assert relative(found, expected, 1.0) < 1e-11
        assert relative(project(fast, 0.7, x, u, k, d), x, 1.0) < 1e-12


def test_what_numpy_answers_with_nan_gives_nan():
    function = record(lambda x: (x[0] / x[1], np.sqrt(x)), {"x": 2})
    assert np.isnan(function(np.array([1.0, 0.0]))[0])
    assert np.isnan(function(np.array([-1.0, 1.0]))[1]).all()
    assert function(np.array([1.0, 4.0]))[1].tolist() == [1.0, 2.0]


def test_equal_lines_are_written_once_and_trivial_ones_not_at_all():
    calls = []

    def function(x):
        product = x[0] * x[1]
        calls.append(product.tape)
        return np.array([product + 0.0, x[1] * x[0] * 1.0, 0.0 * x[0] + where(x[0] > 0.0, 2.0, 3.0)])

    assert record(function, {"x": 2})(np.array([3.0, 5.0])).tolist() == [15.0, 15.0, 2.0]
    assert [line.partition("=")[2] for line in calls[0].lines] == ["x0*x1", "x0>0.0", "2.0 if v1 else 3.0"]


def test_a_branch_on_a_value_is_refused():
    with pytest.raises(TypeError, match="a recorded scalar has no value yet: use dynamics"):
        record(lambda x: x if x[0] > 0.0 else -x, {"x": 1})
