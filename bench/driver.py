"""FMUs and generated C behind the loops of driver.c."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from ctypes import c_double, c_int, c_long, c_longlong, c_size_t, c_void_p
from functools import cache
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model, FMU2Slave

from spacefmu.fmu_src.native.platforms.compile import all_sources, cached_library, host_platform

from .results import folder

HERE = Path(__file__).parent


def compiled(source: Path, name: str, compiler: Sequence[str] = ("cc", "-std=gnu99", "-O2"), more: Sequence[str] = ()):
    """A C or C++ file as a library in build/bench/, compiled again if a file beside it or the command has changed."""
    library, told = folder() / f"{name}.so", folder() / f"{name}.made_of"
    command = [*compiler, "-fPIC", "-shared", str(source), "-o", str(library), *more]
    texts = [path.read_bytes() for path in (source, *sorted(source.parent.glob("*.h")))]
    made_of = hashlib.sha256(b"".join([" ".join(command).encode(), *texts])).hexdigest()
    if not (library.exists() and told.exists() and told.read_text("utf-8") == made_of):
        subprocess.run(command, check=True)
        told.write_text(made_of, "utf-8")
    return ctypes.CDLL(str(library))


@cache
def loops() -> ctypes.CDLL:
    library = compiled(HERE / "driver.c", "driver")
    pointer, number = c_void_p, c_double
    for name, arguments in {
        "exchange": [pointer, pointer, pointer, pointer, pointer, c_size_t, c_long],
        "generated": [pointer, pointer, pointer, pointer, pointer, pointer, c_long],
        "forward": [pointer, pointer, pointer, c_long],
        "steps": [pointer, pointer, pointer, number, c_long],
        "each": [pointer, pointer, pointer, number, pointer, c_long],
        "values": [pointer, pointer, pointer, c_size_t, pointer, c_long],
        "values3": [pointer, pointer, pointer, c_size_t, pointer, c_size_t, c_long],
        "coupled": [pointer, pointer, pointer, pointer, pointer, c_int, pointer, number, c_long],
    }.items():
        function = getattr(library, f"loop_{name}")
        function.argtypes, function.restype = arguments, c_double
    return library


def _address(array: np.ndarray) -> int:
    return array.ctypes.data


def as_installed() -> dict[str, str]:
    """The environment of a command that is measured: bytecode is kept, as of every installed package, also where the environment forbids it."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder() / "bytecode")}


def package(root: Path) -> str:
    """The import name of fmu_src/ in a checkout: before 0.2.0 it had one of its own."""
    return "spacefmu.fmu_src" if (root / "spacefmu").is_dir() else "fmu_src"


class NotBuilt(Exception):
    """An FMU that could not be built within the limit, and why."""


