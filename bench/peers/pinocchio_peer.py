"""Pinocchio: its C++ `aba`, and the C that CasADi generates from its templates with all numbers of the chain folded in.

The wheel `pin` has no CasADi bindings, but its headers are all that pinocchio.cpp needs; compiled once, a minute or two.
"""

from __future__ import annotations

import ctypes
import subprocess
from ctypes import POINTER, c_char_p, c_double, c_int, c_long, c_longlong, c_void_p
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .. import models
from ..driver import Generated, compiled
from ..results import folder

if find_spec("pinocchio") is None:
    raise ImportError("pin is not installed")
VERSION = version("pin")
FLAGS = ("-O2", "-march=native")  # of its code, both; ours is compiled for any x86-64


@cache
def _library() -> ctypes.CDLL:
    headers = Path(find_spec("casadi").origin).parent
    prefix = next(Path(place) for place in _prefixes() if (Path(place) / "include" / "pinocchio").exists())
    more = (
        "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
        "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    )  # more kinds of joints than boost's default
    include = (f"-I{prefix}/include", f"-I{prefix}/include/eigen3", f"-I{headers}/include")
    library = compiled(
        Path(__file__).with_name("pinocchio.cpp"),
        "pinocchio",
        ("g++", "-std=c++17", *FLAGS, "-DNDEBUG", "-w", *more, *include),
        (f"-L{headers}", "-lcasadi", f"-Wl,-rpath,{headers}"),
    )
    vector = POINTER(c_double)
    library.pin_new.argtypes = [c_int, c_double, vector, c_double, c_double, vector, c_double]
    library.pin_new.restype, library.pin_loop.restype = c_void_p, c_double
    library.pin_accelerations.argtypes = [c_void_p, vector, vector, vector]
    library.pin_loop.argtypes = [c_void_p, c_long]
    library.pin_generate.argtypes = [c_void_p, c_char_p]
    library.pin_generate.restype = library.pin_accelerations.restype = None
    return library


def _prefixes() -> list[str]:
    return [str(Path(place) / "cmeel.prefix") for place in __import__("site").getsitepackages()]


def _vector(values) -> ctypes.Array:
    return (c_double * len(values))(*values)


class Chain:
    """Forward dynamics of the chain at a state: angles and rates of the hinges, turning rate of the hub in its own axes."""

    def __init__(self, links: int):
        self.links = links
        self._chain = _library().pin_new(
            links, models.HUB_MASS, _vector(models.HUB_INERTIA), models.LINK_MASS, models.LINK_LENGTH, _vector(models.LINK_INERTIA), models.FIRST_HINGE
        )  # fmt: skip

    def state(self, angles, rates, omega) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) as Pinocchio has them."""
        return np.array([0, 0, 0, 0, 0, 0, 1.0, *angles]), np.array([0, 0, 0, *omega, *rates], float)

    def accelerations(self, angles, rates, omega) -> np.ndarray:
        q, v = self.state(angles, rates, omega)
        found = _vector([0.0] * (6 + self.links))
        _library().pin_accelerations(self._chain, _vector(q), _vector(v), found)
        return np.array(found[6:])

    def evaluations(self, n: int) -> float:
        return _library().pin_loop(self._chain, n)

    def generated(self, angles, rates, omega) -> Generated:
        """The generated function at a state, with no forces in the hinges."""
        place = folder() / f"pinocchio{self.links}"
        place.mkdir(exist_ok=True)
        if not (place / "aba.c").exists():
            _library().pin_generate(self._chain, str(place).encode())
        library = place / "aba.so"
        if not library.exists():
            subprocess.run(
                ["gcc", *FLAGS, "-fPIC", "-shared", str(place / "aba.c"), "-o", str(library), "-lm"], check=True
            )
        dll = ctypes.CDLL(str(library))
        sizes = [c_longlong() for _ in range(4)]
        dll.aba_work(*(ctypes.byref(size) for size in sizes))
        q, v = self.state(angles, rates, omega)
        function = ctypes.cast(dll.aba, c_void_p)
        return Generated(
            function, [q, v, np.zeros(6 + self.links)], [6 + self.links], sizes[2].value, sizes[3].value, dll
        )
