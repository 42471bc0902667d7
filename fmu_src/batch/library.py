"""The batch library of a System (native/runtime/batch): compiled once for this machine, cached, called by ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_void_p
from dataclasses import dataclass

from spacefmu.dynamics.system.contract import System

from ..native.platforms.beside import loaded, loop_library
from ..native.platforms.compile import LANE_FLAGS, batch_library

_GUID = "{batch}"


class MeasureRow(ctypes.Structure):
    """A metric; see measures.h."""

    _fields_ = [("kind", c_int), ("first", c_int), ("count", c_int), ("factor", c_double), ("offset", c_double),
                ("after", c_double), ("target", c_double), ("band", c_double)]  # fmt: skip


class StepsRow(ctypes.Structure):
    """Arguments and results of steps; see batch.c."""

    _fields_ = [("n_points", c_size_t), ("points", c_void_p), ("n_inputs", c_size_t), ("n_kept", c_size_t), ("n_measures", c_size_t),
                ("inputs", c_void_p), ("kept", c_void_p), ("input_values", c_void_p), ("inputs_by_run", c_int), ("keep_all", c_int),
                ("kept_values", c_void_p), ("measures", POINTER(MeasureRow)), ("numbers", c_void_p)]  # fmt: skip


# name → (result, arguments)
_FUNCTIONS: dict[str, tuple] = {
    "batch_create": (c_void_p, [c_size_t]),
    "batch_free": (None, [c_void_p]),
    "batch_bytes": (c_size_t, [c_void_p]),
    "batch_lanes": (c_int, []),
    "batch_shares": (c_int, []),
    "batch_arrange": (None, [c_void_p, c_void_p]),
    "batch_begin": (None, [c_void_p, c_double, c_void_p, c_size_t, c_double, c_double, c_void_p, c_size_t, c_void_p]),
    "batch_reason": (c_char_p, [c_void_p, c_size_t]),
    "batch_failed": (c_size_t, [c_void_p]),
    "batch_costs": (None, [c_void_p, c_size_t, c_size_t, c_void_p]),
    "batch_work": (None, [c_void_p, c_size_t, c_size_t, c_void_p, c_void_p]),
    "batch_steps": (c_int, [c_void_p, c_size_t, c_size_t, POINTER(StepsRow)]),
}


def lanes_here() -> int:
    """Runs that share a vector on this machine: 8 with AVX-512, 4 with AVX2, else 2."""
    loop = loop_library()
    return 2 if loop is None else loop.vector_length()


@dataclass(frozen=True)
class BatchModel:
    """A model for batches: C texts, compiled where they run, and value references by name. It can be sent to other machines."""

    name: str
    sources: Mapping[str, str]
    references: Mapping[str, int]


def batch_model(system: System) -> BatchModel:
    from ..interface.variables import variables_of  # the code generator is imported when it is used
    from ..native.c.generator import generate

    variables = variables_of(system)
    sources = generate(system, variables, _GUID, lanes=True)
    return BatchModel(system.name, sources, {variable.name: variable.reference for variable in variables})


def library_of(model: BatchModel, lanes: int | None = None) -> ctypes.CDLL:
    """The library of a model. lanes: runs per vector; default: as many as one instruction of this machine takes. CompileError without a compiler."""
    lanes = lanes_here() if lanes is None else lanes
    if lanes not in LANE_FLAGS or lanes > lanes_here():
        known = ", ".join(str(each) for each in sorted(LANE_FLAGS) if each <= lanes_here())
        raise ValueError(f"lanes is {lanes}; this machine has {known}")
    library = loaded(batch_library(model.sources, lanes), "batch")
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
