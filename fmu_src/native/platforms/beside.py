"""Libraries for this machine that are not part of FMUs: the host loop (runtime/host/loop.c). Compiled once, and cached."""

from __future__ import annotations

import atexit
import ctypes
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache

from .cache import kept
from .compile import FLAGS, LINKED, RUNTIME, CompileError, compiled_in_one, compiler_commands, compiler_identity
from .table import host_platform, suffix

# Without the C library, which zig would have to build at its first use: 5 s instead of 0.1.
_ALONE = ("-nostdlib",) if sys.platform == "linux" else ()


@cache
def loop_library() -> ctypes.CDLL | None:
    """The loop of runtime/host/loop.c; None without a compiler."""
    name = "loop.c"
    try:
        data = library_beside({name: (RUNTIME / "host" / name).read_text(encoding="utf-8")}, _ALONE)
        library = loaded(data, name)
    except (CompileError, OSError):
        return None
    library.run_steps.restype = ctypes.c_size_t
    library.run_steps.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
    return library


def library_beside(sources: Mapping[str, str], options: Sequence[str] = ()) -> bytes:
    """The bytes of a shared library of C texts for this machine."""
    platform = host_platform()
    parts = (text for pair in sorted(sources.items()) for text in pair)
    command = compiler_commands(platform)[0]
    line = [*FLAGS, *LINKED, *options]
    return kept([compiler_identity(platform), *line, *parts], lambda: compiled_in_one(command, sources, line))


def loaded(data: bytes, name: str) -> ctypes.CDLL:
    """A library from its bytes; its file exists as long as this process."""
    handle, place = tempfile.mkstemp(prefix=name, suffix=suffix(host_platform()), dir=_folder())
    with open(handle, "wb") as file:
        file.write(data)
    return ctypes.CDLL(place)


@cache
def _folder() -> str:
    folder = tempfile.mkdtemp(prefix="spacefmu-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
