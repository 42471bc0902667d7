"""FMPy's co-simulation loop in C (native/runtime/host/loop.c): the same calls in the same order, without Python between them.

Communication points and values of inputs are computed beforehand, by FMPy's rules. The loop returns a few times per second, so that a run
can be followed and stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from ctypes import Array, Structure, addressof, byref, c_int, c_size_t, c_void_p, cast
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from fmpy.model_description import ModelDescription, ScalarVariable
from fmpy.simulation import (
    Input,
    apply_start_values,
    isclose,
    settable_in_initialization_mode,
    settable_in_instantiated,
)

from ..archive.description import variables_of
from ..native.platforms.beside import loop_library
from .array_input import ArrayInput

if TYPE_CHECKING:
    from .single import CheckedRun

_PAUSE = 0.05  # [s] after which the loop returns
_TERMINATED, _LAST_TIME = 3, 2  # fmi2StatusKind
_WARNING, _DISCARD, _EARLY, _ENDS = 1, 2, -1, -2  # status of FMI, and the ends of loop.c

# Types of variables → their names in FMI's functions, and NumPy's type of a value
_INTEGERS = {f"{u}Int{8 * n}": f"{u.lower() or 'i'}{n}" for u in ("", "U") for n in (1, 2, 4, 8)}
_TYPES = {
    "2.0": {"Real": ("Real", "f8"), "Integer": ("Integer", "i4"), "Enumeration": ("Integer", "i4"), "Boolean": ("Boolean", "i4")},
    "3.0": {name: (name, kind) for name, kind in ({"Float32": "f4", "Float64": "f8"} | _INTEGERS).items()}
    | {"Enumeration": ("Int64", "i8"), "Boolean": ("Boolean", "?")},
}  # fmt: skip


class _Access(Structure):
    _fields_ = [("function", c_void_p), ("references", c_void_p), ("n_references", c_size_t), ("n_values", c_size_t),
                ("row_bytes", c_size_t), ("rows", c_void_p)]  # fmt: skip


class _Loop(Structure):
    _fields_ = [("fmi", c_int), ("instance", c_void_p), ("do_step", c_void_p), ("points", c_void_p),
                ("n_inputs", c_size_t), ("n_kept", c_size_t), ("inputs", c_void_p), ("kept", c_void_p)]  # fmt: skip


class LoopEnded(Exception):
    """A call was refused; the reason is in the FMU's log."""


@dataclass
class VariableRows:
    """Variables of one type that one function gets or sets; values: one row per communication point."""

    function: str
    references: np.ndarray
    rows: np.ndarray

    def access(self, dll) -> _Access:
        values = (len(self.references), self.rows.shape[1], self.rows.strides[0], self.rows.ctypes.data)
        return _Access(_address(dll, self.function), self.references.ctypes.data, *values)


class Loop:
    """One run of an initialized instance, and what it has kept so far: `reached` is the number of the last point."""

    def __init__(
        self, fmu, version: str, points: np.ndarray, inputs: Sequence[VariableRows], kept: Sequence[VariableRows]
    ):
        """fmu: FMPy's instance."""
        self.fmu, self.points, self.kept, self.reached = fmu, points, kept, 0
        self._inputs, self._accesses = (
            inputs,
            [_accesses(fmu.dll, own) for own in (inputs, kept)],
        )  # C holds their addresses
        major = int(version[0])
        self._second = major == 2
        sizes, places = (len(inputs), len(kept)), map(addressof, self._accesses)
        self._loop = _Loop(
            major, fmu.component, _address(fmu.dll, f"fmi{major}DoStep"), points.ctypes.data, *sizes, *places
        )
        library = loop_library()
        assert library is not None
        self._library = library
        self._keep(0)

    def run(self, on_time: Callable[[float], bool] = lambda time: True) -> None:
        """To the last point, or until `on_time`, called with the time a few times a second, answers False. LoopEnded if a call is refused."""
        status, last, chunk = c_int(), len(self.points) - 1, 1
        while self.reached < last:
            begin = time.perf_counter()
            until = min(self.reached + chunk, last)
            self.reached = self._library.run_steps(byref(self._loop), self.reached, until, byref(status))
            if status.value and self._ended(status.value):
                on_time(float(self.points[self.reached]))
                return
            if not on_time(float(self.points[self.reached])):
                return
            chunk = max(1, int(chunk * min(_PAUSE / max(time.perf_counter() - begin, 1e-9), 4.0)))

    def _ended(self, status: int) -> bool:
        """Whether the FMU requested the end of the run; LoopEnded if it failed."""
        if status == _DISCARD and self._second and self.fmu.getBooleanStatus(_TERMINATED):
            self.reached += 1
            self.points[self.reached] = self.fmu.getRealStatus(_LAST_TIME)
            self._keep(self.reached)
        elif status != _ENDS:
            raise LoopEnded("a step ended early" if status == _EARLY else f"a call was refused with status {status}")
        return True

    def _keep(self, row: int) -> None:
        status = self._library.keep_values(byref(self._loop), row)
        if status > _WARNING:
            raise LoopEnded(f"a call was refused with status {status}")


