"""What `spacefmu --version` prints: what maintainers need to know about an installation."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# Packages by purpose; the second half comes with extras.
PACKAGES = ("numpy", "scipy", "casadi", "ziglang", "fmpy", "pythonfmu", "pydantic", "lxml", "matplotlib", "trimesh")
EXTRAS = ("bokeh", "dask", "pyarrow", "lief", "control", "pyyeti")


def versions() -> str:
    """One line each for spacefmu, Python, the platform, and the packages that results depend on; none of them is imported."""
    rows = [
        f"spacefmu {version('spacefmu')}",
        f"Python {platform.python_version()} ({platform.python_implementation()}, {_bits()} bit)",
        f"platform {platform.platform()}, {platform.machine()}",
        f"installed in {Path(__file__).resolve().parents[2]}",
    ]
    return "\n".join([*rows, *(f"{name} {_found(name)}" for name in (*PACKAGES, *EXTRAS))])


def _bits() -> int:
    return 64 if sys.maxsize > 2**32 else 32


def _found(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
