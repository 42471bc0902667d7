"""C of lanes, from the instruction lists of the FMU's C: each lane computes what CasADi computes of its numbers."""

import ctypes
import subprocess
import sys

import casadi
import numpy as np
import pytest

from spacefmu.fmu_src.batch.library import lanes_here
from spacefmu.fmu_src.native.c.equations import equations
from spacefmu.fmu_src.native.c.functions import Functions
from spacefmu.fmu_src.native.c.generator import expressions
from spacefmu.fmu_src.native.c.lanes import lanes_c, serves
from spacefmu.fmu_src.native.c.operations import OPERATIONS
from spacefmu.fmu_src.native.platforms.compile import CORE, LANE_FLAGS, RUNTIME
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.catalogue_fmus import system_of
from tests.native.test_writer import NAMES, ONE, TWO

LANES = lanes_here()
HEAD = (
    '#define SPACEFMU_LANES\n#include "lanes.h"\n#include "harmonics.h"\n#include "matrices.h"\n#include <string.h>\n'
)
WAY = "void call_{0}(const real **arg, real **res, real *w) {{ {0}(arg, res, w); }}\n"


def by_lanes(functions, given, folder):
    """Results of functions, each a list of arrays (entries, LANES), of arguments of that shape."""
    found = Functions()
    texts = [function.text() for function in found.expressions(functions)]
    (folder / "names.h").write_text("")
    (folder / "model.c").write_text(
        "".join([HEAD, found.tables.text(), *texts, *(WAY.format(f.name()) for f in functions)])
    )
    options = [
        "-std=c99",
        "-O1",
        *LANE_FLAGS[LANES],
        f"-DLANES={LANES}",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-Wall",
        "-Wextra",
    ]
    options += [
        "-Werror",
        "-Wno-unused-function",
        "-shared",
        "-fPIC",
        f"-I{CORE}",
        f"-I{RUNTIME / 'batch'}",
        f"-I{folder}",
    ]
    command = [sys.executable, "-m", "ziglang", "cc", *options, "model.c", "-lm", "-o", "model.so"]
    subprocess.run(command, cwd=folder, check=True)
    library, results = ctypes.CDLL(str(folder / "model.so")), []
    for function, own in zip(functions, given, strict=True):
        own = [aligned(each) for each in own]
        made = [aligned(np.full((function.nnz_out(i), LANES), 7.0)) for i in range(function.n_out())]
        work = aligned(np.full((found.rooms[function.name()] + 1, LANES), np.nan))
        pointers = [(ctypes.c_void_p * max(1, len(part)))(*(a.ctypes.data for a in part)) for part in (own, made)]
        library[f"call_{function.name()}"](*pointers, ctypes.c_void_p(work.ctypes.data))
        results.append([each.copy() for each in made])
    return results


def aligned(values):
    """A copy that begins at a multiple of a vector's size."""
    room = np.zeros(values.size + 16)
    start = -(room.ctypes.data // 8) % 8
    copy = room[start : start + values.size].reshape(values.shape)
    copy[:] = values
    return copy


def by_casadi(function, given):
    """The same, lane by lane."""
    lanes = [function.call([casadi.DM(own[:, lane]) for own in given]) for lane in range(LANES)]
    return [np.column_stack([np.array(lane[i].nonzeros()) for lane in lanes]) for i in range(function.n_out())]


def agree(found, exact, bound):
    for ours, theirs in zip(found, exact, strict=True):
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
        np.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)


def test_every_operation(tmp_path):
    """At numbers of both signs, at zero, equal to each other; the C library's functions but for sine and cosine, which err by one unit in the last place."""
    x, y = casadi.SX.sym("x", 12), casadi.SX.sym("y", 12)
    rng = np.random.default_rng(3)
    a = np.concatenate(
        [rng.uniform(-2, 2, (8, LANES)), rng.uniform(0, 1, (2, LANES)), np.zeros((1, LANES)), np.ones((1, LANES))]
    )
    b = np.concatenate([a[:2], rng.uniform(-2, 2, (8, LANES)), np.zeros((2, LANES))])
    functions = [casadi.Function(f"one_{NAMES[op][3:].lower()}", [x, y], [casadi.SX.unary(op, x)]) for op in ONE]
    functions += [casadi.Function(f"two_{NAMES[op][3:].lower()}", [x, y], [casadi.SX.binary(op, x, y)]) for op in TWO]
    assert len(functions) == len(OPERATIONS) - 1  # of all but ASSIGN
    for function, found in zip(functions, by_lanes(functions, [[a, b]] * len(functions), tmp_path), strict=True):
        agree(found, by_casadi(function, [a, b]), 4e-16)


def test_products_and_tables_of_many_modes(tmp_path):
    """Functions of matrices: products with tables of numbers, a sparse factor, a solve."""
    x = casadi.MX.sym("x", 3)
    table = casadi.DM(np.random.default_rng(5).uniform(-1, 1, (3, 3)))
    square = casadi.mtimes(table.T, table) + casadi.DM.eye(3)
    sparse = casadi.sparsify(casadi.DM([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.5, 0.0]]))
    function = casadi.Function(
        "whole", [x], [casadi.mtimes(table, x), casadi.mtimes(sparse, x), casadi.solve(square, x, "ldl")]
    )
    a = np.random.default_rng(7).uniform(-1, 1, (3, LANES))
    (found,) = by_lanes([function], [[a]], tmp_path)
    agree(found, by_casadi(function, [a]), 1e-14)


@pytest.mark.parametrize(
    "name, shared", [("HingedPanel", True), ("FourBar", False), ("TetheredMasses", False), ("SlewController", False)]
)
def test_which_models_share_steps(name, shared):
    """Rows of loops and cables ask for ranks, and what has no states takes no steps: their runs take the scalar core."""
    system = system_of(name)
    traces = Traces(system)
    assert serves(system, traces) == shared
    text = lanes_c(system, traces, equations(expressions(traces)))
    assert (".serves = 1" in text) == shared