def build(
    text: str,
    name: str,
    limit: float = 300.0,
    flavour: str = "native",
    fold: bool = False,
    shared_from: int = 0,
    before: str = "",
    root: Path = HERE.parent,
) -> tuple[Path, float]:
    """(FMU of a description in TOML, seconds of CPU that its build took) in a process of its own.

    shared_from: states from which on generated C has one function per kind; 0: as it is. before: Python that runs before the build. root: of the code that builds.
    """
    source, path = folder() / f"{name}.toml", folder() / f"{name}.fmu"
    source.write_text(text, "utf-8")
    more = {"flavour": flavour} | ({"fold": True} if fold else {})
    code = f"from {package(root)} import api; api.build({str(source)!r}, {str(path)!r}, **{more!r})"
    if shared_from:
        where = (
            "native.trace import traces"
            if (root / "fmu_src/native/trace").is_dir()
            else "native import trace as traces"
        )
        code = f"from {package(root)}.{where}; traces.LARGE = {shared_from}; {code}"
    if before:
        code = f"{before.format(package=package(root))}; {code}"
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    worker = subprocess.Popen(
        [sys.executable, "-c", code],
        stderr=subprocess.PIPE,
        text=True,
        cwd=root,
        env=as_installed(),
        start_new_session=True,
    )
    try:
        _, said = worker.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(worker.pid, 9)
        worker.wait()
        raise NotBuilt(f"not built within {limit:g} s") from None
    if worker.returncode:
        raise NotBuilt(said.strip().splitlines()[-1] if said.strip() else f"exit code {worker.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return path, (after.ru_utime - begun.ru_utime) + (after.ru_stime - begun.ru_stime)


def unpacked(path: Path) -> Path:
    """A folder with the FMU; another for another FMU of that name: a library that is loaded must not be written over."""
    place = path.with_suffix("").with_name(f"{path.stem}-{path.stat().st_mtime_ns:x}")
    if not place.exists():
        fmpy.extract(str(path), str(place))
    return place


class Unit:
    """An initialized instance; model exchange: in continuous-time mode."""

    def __init__(self, path: Path, kind: type = FMU2Slave, start: dict[str, float] | None = None, tolerance=None):
        self.path, self.place = path, unpacked(path)
        self.description = fmpy.read_model_description(str(self.place))
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        element = self.description.modelExchange if kind is FMU2Model else self.description.coSimulation
        self.fmu = kind(
            guid=self.description.guid,
            unzipDirectory=str(self.place),
            modelIdentifier=element.modelIdentifier,
            instanceName="bench",
        )
        self.fmu.instantiate()
        types = {v.name: v.type for v in self.description.modelVariables}
        for name, value in (start or {}).items():
            set_ = self.fmu.setInteger if types[name] == "Enumeration" else self.fmu.setReal
            set_([self.references[name]], [value])
        self.fmu.setupExperiment(startTime=0.0, tolerance=tolerance)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self.time = np.zeros(1)
        if kind is FMU2Model:
            self.fmu.newDiscreteStates()
            self.fmu.enterContinuousTimeMode()
            self.x = np.zeros(max(1, self.description.numberOfContinuousStates))
            self.rates = np.zeros_like(self.x)
            self.fmu.getContinuousStates(self.x.ctypes.data_as(ctypes.POINTER(c_double)), len(self.x))

    def free(self) -> None:
        with contextlib.suppress(Exception):
            self.fmu.terminate()
        self.fmu.freeInstance()

    def function(self, name: str) -> c_void_p:
        return ctypes.cast(getattr(self.fmu.dll, f"fmi2{name}"), c_void_p)

    def evaluations(self, n: int) -> float:
        """Chunk: set states, get derivatives."""
        taken = loops().loop_exchange(
            self.function("SetContinuousStates"), self.function("GetDerivatives"), self.fmu.component,
            _address(self.x), _address(self.rates), len(self.x), n,
        )  # fmt: skip
        return _sound(taken)

    def steps(self, size: float):
        """Chunk: communication steps, on and on."""
        step = self.function("DoStep")
        return lambda n: _sound(loops().loop_steps(step, self.fmu.component, _address(self.time), size, n))

    def values(self, function: str, names: Sequence[str]):
        """Chunk: fmi2GetReal or fmi2SetReal of these, at their present values."""
        references = np.array([self.references[name] for name in names], np.uint32)
        values = np.array(self.fmu.getReal(references.tolist()))
        call = self.function(function)
        return lambda n: _sound(
            loops().loop_values(call, self.fmu.component, _address(references), len(names), _address(values), n)
        )

    def real(self, *names: str) -> list[float]:
        return self.fmu.getReal([self.references[name] for name in names])

    def run(self, stop: float, size: float) -> float:
        """Seconds of CPU to `stop` in steps of `size`."""
        count = round(stop / size)
        return 1e-9 * count * self.steps(size)(count)


def _sound(taken: float) -> float:
    if taken < 0.0:
        raise RuntimeError("a call of the FMU failed while it was measured")
    return taken


class _Connection(ctypes.Structure):
    _fields_ = [
        ("source", c_void_p), ("target", c_void_p), ("get", c_void_p), ("set", c_void_p), ("from_", c_void_p), ("to", c_void_p),
        ("count", c_size_t), ("factors", c_void_p),
    ]  # fmt: skip


class Coupled:
    """Two units and what they exchange at every communication step: (source unit, names, target unit, names, factors)."""

    def __init__(self, a: Unit, b: Unit, connections: Sequence[tuple[Unit, list[str], Unit, list[str], list[float]]]):
        self.a, self.b, self._kept, rows = a, b, [], []
        for source, from_, target, to, factors in connections:
            arrays = (
                np.array([source.references[name] for name in from_], np.uint32),
                np.array([target.references[name] for name in to], np.uint32),
                np.array(factors),
            )
            self._kept.append(arrays)
            rows.append(
                _Connection(
                    source.fmu.component,
                    target.fmu.component,
                    source.function("GetReal"),
                    target.function("SetReal"),
                    _address(arrays[0]),
                    _address(arrays[1]),
                    len(from_),
                    _address(arrays[2]),
                )
            )
        self.rows = (_Connection * len(rows))(*rows)
        self.time = np.zeros(1)

    def steps(self, size: float):
        def chunk(n: int) -> float:
            taken = loops().loop_coupled(
                self.a.function("DoStep"), self.a.fmu.component, self.b.function("DoStep"), self.b.fmu.component,
                ctypes.cast(self.rows, c_void_p), len(self.rows), _address(self.time), size, n,
            )  # fmt: skip
            return _sound(taken)

        return chunk


class Generated:
    """A function with CasADi's signature, which ours are given here, with its arguments and work arrays."""

    def __init__(
        self, function: c_void_p, arguments: Sequence[np.ndarray], results: Sequence[int], iw: int, w: int, kept
    ):
        self.results = [np.zeros(max(1, n)) for n in results]
        self._function, self._arguments, self._kept = function, arguments, kept
        # room beyond the arguments: generated code keeps pointers there
        self._arg = (c_void_p * (len(arguments) + 200))(*(_address(a) for a in arguments))
        self._res = (c_void_p * (len(results) + 200))(*(_address(r) for r in self.results))
        self._iw, self._w = (c_longlong * max(1, iw))(), (c_double * max(1, w))()

    def chunk(self, vary: int):
        """Calls with the first entry of one argument varying."""
        pointers = [ctypes.cast(array, c_void_p) for array in (self._arg, self._res, self._iw, self._w)]
        return lambda n: _sound(loops().loop_generated(self._function, *pointers, _address(self._arguments[vary]), n))


_EXPORTS = """
#include "model.h"
#if defined(_WIN32)
#define SHOWN __declspec(dllexport)
#else
#define SHOWN __attribute__((visibility("default")))
#endif
SHOWN int bench_rates(const double **arg, double **res, long long *iw, double *w, int mem) { return model.rates(arg, res, w), 0; }
SHOWN int bench_derive(const double **arg, double **res, long long *iw, double *w, int mem) { return model.derive(arg, res, w), 0; }
SHOWN void bench_sizes(int *out)
{
    int sizes[] = {model.nx, model.nu, model.np, model.nk + model.n_hoisted, model.nd, model.sz_w, model.motion.n, model.motion.m, model.motion.carry};
    for (int i = 0; i < 9; i++) out[i] = sizes[i];
}
SHOWN const double *bench_start(int group)
{
    const double *starts[] = {model.start_x, model.start_u, model.start_p, model.start_d};
    return starts[group];
}
"""


def rates_of(path: Path, at: np.ndarray | None = None) -> Generated:
    """The function `rates` of a native FMU alone: its sources compiled as they are for the FMU, with a way in. at: states; default: the start's."""
    place = unpacked(path)
    sources = {f.name: f.read_text("utf-8") for f in (place / "sources").iterdir()} | {"bench.c": _EXPORTS}
    sources = {name: text for name, text in sources.items() if name not in all_sources({})}
    data = cached_library(sources, host_platform())
    library = place / "rates.so"
    library.write_bytes(data)
    dll = ctypes.CDLL(str(library))
    sizes = (c_int * 9)()
    dll.bench_sizes(sizes)
    nx, nu, np_, nk, nd, w, n, m, carry = sizes
    dll.bench_start.restype, dll.bench_start.argtypes = c_void_p, [c_int]

    def start(group: int, count: int) -> np.ndarray:
        found = dll.bench_start(group)
        return (
            np.ctypeslib.as_array((c_double * count).from_address(found)).copy()
            if count and found
            else np.zeros(max(1, count))
        )

    x, u, p, d = (start(i, count) for i, count in enumerate((nx, nu, np_, nd)))
    x = x if at is None else at.copy()
    derive = Generated(ctypes.cast(dll.bench_derive, c_void_p), [p], [nk], 0, w, dll)
    derive.chunk(0)(1)
    arguments = [
        np.zeros(1),
        x,
        u,
        derive.results[0],
        d,
        np.zeros(max(1, n)),
        np.zeros(max(1, m)),
        np.zeros(max(1, carry)),
    ]
    return Generated(ctypes.cast(dll.bench_rates, c_void_p), arguments, [nx], 0, w, (dll, derive))