def serves(description: ModelDescription) -> bool:
    """Whether an FMU can be run by the loop: co-simulation of FMI 2.0 or 3.0, on a machine with a compiler."""
    return description.fmiVersion in _TYPES and description.coSimulation is not None and loop_library() is not None


def begun(fmu, of: ModelDescription, run: CheckedRun, names: Sequence[str]) -> tuple[Loop, dict[str, np.ndarray]]:
    """The loop of a run, whose instance is initialized here as FMPy does it; and the values of each variable (points, …), as they will be kept."""
    second, experiment = of.fmiVersion == "2.0", {"startTime": 0.0, "stopTime": run.stop}
    if of.defaultExperiment is not None and of.defaultExperiment.tolerance is not None:
        experiment["tolerance"] = float(of.defaultExperiment.tolerance)
    if second:
        fmu.setupExperiment(**experiment)
    source = ArrayInput(fmu, of, run.inputs)
    left = apply_start_values(fmu, of, run.start_values, settable=settable_in_instantiated)
    fmu.enterInitializationMode(**({} if second else experiment))
    apply_start_values(fmu, of, left, settable=settable_in_initialization_mode)
    source.apply(0.0)
    fmu.exitInitializationMode()
    events = () if run.inputs is None else tuple(source.t_events)
    points = points_of(run.stop, run.step, events, bool(of.coSimulation.canHandleVariableCommunicationStepSize))
    variables = variables_of(of)
    kept, columns = kept_groups(of.fmiVersion, [variables[name] for name in names], len(points))
    inputs = [] if run.inputs is None else list(_input_groups(of, source, points))
    return Loop(fmu, of.fmiVersion, points.copy(), inputs, kept), columns


@lru_cache(maxsize=8)
def points_of(stop: float, step: float, events: tuple[float, ...] = (), variable: bool = True) -> np.ndarray:
    """Communication points as FMPy places them: multiples of the step, and jumps of inputs where steps may have any length."""
    points, steps = [0.0], 0
    while not (points[-1] > stop or isclose(points[-1], stop)):
        regular = (steps + 1) * step
        jump = next((t for t in events if t > points[-1] and not isclose(t, points[-1])), float("inf"))
        point = jump if variable and regular > jump and not isclose(regular, jump) else regular
        if point > stop and not isclose(point, stop):
            if not variable:
                break
            point = stop
        points.append(float(point))
        steps += isclose(point, regular)
    return np.array(points)


def kept_groups(
    version: str, variables: Sequence[ScalarVariable], count: int
) -> tuple[list[VariableRows], dict[str, np.ndarray]]:
    """An array for `count` values of variables; and the part of it that belongs to each, by name, (count, …)."""
    by_type: dict[str, list[ScalarVariable]] = {}
    for variable in variables:
        by_type.setdefault(variable.type, []).append(variable)
    groups, columns = [], {}
    for kind, own in by_type.items():
        function, dtype = _TYPES[version][kind]
        ends = np.cumsum([0, *(np.prod(variable.shape or (), dtype=int) for variable in own)])
        rows = np.zeros((count, int(ends[-1])), dtype)
        references = np.array([variable.valueReference for variable in own], np.uint32)
        groups.append(VariableRows(f"fmi{version[0]}Get{function}", references, rows))
        for variable, start, end in zip(own, ends, ends[1:], strict=False):
            columns[variable.name] = rows[:, start:end].reshape(count, *(variable.shape or ()))
    return groups, columns


def _input_groups(of: ModelDescription, source: Input, points: np.ndarray) -> Iterator[VariableRows]:
    """Values of inputs at every point but the last, as FMPy takes them from the table."""
    types = {variable.valueReference: variable.type for variable in of.modelVariables}
    for own, discrete in [*((each, False) for each in source.continuous), *((each, True) for each in source.discrete)]:
        function, kind = _TYPES[of.fmiVersion][types[own.vrs[0]]]
        values = [Input.interpolate(t, source.t, own.table, discrete, True)[0] for t in points[:-1]]
        rows = np.array(values, dtype=kind).reshape(len(values), -1)
        yield VariableRows(f"fmi{of.fmiVersion[0]}Set{function}", np.array(own.vrs, np.uint32), rows)


def inputs_over(
    of: ModelDescription, signals: np.ndarray | None, stop: float, step: float
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray] | None]:
    """Communication points of a run, and value references with their values (points − 1, references) by a table; None without one."""
    if signals is None:
        return points_of(stop, step), None
    points, known = points_of(stop, step, tuple(Input.findEvents(signals, of))), variables_of(of)
    names = (signals.dtype.names or ())[1:]
    continuous = [known[n].type in ("Real", "Float64") and known[n].variability != "discrete" for n in names]
    columns = [
        [np.ravel(Input.interpolate(t, signals["time"], signals[name][None, :], not smooth, True)[0])[0] for t in points[:-1]]
        for name, smooth in zip(names, continuous, strict=True)
    ]  # fmt: skip
    references = np.array([known[name].valueReference for name in names], np.uint32)
    return points, (references, np.array(columns, float).T)


def _accesses(dll, groups: Sequence[VariableRows]) -> Array:
    return (_Access * len(groups))(*(group.access(dll) for group in groups))


def _address(dll, function: str) -> int | None:
    return cast(getattr(dll, function), c_void_p).value
