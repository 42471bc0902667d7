"""Large systems in C: equal pieces are one function, called in loops (native/c/rolling.py); results equal those of flat C bit for bit."""

import ctypes

import numpy as np
import pytest

from bench.models import chain
from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.c import generator
from spacefmu.fmu_src.native.c.equations import equations
from spacefmu.fmu_src.native.c.generator import expressions, generate
from spacefmu.fmu_src.native.c.rolling import cut, looped
from spacefmu.fmu_src.native.platforms.compile import cached_library, host_platform
from spacefmu.fmu_src.native.trace import traces as trace
from spacefmu.fmu_src.native.trace.dataflow import NoDataflow, dataflow_of
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.large_crafts import ORBIT, many_modes, mixed_chain

_FUNCTIONS = ("derive", "initialize", "check", "rates", "outputs", "indicators", "motion.assemble", "motion_along", "along", "next_time", "update_solve.assemble", "update", "projections[0].solve.assemble", "projections[0].residual", "projections[0].finish")  # fmt: skip
_EXPORT = """
#include "model.h"
__attribute__((visibility("default"))) Expression test_function(int i)
{
    Expression functions[] = {FUNCTIONS};
    return functions[i];
}
__attribute__((visibility("default"))) int test_n_hoisted(void) { return model.n_hoisted; }
__attribute__((visibility("default"))) int test_sz_w(void) { return model.sz_w; }
""".replace("FUNCTIONS", ", ".join(f"model.{name}" for name in _FUNCTIONS))


def compiled(system, folder):
    """The library of a System with access to each of its functions."""
    sources = generate(system, variables_of(system), "") | {"export.c": _EXPORT}
    path = folder / "library.so"
    path.write_bytes(cached_library(sources, host_platform()))
    library = ctypes.CDLL(str(path))
    library.test_function.restype = ctypes.c_void_p
    return library


def called(library, name: str, arguments, sizes) -> list[np.ndarray]:
    """Results of a function of the library."""
    address = library.test_function(_FUNCTIONS.index(name))
    results = [np.zeros(max(1, size)) for size in sizes]
    pointers = [np.ascontiguousarray(a, float) if np.size(a) else np.zeros(1) for a in arguments]
    arg = (ctypes.c_void_p * len(pointers))(*(a.ctypes.data for a in pointers))
    res = (ctypes.c_void_p * len(results))(*(r.ctypes.data for r in results))
    work = np.zeros(library.test_sz_w() + 1)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address)(arg, res, work.ctypes.data)
    return [r[:size] for r, size in zip(results, sizes, strict=True)]


@pytest.mark.parametrize(
    "craft",
    [
        pytest.param(mixed_chain(3, more=ORBIT), id="tree on an orbit", marks=pytest.mark.ci),
        pytest.param(mixed_chain(3, closed=True), id="loop"),
    ],
)
def test_rolled_and_flat_c_give_the_same_bits(monkeypatch, tmp_path, craft):
    """Every function of the C, derivatives and constants included, at random arguments."""
    monkeypatch.setattr(generator, "factored", lambda assemble, n, m: assemble)  # which only flat C does
    libraries = []
    for limit in (10**6, 1):
        monkeypatch.setattr(trace, "LARGE", limit)
        (tmp_path / str(limit)).mkdir()
        system = load_text(craft)
        libraries.append(compiled(system, tmp_path / str(limit)))
    functions = {f.name(): f for f in expressions(Traces(system))}
    p = np.array(system.signals.starts("parameters"))
    constants = [called(lib, "derive", [p], [system.nk + lib.test_n_hoisted()])[0] for lib in libraries]
    assert np.array_equal(constants[0][: system.nk], constants[1][: system.nk])
    rng, compared = np.random.default_rng(11), set()
    names = {"motion.assemble": "motion_assemble", "projections[0].solve.assemble": "projection_0_assemble", "projections[0].residual": "residual_0", "projections[0].finish": "project_0", "update_solve.assemble": "update_assemble"}  # fmt: skip
    for name in _FUNCTIONS[1:]:
        function = functions.get(names.get(name, name))
        if function is None:
            continue
        given = {a: rng.uniform(0.05, 0.15, function.size1_in(a)) for a in function.name_in()} | {"p": p}
        flat, rolled = (
            called(lib, name, [k if a == "k" else given[a] for a in function.name_in()], [function.nnz_out(i) for i in range(function.n_out())])
            for lib, k in zip(libraries, constants, strict=True)
        )  # fmt: skip
        assert all(np.array_equal(a, b) for a, b in zip(flat, rolled, strict=True)), name
        assert any(np.any(a) for a in flat), name
        compared.add(name)
    assert {"rates", "outputs", "along", "initialize", "check"} <= compared


def test_c_hardly_grows_with_bodies_that_are_alike():
    """Twice the links: longer loops, and no further lines except those that copy results. Measured: 1.01 times the lines."""
    texts = []
    for links in (24, 48):
        system = load_text(chain(links))
        texts.append("".join(equations(expressions(Traces(system))).texts))
    assert any("for (int i" in line for line in texts[1].splitlines())
    lines = [sum("  res[" not in line for line in text.splitlines()) for text in texts]
    assert lines[1] < 1.1 * lines[0]


def test_tables_of_many_modes_are_functions_of_their_own(monkeypatch, tmp_path):
    monkeypatch.setattr(trace, "LARGE", 1)
    functions = expressions(Traces(load_text(many_modes(tmp_path, 20, True), folder=tmp_path)))
    with pytest.raises(NoDataflow):
        list(map(dataflow_of, functions))
    assert "contract" in "".join(equations(functions).texts)


def test_steps_are_cut_at_their_period():
    names = list("xy" + "abc" * 200 + "z")
    pieces = list(cut(names, [30] * len(names)))
    assert pieces[0] == (0, 2)
    assert pieces[1:-1] == [(i, i + 3) for i in range(2, 602, 3)]
    assert pieces[-1] == (602, 603)


def test_small_steps_are_gathered_and_long_ones_without_a_period_are_cut():
    assert list(cut(["a"] * 500, [1] * 500))[:2] == [(0, 60), (60, 120)]
    different = [str(i) for i in range(100)]
    pieces = list(cut(different, [100] * 100))
    assert pieces == [(i, i + 4) for i in range(0, 100, 4)]


def test_calls_whose_pointers_move_on_evenly_are_a_loop():
    calls = [("f", [("x", i), ("w", 100 - 7 * i)]) for i in range(5)]
    assert list(looped([*calls, ("f", [("k", 0), ("w", 3)])])) == [
        "for (int i = 0; i < 5; i++) f(x + 0 + 1 * i, w + 100 - 7 * i);",
        "f(k + 0, w + 3);",
    ]
    assert list(looped(calls[:2])) == ["f(x + 0, w + 100);", "f(x + 1, w + 93);"]
