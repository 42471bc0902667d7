"""bounds.h: the numbers of dynamics/bounds.py for the C runtime."""

from __future__ import annotations

from spacefmu.dynamics import bounds


def bounds_header() -> str:
    """Text of bounds.h: a #define for each name in capitals."""
    named = {name: value for name, value in vars(bounds).items() if name.isupper()}
    return "\n".join(
        ["/* Generated from dynamics/bounds.py, which says what they mean. */", *(f"#define {n} {v!r}" for n, v in named.items()), ""]
    )  # fmt: skip
