"""bounds.h: the numbers of dynamics/bounds.py, and the sizes of the methods, for the C runtime."""

from __future__ import annotations

from spacefmu.dynamics import bounds
from spacefmu.dynamics.solver.methods import DENSE_ROWS, N_ORDERS

from .tableau_header import most_stages


def bounds_header() -> str:
    """Text of bounds.h: a #define for each name in capitals."""
    named = {name: value for name, value in vars(bounds).items() if name.isupper()}
    sizes = {"N_ORDERS": N_ORDERS, "MOST_DENSE_ROWS": DENSE_ROWS, "MOST_STAGES": most_stages()}
    defines = [f"#define {name} {value!r}" for name, value in {**named, **sizes}.items()]
    return "\n".join(
        ["/* Generated from dynamics/bounds.py and methods.py, which say what they mean. */", *defines, ""]
    )
