"""Pinocchio: its C++ `aba`, and the C that CasADi generates from its templates with all numbers of the chain folded in.

The wheel `pin` has no CasADi bindings, but its headers are all that is needed; compiled once, some minutes.
"""

from __future__ import annotations

import ctypes
import site
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


_CRAFT = (
    models.HUB_MASS, models.HUB_INERTIA, models.LINK_MASS, models.LINK_LENGTH, models.LINK_INERTIA, models.FIRST_HINGE
)  # fmt: skip
_VECTOR = POINTER(c_double)
_CRAFT_TYPES = [c_int, c_double, _VECTOR, c_double, c_double, _VECTOR, c_double]


def _compiled(name: str, flags: tuple[str, ...], more: tuple[str, ...] = ()) -> ctypes.CDLL:
    prefix = next(place for place in _prefixes() if (place / "include" / "pinocchio").exists())
    limits = (
        "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
        "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    )  # it has more kinds of joints
    include = (f"-I{prefix}/include", f"-I{prefix}/include/eigen3")
    return compiled(
        Path(__file__).with_name(f"{name}.cpp"),
        name,
        ("g++", "-std=c++17", *flags, "-DNDEBUG", "-w", *limits, *include),
        more,
    )


@cache
def _aba() -> ctypes.CDLL:
    library = _compiled("pinocchio_aba", FLAGS)
    library.pin_new.argtypes, library.pin_new.restype = _CRAFT_TYPES, c_void_p
    library.pin_accelerations.argtypes, library.pin_accelerations.restype = [c_void_p, _VECTOR, _VECTOR, _VECTOR], None
    library.pin_loop.argtypes, library.pin_loop.restype = [c_void_p, c_long], c_double
    return library


@cache
def _generator() -> ctypes.CDLL:
    """Writes C, once a size: it need not be quick itself."""
    casadi = Path(find_spec("casadi").origin).parent
    library = _compiled(
        "pinocchio_generate", ("-O0", f"-I{casadi}/include"), (f"-L{casadi}", "-lcasadi", f"-Wl,-rpath,{casadi}")
    )
    library.pin_generate.argtypes, library.pin_generate.restype = [*_CRAFT_TYPES, c_char_p], None
    return library


def _prefixes() -> list[Path]:
    return [Path(place) / "cmeel.prefix" for place in site.getsitepackages()]


def _vector(values) -> ctypes.Array:
    return (c_double * len(values))(*values)


class Chain:
    """Forward dynamics of the chain at a state: angles and rates of the hinges, turning rate of the hub in its own axes."""

    def __init__(self, links: int):
        self.links = links
        self._craft = (links, *(_vector(given) if isinstance(given, tuple) else given for given in _CRAFT))
        self._chain = _aba().pin_new(*self._craft)

    def state(self, angles, rates, omega) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) as Pinocchio has them."""
        return np.array([0, 0, 0, 0, 0, 0, 1.0, *angles]), np.array([0, 0, 0, *omega, *rates], float)

    def accelerations(self, angles, rates, omega) -> np.ndarray:
        q, v = self.state(angles, rates, omega)
        found = _vector([0.0] * (6 + self.links))
        _aba().pin_accelerations(self._chain, _vector(q), _vector(v), found)
        return np.array(found[6:])

    def evaluations(self, n: int) -> float:
        return _aba().pin_loop(self._chain, n)

    def generated(self, angles, rates, omega) -> Generated:
        """The generated function at a state, with no forces in the hinges."""
        place = folder() / f"pinocchio{self.links}"
        place.mkdir(exist_ok=True)
        if not (place / "aba.c").exists():
            _generator().pin_generate(*self._craft, str(place).encode())
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
