"""Values computed once with the constants (native/trace/hoisting.py), and functions compiled for two kinds of processors (native/c/wide.py), give the same
results bit for bit."""

import ctypes

import casadi
import numpy as np
import pytest

from bench.driver import _EXPORTS
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import constants
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.c.generator import expressions, generate
from spacefmu.fmu_src.native.platforms.compile import cached_library, host_platform
from spacefmu.fmu_src.native.trace import traces as trace
from spacefmu.fmu_src.native.trace.hoisting import hoisted
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.large_crafts import many_modes, mixed_chain


@pytest.mark.parametrize("states", [10**6, 1], ids=["flat", "shared"])
@pytest.mark.parametrize("craft", ["tree", "loop", "modes"])
def test_hoisted_constants_change_no_bit(monkeypatch, tmp_path, states, craft):
    """Every function at random arguments, with k from `derive`; and functions that run often have fewer operations. Many modes: with calls."""
    monkeypatch.setattr(trace, "LARGE", states)
    text = many_modes(tmp_path, 20, True) if craft == "modes" else mixed_chain(6, closed=craft == "loop")
    system, rng = load_text(text, folder=tmp_path), np.random.default_rng(20)
    plain = {f.name(): f for f in expressions(Traces(system))}
    short = {f.name(): f for f in hoisted(list(plain.values()))}
    assert list(short) == list(plain)
    p = np.array(system.signals.starts("parameters"))
    k, longer = (np.array(functions["derive"](p)).ravel() for functions in (plain, short))
    assert np.array_equal(longer[: system.nk], k)
    assert np.array_equal(k, constants(system, p))
    assert longer.size > system.nk
    for name, function in list(plain.items())[1:]:
        given = {a: rng.uniform(0.05, 0.15, function.size1_in(a)) for a in function.name_in()} | {"p": p}
        before, after = (
            f.call([longer[: f.size1_in("k")] if a == "k" else given[a] for a in f.name_in()])
            for f in (function, short[name])
        )
        assert all(np.array_equal(np.array(a), np.array(b)) for a, b in zip(before, after, strict=True)), name
    if states > 1:
        hot = "motion_assemble" if craft == "loop" else "rates"
        assert short[hot].n_instructions() < 0.98 * plain[hot].n_instructions()


def test_constants_that_follow_from_an_argument_of_a_call():
    """Values that are passed to a call and also used outside it, over two calls: everything appended to k depends on k only."""
    a = casadi.MX.sym("a", 2)
    call = casadi.Function("call", [a], [2.0 * a, a[0] * a[1]], {"never_inline": True})
    k, x = casadi.SX.sym("k", 2), casadi.SX.sym("x")
    once = k[0] * k[1]
    twice = casadi.sin(once)
    first, second = (call(casadi.vertcat(argument, x)) for argument in (once, twice))
    rates = casadi.vertcat(first[0], first[1], second[0], second[1], 3.0 * once + x, casadi.cos(twice) * x)
    plain = casadi.Function("rates", [x, k], [rates], ["x", "k"], ["x_dot"])
    derive, short = hoisted([casadi.Function("derive", [k], [k], ["p"], ["k"]), plain])
    assert derive.size1_out(0) == 2 + 4
    assert np.array_equal(np.array(short(0.7, derive([0.3, 1.1]))), np.array(plain(0.7, [0.3, 1.1])))


def test_nothing_is_hoisted_where_nothing_follows():
    k, x = casadi.SX.sym("k", 2), casadi.SX.sym("x", 2)
    functions = [casadi.Function("derive", [k], [k], ["p"], ["k"]), casadi.Function("rates", [x, k], [x * k], ["x", "k"], ["x_dot"])]  # fmt: skip
    assert [f.name() for f in hoisted(functions)] == ["derive", "rates"]
    assert hoisted(functions)[0].size1_out(0) == 2


_CALL = """
#include <string.h>
SHOWN void bench_at(const double *x, double *x_dot)
{
    static double p[400], k[2000], w[20000], none[2000];
    const double *arg[400] = {p};
    double *res[400] = {k};
    memcpy(p, model.start_p, model.np * sizeof(double));
    model.derive(arg, res, w);
    arg[0] = none, arg[1] = x, arg[2] = none, arg[3] = k;
    for (int i = 4; i < 8; i++) arg[i] = none;
    res[0] = x_dot;
    model.rates(arg, res, w);
}
"""


def test_both_kinds_of_processors_get_the_same_bits(tmp_path):
    """`rates` in the version for this processor and in the other one: equal bit for bit, also to CasADi's own evaluation."""
    system = load_text(mixed_chain(2))
    sources = generate(system, variables_of(system), "")
    x = np.array(system.signals.starts("states")) + np.random.default_rng(3).uniform(0.0, 0.1, system.nx)
    found = []
    for name, define in (("wide", ""), ("narrow", "#define SPACEFMU_NARROW\n")):
        texts = sources | {"model.c": define + sources["model.c"], "bench.c": _EXPORTS + _CALL}
        path = tmp_path / f"{name}.so"
        path.write_bytes(cached_library(texts, host_platform()))
        x_dot = np.zeros(system.nx)
        ctypes.CDLL(str(path)).bench_at(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(x_dot.ctypes.data))
        found.append(x_dot)
    assert np.array_equal(*found)
    traces = Traces(system)
    none = [np.zeros(traces.motion.results["rates"].size1_in(i)) for i in range(8)]
    none[1], none[3] = x, constants(system, np.array(system.signals.starts("parameters")))
    assert np.allclose(found[0], np.array(traces.motion.results["rates"].call(none)[0]).ravel(), rtol=1e-12, atol=1e-12)
