"""C written from CasADi's instruction lists (native/c/flat.py, whole.py) against CasADi's own evaluation: equal bit for bit."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import casadi
import numpy as np
import pytest

from spacefmu.dynamics.algebra.symbol import _operation
from spacefmu.dynamics.environment.air import Ramps
from spacefmu.dynamics.environment.harmonics import SolidHarmonics
from spacefmu.fmu_src.native.c import operations
from spacefmu.fmu_src.native.c.functions import Functions
from spacefmu.fmu_src.native.c.operations import OPERATIONS, NotWritten
from spacefmu.fmu_src.native.platforms.compile import CORE

NAMES = {getattr(casadi, name): name for name in dir(casadi) if name.startswith("OP_")}
TWO = [op for op, text in OPERATIONS.items() if "{1}" in text]
ONE = [op for op, text in OPERATIONS.items() if "{1}" not in text and op != casadi.OP_ASSIGN]


def evaluated(
    functions: list[casadi.Function], arguments: list[list[np.ndarray]], folder: Path
) -> list[list[np.ndarray]]:
    """Results of functions in C; a function may occur several times, with different arguments."""
    found = Functions()
    texts = [function.text() for function in found.expressions(functions)]
    ways = [
        f"void call_{f.name()}({'const real **arg, real **res, real *w'}) {{ {f.name()}(arg, res, w); }}\n"
        for f in {function.name(): function for function in functions}.values()
    ]
    (folder / "names.h").write_text("")
    (folder / "model.c").write_text(
        "".join(
            ['#include <string.h>\n#include "harmonics.h"\n#include "matrices.h"\n', found.tables.text(), *texts, *ways]
        )
    )
    options = [
        "-std=c99",
        "-O1",
        "-ffp-contract=off",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        f"-I{CORE}",
        f"-I{folder}",
    ]
    command = [sys.executable, "-m", "ziglang", "cc", *options, "model.c", "-lm", "-o", "model.so"]
    subprocess.run(command, cwd=folder, check=True)
    library, results = ctypes.CDLL(str(folder / "model.so")), []
    for function, given in zip(functions, arguments, strict=True):
        made = [np.full(function.nnz_out(i), 7.0) for i in range(function.n_out())]
        pointers = [(ctypes.c_void_p * max(1, len(part)))(*(a.ctypes.data for a in part)) for part in (given, made)]
        work = np.full(found.rooms[function.name()] + 1, np.nan)  # its initial contents are arbitrary
        library[f"call_{function.name()}"](*pointers, ctypes.c_void_p(work.ctypes.data))
        results.append(made)
    return results


def compare(functions: list[casadi.Function], arguments: list[list[np.ndarray]], folder: Path) -> None:
    for function, given, made in zip(functions, arguments, evaluated(functions, arguments, folder), strict=True):
        for expected, found in zip(function.call(given), made, strict=True):
            expected = np.array(casadi.DM(expected).nonzeros())
            assert expected.size
            assert np.array_equal(expected, found, equal_nan=True), (function.name(), expected, found)


def test_every_operation_on_numbers(tmp_path):
    """Of each operation one function: of positive and negative arguments, equal ones, zeros."""
    x, y = casadi.SX.sym("x", 9), casadi.SX.sym("y", 9)
    functions = [casadi.Function(NAMES[op], [x, y], [casadi.densify(casadi.SX.binary(op, x, y))]) for op in TWO]
    functions += [casadi.Function(NAMES[op], [x, y], [casadi.densify(casadi.SX.unary(op, x)) + 0.0 * y]) for op in ONE]
    given = [
        np.array([0.3, -0.7, 0.0, 1.0, 2.5, -3.0, 0.9, 1e-12, -0.0]),
        np.array([0.4, 1.2, 0.0, 1.0, -2.0, 2.0, 0.0, 3.0, 5.0]),
    ]
    compare(functions, [given] * len(functions), tmp_path)


def test_operations_and_constants_in_a_row(tmp_path):
    """Random graphs of 400 operations, results and arguments in any order; constants that decimals of 15 digits miss."""
    rng, functions, arguments = np.random.default_rng(7), [], []
    for i in range(5):
        x, y = casadi.SX.sym("x", 4), casadi.SX.sym("y", 3)
        values = [
            *casadi.vertsplit(x),
            *casadi.vertsplit(y),
            casadi.SX(np.pi / 3.0),
            casadi.SX(1.0 / 3.0),
            casadi.SX(1e-300),
        ]
        for _ in range(400):
            a, b = (values[rng.integers(len(values))] for _ in range(2))
            values.append(
                [a + b, a - b, a * b, casadi.sin(a), casadi.if_else(a < b, a, b), casadi.atan2(a, b), -a][
                    rng.integers(7)
                ]
            )
        functions.append(
            casadi.Function(f"graph_{i}", [x, y], [casadi.vertcat(*values[-5:]), casadi.vertcat(*values[50:60])])
        )
        arguments.append([rng.uniform(-1.0, 1.0, 4), rng.uniform(-1.0, 1.0, 3)])
    compare(functions, arguments, tmp_path)


def test_reverse_mode_of_columns(tmp_path):
    """Entries that are taken out of a column add to its gradient; scalars that scale a column get a dot product."""
    x, w = casadi.MX.sym("x", 6), casadi.MX.sym("w", 5)
    rows = casadi.vertcat(x[[1, 3, 3]] * x[[2, 5, 0]], (x[0] * x[1:5] * casadi.sqrt(1.0 + x[2] * x[2]))[:2])
    back = casadi.Function("back", [x, w], [casadi.densify(casadi.jtimes(rows, x, w, True))])
    used = {back.instruction_id(i) for i in range(back.n_instructions())}
    assert {casadi.OP_ADDNONZEROS, casadi.OP_DOT} <= used
    rng = np.random.default_rng(2)
    harmonics = _operation(SolidHarmonics(6.378e6, 4, 3), 3).reverse(1)
    weights = rng.normal(size=harmonics.numel_in(2))
    given = [np.array([5e6, -3e6, 4e6]), np.zeros(0), weights]
    air = _operation(Ramps((0.0, 1e5, 2e5, 3e5), ((1.0,), (2.0,), (1.5,), (0.3,))), 1).reverse(1)
    above = [np.array([2.4e5]), np.zeros(0), np.array([0.7])]
    compare([back, harmonics, air], [[rng.normal(size=6), rng.normal(size=5)], given, above], tmp_path)


def test_columns_and_matrices(tmp_path):
    """Products (dense, with a sparse table), a solve with a sparse and a full matrix, parts of columns, calls between flat functions
    and others, unused results, a derivative of all of it."""
    rng = np.random.default_rng(3)
    v, m = casadi.MX.sym("v", 6), casadi.MX.sym("m", 12)
    table = casadi.DM(rng.uniform(-1.0, 1.0, (5, 6)))
    few = casadi.sparsify(casadi.DM(np.where(rng.uniform(size=(4, 6)) < 0.3, 1.7, 0.0)))
    M = casadi.reshape(m, 2, 6)
    contracted = casadi.mac(table, v, casadi.MX(casadi.DM(rng.uniform(size=5))))
    inner = casadi.Function(
        "inner",
        [v, m],
        [contracted, casadi.mac(few, v, casadi.MX.zeros(4, 1)), casadi.vec((M @ v[::-1]).T @ M)],
        {"never_inline": True},
    )
    a = casadi.SX.sym("a", 3)
    kind = casadi.Function(
        "kind", [a], [casadi.vertcat(a[0] * a[1], casadi.cos(a[2])), a[::-1]], {"never_inline": True}
    )

    one, two, three = inner.call([v, m], False, True)
    spread = casadi.vertcat(two[1], one[3:5], v[[0, 5, 2, 1, 4]], three)
    first, _ = kind.call([spread[:3] * 0.5], False, True)
    _, second = kind.call([casadi.vertcat(first, v[2])], False, True)
    diagonal = casadi.MX(
        casadi.Sparsity.banded(6, 1),
        casadi.MX(casadi.DM([4.0 if i == j else 1.0 for j in range(6) for i in range(6) if abs(i - j) <= 1])),
    )
    band = casadi.solve(diagonal, casadi.reshape(m, 6, 2), "ldl")
    full = casadi.solve(casadi.densify(diagonal) + M.T @ M, v, "ldl")
    outer = casadi.Function(
        "outer", [v, m], [casadi.vertcat(first, second, spread), casadi.vec(band.T), full, casadi.sin(one) * one[0]]
    )
    jacobian = casadi.jtimes(casadi.vertcat(*outer.call([v, m])), v, casadi.sin(v))
    along = casadi.Function("along", [v, m], [casadi.densify(jacobian)])
    x, y = casadi.SX.sym("x", 6), casadi.SX.sym("y", 12)
    within = inner.call([x * 2.0, y + x[0]], False, True)
    flat = casadi.Function("flat", [x, y], [casadi.vertcat(within[0][1], within[2] * x), casadi.vertcat(within[1])])
    given = [rng.uniform(-1.0, 1.0, 6), rng.uniform(-1.0, 1.0, 12)]
    compare([outer, along, flat], [given] * 3, tmp_path)


def test_products_with_a_sparse_factor(tmp_path):
    """A sparse matrix times one of several columns, and a row times a sparse matrix, a sparse matrix transposed: derivatives of beams with many modes have both."""
    rng = np.random.default_rng(4)
    few = casadi.sparsify(casadi.DM(np.where(rng.uniform(size=(9, 12)) < 0.3, rng.uniform(size=(9, 12)), 0.0)))
    v, m = casadi.MX.sym("v", 9), casadi.MX.sym("m", 24)
    columns = casadi.mac(few, casadi.reshape(m, 12, 2), casadi.MX(casadi.DM(rng.uniform(size=(9, 2)))))
    row = casadi.mac(v.T, few, casadi.MX(casadi.DM(rng.uniform(size=(1, 12)))))
    turned = casadi.mac((casadi.MX(few) * v[0]).T, v, casadi.MX(casadi.DM(rng.uniform(size=12))))
    both = casadi.Function("both", [v, m], [casadi.vec(columns), casadi.vec(row), turned])
    compare([both], [[rng.uniform(-1.0, 1.0, 9), rng.uniform(-1.0, 1.0, 24)]], tmp_path)


def test_what_no_equation_has_made_is_refused():
    x = casadi.SX.sym("x")
    with pytest.raises(NotWritten, match="lost: there is no C for CasADi's operation"):
        Functions().expressions([casadi.Function("lost", [x], [casadi.erf(x)])])


def test_casadi_writes_no_c():
    """CasADi's C is not used: it is neither generated nor parsed."""
    package = Path(operations.__file__).parents[1]
    for path in [*package.glob("trace/*.py"), *package.glob("c/*.py")]:
        text = path.read_text("utf-8")
        assert "CodeGenerator" not in text, path.name
        assert "import re\n" not in text or path.name == "names_header.py", (
            path.name
        )  # which reads the runtime's headers


def test_products_of_sparse_matrices(tmp_path):
    """As forward derivatives of a body's sparse tables have them: `spacefmu validate --quick` ended in "NotWritten … product of sparse matrices"."""
    rng = np.random.default_rng(3)
    x = casadi.MX.sym("x", casadi.sparsify(casadi.DM(1.0 * (rng.random((5, 4)) < 0.5))).sparsity())
    for name, y in (
        ("sparse", casadi.MX.sym("y", casadi.sparsify(casadi.DM(1.0 * (rng.random((4, 3)) < 0.5))).sparsity())),
        ("dense", casadi.MX.sym("y", 4, 3)),
    ):
        folder = tmp_path / name
        folder.mkdir()
        function = casadi.Function(name, [x, y], [casadi.mtimes(x, y)])
        given = [rng.standard_normal(part.nnz()) for part in (x, y)]
        (made,) = evaluated([function], [given], folder)
        at = [casadi.DM(part.sparsity(), list(values)) for part, values in zip((x, y), given, strict=True)]
        assert np.array_equal(np.array(casadi.DM(function(*at)).nonzeros()), made[0])
