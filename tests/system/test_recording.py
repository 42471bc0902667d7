"""Recorded equations give what the plain ones give."""

import numpy as np
import pytest

from spacefmu.dynamics.algebra.scalar import where
from spacefmu.dynamics.system.evaluate import motion, project, start
from spacefmu.dynamics.system.recording import record, recorded
from spacefmu.fmu_src import catalogue
from tests.catalogue_fmus import fmu_file, system_of
from tests.compare import relative
from tests.python_fmu.masters import drive, job
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


def test_an_fmu_on_plain_equations_gives_the_same(monkeypatch):
    """SPACEFMU_PLAIN=1 in the host's environment: the equations as they are written, for a debugger."""
    work = job(fmu_file("HingedPanel", "python"), steps=5, start={"panel.mode[1].amplitude": 0.05})
    (expected,) = drive("FMPy", work).results[0]["values"]
    monkeypatch.setenv("SPACEFMU_PLAIN", "1")
    (found,) = drive("FMPy", work).results[0]["values"]
    assert found != expected  # other operations, so other round-off
    worst = max(relative(found[name], value, 1.0) for name, value in expected.items())
    assert worst < 1e-13  # measured 7e-16


def test_infinities_and_nans_are_numpys():
    """Where they belong, and nowhere else: a root that can't be taken leaves the other results alone."""
    function = record(lambda x: (x[0] / x[1], np.sqrt(x)), {"x": 2})
    assert function(np.array([1.0, 0.0]))[0] == np.inf
    assert np.isnan(function(np.array([0.0, 0.0]))[0])
    assert np.array_equal(function(np.array([-1.0, 1.0]))[1], [np.nan, 1.0], equal_nan=True)
    assert function(np.array([1.0, 4.0]))[1].tolist() == [1.0, 2.0]


def test_equal_operations_are_done_once_and_trivial_ones_not_at_all():
    tapes = []

    def function(x):
        product = x[0] * x[1]
        tapes.append(product.tape)
        return np.array([product + 0.0, x[1] * x[0] * 1.0, 0.0 * x[0] + where(x[0] > 0.0, 2.0, 3.0)])

    assert record(function, {"x": 2})(np.array([3.0, 5.0])).tolist() == [15.0, 15.0, 2.0]
    written = [form.format(*operands) for form, operands in tapes[0].operations.values()]
    assert written == ["x0*x1", "x0>0.0", "2.0 if v1 else 3.0"]


def test_results_apart_are_those_together():
    """Each function computes what its own result needs: the second never takes the root that the first one can't."""

    def function(x):
        shared = x[0] * x[1] + 1.0
        return np.array([shared, np.sqrt(x[0])]), np.array([shared * shared, -x[1]])

    together, apart = record(function, {"x": 2}), record(function, {"x": 2}, apart=True)
    x = np.array([4.0, 5.0])
    assert (
        [part(x).tolist() for part in apart] == [part.tolist() for part in together(x)] == [[21.0, 2.0], [441.0, -5.0]]
    )
    x = np.array([-4.0, 5.0])
    assert np.array_equal(apart[0](x), [-19.0, np.nan], equal_nan=True)
    assert apart[1](x).tolist() == [361.0, -5.0]


def test_long_chains_of_operations_keep_their_order():
    """2000 nested operations, of values used once and of values used again, bit for bit as NumPy does them."""

    def function(x):
        a, b = x[0], x[1]
        for i in range(1000):
            a, b = (a + b / (i + 3.0), b - a * 0.01) if i % 7 else (a - 0.1, b * 1.001)
        return np.array([a, b])

    x = np.array([1.0, 2.0])
    assert record(function, {"x": 2})(x).tobytes() == function(x).tobytes()


def test_a_branch_on_a_value_is_refused():
    with pytest.raises(TypeError, match="a recorded scalar has no value yet: use spacefmu"):
        record(lambda x: x if x[0] > 0.0 else -x, {"x": 1})
