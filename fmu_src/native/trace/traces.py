"""From a System's equations to CasADi functions: each is run once on symbols, and its shapes are checked.

The functions have the arguments and results that `runtime/core/model.h` lists, all dense columns, matrices row-major.
A small System becomes flat functions (SX: only scalar operations, fastest); a large one calls of one function per kind
of joint, body and node (MX, see sharing.py), because compilers take more than twice as long for twice the flat C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from spacefmu.dynamics.algebra.scalar import sharing
from spacefmu.dynamics.algebra.symbol import symbols, to_column
from spacefmu.dynamics.system.contract import Staged, System

from .sharing import SharedFunctions


@dataclass(frozen=True)
class Traced:
    """A Staged function as CasADi functions.

    assemble: (arguments) → (M, G, f, gamma, carry), None without a solve.
    results: one function per requested group of results; each: (arguments, z, multipliers, carry) → results.
    """

    assemble: casadi.Function | None
    results: dict[str, casadi.Function]


LARGE = 40  # states: from here on calls cost almost no run time, and compilation is faster (bench/work_scaling.py)


class _Arguments:
    """Fresh symbols for named arguments, as arrays for the equations and as columns for CasADi."""

    def __init__(
        self, system: System, kinds: SharedFunctions | None, names: tuple[str, ...], more: dict[str, int] | None = None
    ):
        sizes = {"t": 1, "x": system.nx, "u": system.nu, "p": system.np, "k": system.nk, "d": system.nd, "g": system.ng}
        sizes |= more or {}
        self.names = names
        self.arrays, self.columns = {}, {}
        self.kinds = kinds
        self.expression = casadi.SX if self.kinds is None else casadi.MX
        for name in names:
            self.arrays[name], self.columns[name] = symbols(name, sizes[name], self.expression)

    def __call__(self, function: Callable):
        """The equation evaluated on the symbols; t is a scalar, all others arrays."""
        # constants that CasADi folds raise floating-point flags that NumPy would report
        with sharing(self.kinds), np.errstate(all="ignore"):
            return function(*(self.arrays[name][0] if name == "t" else self.arrays[name] for name in self.names))

    def function(self, name: str, found: dict[str, np.ndarray]) -> casadi.Function:
        results = {result: to_column(values, self.expression) for result, values in found.items()}
        columns = [self.columns[n] for n in self.names]
        return _function(name, columns, list(results.values()), list(self.names), list(results))


POINT = ("t", "x", "u", "k", "d")


class Traces:
    """A System's equations as CasADi functions, each traced once, when it is first needed, because tracing is slow.

    `kinds` keeps the functions per kind of a large System; None: a small System, whose functions are flat.
    """

    def __init__(self, system: System):
        self.system = system
        # with folded parameters hardly two bodies are of one kind, and each has few operations
        limit = LARGE if system.unfolded is None else 2 * LARGE
        self.kinds = SharedFunctions() if system.nx - system.tabled >= limit else None

    @cached_property
    def derive(self) -> casadi.Function:
        return self._plain("derive", ("p",), {"k": self.system.nk})

    @cached_property
    def check(self) -> casadi.Function:
        return self._plain("check", ("p",), {"laws": len(self.system.laws)})

    @cached_property
    def initialize(self) -> casadi.Function:
        return self._plain("initialize", POINT, {"x_new": self.system.nx, "d_new": self.system.nd})

    @cached_property
    def next_time(self) -> casadi.Function:
        return self._plain("next_time", POINT, {"time": 1})

    @cached_property
    def motion(self) -> Traced:
        """assemble, and `rates`, `outputs`, `indicators` from the one source of finish."""
        results = {"x_dot": self.system.nx, "y": self.system.ny, "g": self.system.ng}
        functions = {"rates": ("x_dot",), "outputs": ("y",), "indicators": ("g",), "rates_outputs": ("x_dot", "y")}
        return self._staged("motion", self.system.motion, POINT, results, functions)

    @cached_property
    def update(self) -> Traced | None:
        """At events: assemble takes the indicators g too; `update` gives x and d. None if nothing changes there."""
        if self.system.update is None:
            return None
        results = {"x_new": self.system.nx, "d_new": self.system.nd}
        return self._staged("update", self.system.update, (*POINT, "g"), results, {"update": ("x_new", "d_new")})

    @cached_property
    def projections(self) -> list[Traced]:
        """In their order; number i has one function `project_<i>`."""
        traced = []
        for i, projection in enumerate(self.system.projections):
            if projection.stage.assemble is None:
                raise ValueError(
                    f"{self.system.name}: projection {projection.name!r} has no assemble: a projection needs a residual"
                )
            result, functions = {"x_new": self.system.nx}, {f"project_{i}": ("x_new",)}
            traced.append(self._staged(f"projection_{i}", projection.stage, POINT, result, functions))
        return traced

    def _plain(self, name: str, names: tuple[str, ...], results: dict[str, int]) -> casadi.Function:
        """An equation without stages: system.<name>(names) → results (name → length)."""
        arguments = _Arguments(self.system, self.kinds, names)
        found = arguments(getattr(self.system, name))
        return arguments.function(name, _checked(self.system, name, found if len(results) > 1 else (found,), results))

    def _staged(
        self,
        where: str,
        stage: Staged,
        names: tuple[str, ...],
        results: dict[str, int],
        functions: Mapping[str, tuple[str, ...]],
    ) -> Traced:
        """A Staged equation; `functions` says which results (name → length) belong to which function."""
        sizes = {"z": stage.n, "multipliers": stage.m, "carry": stage.carry}
        assemble = None
        if stage.assemble is not None:
            expected: dict[str, int | tuple[int, ...]] = {
                "M": (stage.n, stage.n),
                "G": (stage.m, stage.n),
                "f": stage.n,
                "gamma": stage.m,
                "carry": stage.carry,
            }
            arguments = _Arguments(self.system, self.kinds, names)
            found = _checked(self.system, f"{where}.assemble", arguments(stage.assemble), expected)
            assemble = arguments.function(f"{where}_assemble", found)
        elif any(sizes.values()):
            raise ValueError(
                f"{self.system.name}: {where} has no assemble, but n, m, carry = {tuple(sizes.values())}; expected 0"
            )
        arguments = _Arguments(self.system, self.kinds, (*names, *sizes), sizes)
        found = arguments(stage.finish)
        found = _checked(self.system, f"{where}.finish", found if len(results) > 1 else (found,), results)
        return Traced(
            assemble,
            {name: arguments.function(name, {r: found[r] for r in wanted}) for name, wanted in functions.items()},
        )


def _function(name: str, arguments: list, results: list, names_in: list[str], names_out: list[str]) -> casadi.Function:
    """Common subexpressions are eliminated in flat functions only; among calls there are almost none, and the search is slow."""
    flat = all(isinstance(argument, casadi.SX) for argument in arguments)
    return casadi.Function(name, arguments, results, names_in, names_out, {"cse": flat})


def expressions_of(function: casadi.Function) -> Any:
    """casadi.SX or casadi.MX, the type of a function's expressions. Typed as Any, because type hints can't state that all arguments have the same one."""
    return casadi.SX if function.is_a("SXFunction") else casadi.MX


def trace_along(function: casadi.Function, name: str, along: tuple[str, ...]) -> casadi.Function:
    """The derivative of all results of a function when the arguments `along` move with given seeds.

    Arguments: those of `function`, then one seed "d<name>" each; results: "d<result>" each.
    """
    kind = expressions_of(function)
    arguments = {n: kind.sym(n, function.size1_in(n)) for n in function.name_in()}
    results = function.call(list(arguments.values()), True, False)
    seeds = [kind.sym(f"d{n}", function.size1_in(n)) for n in along]
    moving = casadi.vertcat(*(arguments[n] for n in along))
    change = casadi.jtimes(casadi.vertcat(*results), moving, casadi.vertcat(*seeds))
    parts = casadi.vertsplit(casadi.densify(change), np.cumsum([0, *(r.numel() for r in results)]).tolist())
    names_in = [*arguments, *(f"d{n}" for n in along)]
    names_out = [f"d{n}" for n in function.name_out()]
    return _function(name, [*arguments.values(), *seeds], parts, names_in, names_out)


def trace_back(function: casadi.Function, name: str, along: tuple[str, ...]) -> casadi.Function:
    """The gradient of a weighted sum of all results by the arguments `along`: reverse mode, at a few times the cost of the function itself.

    Arguments: those of `function`, then one weight "w<name>" per result; results: "b<argument>" each.
    """
    kind = expressions_of(function)
    arguments = {n: kind.sym(n, function.size1_in(n)) for n in function.name_in()}
    results = dict(zip(function.name_out(), function.call(list(arguments.values()), True, False), strict=True))
    weights = {f"w{n}": kind.sym(f"w{n}", result.numel()) for n, result in results.items()}
    moving = casadi.vertcat(*(arguments[n] for n in along))
    back = casadi.jtimes(casadi.vertcat(*results.values()), moving, casadi.vertcat(*weights.values()), True)
    parts = casadi.vertsplit(casadi.densify(back), np.cumsum([0, *(function.size1_in(n) for n in along)]).tolist())
    names_in, names_out = [*arguments, *weights], [f"b{n}" for n in along]
    return _function(name, [*arguments.values(), *weights.values()], parts, names_in, names_out)


def _checked(system: System, where: str, found, expected: Mapping[str, int | tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Results by name; raises one error with a line for each wrong count or shape."""
    if not isinstance(found, tuple | list) or len(found) != len(expected):
        what = f"{len(found)} results" if isinstance(found, tuple | list) else type(found).__name__
        raise ValueError(f"{system.name}: {where} gave {what}, expected {len(expected)}: {', '.join(expected)}")
    problems = []
    arrays = {}
    for (name, shape), value in zip(expected.items(), found, strict=True):
        shape = shape if isinstance(shape, tuple) else (shape,)
        array = np.asarray(value, dtype=object)
        if (
            array.shape != shape
            and not (array.shape == () and shape == (1,))
            and not (array.size == 0 == np.prod(shape))
        ):
            problems.append(f"{system.name}: {where} gave {name} with shape {array.shape}, expected {shape}")
        arrays[name] = array
    if problems:
        raise ValueError("\n".join(problems))
    return arrays
