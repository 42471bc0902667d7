"""Clean unloading of the wrapper's library from a process on Linux.

The library of pythonfmu 0.7.0 ends Python's state twice when it is unloaded: in the destructor of a static shared
pointer, then in finalizePythonInterpreter, which counts down in memory that the first one has given back. That corrupts the heap of a C
host at its end (measured: valgrind; glibc's "corrupted unsorted chunks"). Here the second is called before the first, which then has
nothing to do: at exit; the library stays loaded that long.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path


@cache
def leave_in_order(resources: str, identifier: str) -> None:
    """Once per library. Without effect if the host has loaded it from another place."""
    if sys.platform != "linux":
        return
    library = Path(resources).parent / "binaries" / "linux64" / f"{identifier}.so"
    try:
        wrapper = ctypes.CDLL(str(library), mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        return
    at_exit = ctypes.CDLL(None)["__cxa_atexit"]  # what C's atexit does; the last one registered is the first one called
    at_exit.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    at_exit(ctypes.cast(wrapper.finalizePythonInterpreter, ctypes.c_void_p), None, None)
