"""Sine and cosine of lanes (runtime/batch/turns.h) against long double: the error that the header states."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest

from spacefmu.fmu_src.batch.library import lanes_here
from spacefmu.fmu_src.native.platforms.compile import FLAGS, LANE_FLAGS, RUNTIME

FAR = 1.6e6
DRIVER = """
#define SPACEFMU_LANES
#include "lanes.h"
void turns(const double *x, double *s, double *c, int n) {
    for (int i = 0; i < n; i += LANES) {
        real a, sines, cosines;
        for (int l = 0; l < LANES; l++) a[l] = x[i + l];
        sines = sin(a), cosines = cos(a);
        for (int l = 0; l < LANES; l++) s[i + l] = sines[l], c[i + l] = cosines[l];
    }
}
"""
LANES = [lanes for lanes in sorted(LANE_FLAGS) if lanes <= lanes_here()]


@pytest.fixture(scope="module", params=LANES)
def turned(request, tmp_path_factory):
    """x → (sine, cosine) by lanes."""
    folder, lanes = tmp_path_factory.mktemp("turns"), request.param
    (folder / "turns.c").write_text(DRIVER)
    options = [
        *FLAGS,
        *LANE_FLAGS[lanes],
        f"-DLANES={lanes}",
        "-ffp-contract=fast",
        "-fno-math-errno",
        "-Wall",
        "-Wextra",
    ]
    options += ["-Werror", "-Wno-unused-function", "-fvisibility=default", "-shared", "-fPIC", f"-I{RUNTIME / 'batch'}"]
    command = [sys.executable, "-m", "ziglang", "cc", *options, "turns.c", "-lm", "-o", "turns.so"]
    subprocess.run(command, cwd=folder, check=True)
    function = ctypes.CDLL(str(folder / "turns.so")).turns

    def call(x):
        x = np.ascontiguousarray(np.resize(x, -(-len(x) // 8) * 8), float)
        s, c = np.zeros_like(x), np.zeros_like(x)
        function(*(ctypes.c_void_p(a.ctypes.data) for a in (x, s, c)), len(x))
        return x, s, c

    return call


def errors(found, exact):
    """In units of the last place."""
    return np.abs(np.asarray(found, np.longdouble) - exact) / np.spacing(np.abs(exact).astype(float))


@pytest.mark.parametrize("reach", [1e-3, 1.0, 10.0, 1e3, FAR])
def test_within_a_unit_in_the_last_place(turned, reach):
    """np.longdouble has 64 bits here, and its sine is that of the C library: exact to 2^-11 of what is measured."""
    x, s, c = turned(np.random.default_rng(1).uniform(-reach, reach, 100_000))
    for found, exact in ((s, np.sin(x.astype(np.longdouble))), (c, np.cos(x.astype(np.longdouble)))):
        assert errors(found, exact)[np.abs(exact) > 1e-9].max() < 1.0


def test_near_multiples_of_a_quarter_turn(turned):
    """The doubles nearest to q π/2, where the result is the rest of the argument alone."""
    x, s, c = turned(np.arange(1, 1_000_001, 7) * (np.pi / 2))
    for found, exact in ((s, np.sin(x.astype(np.longdouble))), (c, np.cos(x.astype(np.longdouble)))):
        size = np.abs(exact)
        assert errors(found, exact)[size > 1e-9].max() < 1.0
        assert np.abs(found - exact)[size <= 1e-9].max(initial=0.0) < 1e-25


def test_beyond_its_reach_and_not_finite(turned):
    x, s, c = turned(np.array([1e9, -3e15, 1e22, np.inf, -np.inf, np.nan, 0.0, 2e6]))
    for found, exact in ((s, np.sin), (c, np.cos)):
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(found, exact(x))
