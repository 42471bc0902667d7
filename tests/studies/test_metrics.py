"""Metrics of signals whose answer is known, and the user's own file."""

import numpy as np
import pytest

from spacefmu.fmu_src.results.table import Result
from spacefmu.fmu_src.studies.metrics import Measure, Metric, OwnMetrics

TIME = np.linspace(0.0, 10.0, 10001)
DECAY = np.exp(-TIME)
WAVE = 3.0 * np.sin(2.0 * np.pi * TIME) - 1.0
RUN = Result(TIME, ("decay", "wave", "v[1]", "v[2]"), np.column_stack([DECAY, WAVE, 3.0 * DECAY, 4.0 * DECAY]))

EXPECTED = {
    ("wave", "max"): 2.0,
    ("wave", "min"): -4.0,
    ("wave", "largest"): 4.0,
    ("wave", "mean"): -1.0,
    ("wave", "rms"): np.sqrt(9.0 / 2.0 + 1.0),  # √(A²/2 + mean²)
    ("decay", "final"): np.exp(-10.0),
    ("v", "max"): 5.0,  # |(3, 4)| at time 0
}


def measure(of, kind, **more):
    names = tuple(name for name in RUN.names if name == of or name.startswith(f"{of}["))
    factor = more.pop("factor", 1.0)
    return Measure(Metric(of=of, kind=kind, **more), names, "", factor)(RUN)


@pytest.mark.parametrize("of, kind", EXPECTED)
def test_known_signals(of, kind):
    assert measure(of, kind) == pytest.approx(EXPECTED[of, kind], abs=2e-3)  # means of 10001 instants, ends included


def test_settling_time_is_where_the_signal_enters_the_band_for_good():
    assert measure("decay", "settling_time", band=0.01) == pytest.approx(np.log(100.0), abs=1.1e-3)  # a step is 1e-3
    assert measure("decay", "settling_time", band=0.1, target=1.0) is None  # it is there at first, but leaves
    assert measure("decay", "settling_time", band=2.0) == 0.0
    assert measure("wave", "settling_time", band=0.01) is None


def test_after_and_unit():
    assert measure("decay", "max", after=2.0) == pytest.approx(np.exp(-2.0), rel=1e-12)
    assert measure("decay", "max", factor=180.0 / np.pi) == pytest.approx(180.0 / np.pi, rel=1e-15)


def test_own_metrics():
    own = OwnMetrics(
        "own.py", "import numpy\nfrom math import sqrt\n_K = 2\ndef double(run):\n    return _K * run['decay'][0]\n"
    )
    assert list(own.functions) == ["double"]
    assert own.functions["double"](RUN) == 2.0


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("def f(run):\n    return 1 +\n", "own.py: line 2"),
        ("x = 1 / 0\n", "own.py: line 1: ZeroDivisionError"),
        ("x = 1\n", "own.py: has no function"),
        ("def f(a, b):\n    return 1\n", "the function f must take one argument"),
    ],
)
def test_wrong_own_metrics(text, sentence):
    with pytest.raises(ValueError, match=r"own\.py") as caught:
        OwnMetrics("own.py", text)
    assert sentence in str(caught.value)
