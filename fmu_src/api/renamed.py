"""Renamed arguments: the old names still work, with a DeprecationWarning that names the new one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
GONE = "0.4"  # the version in which they are removed (docs/versions.md)


def renamed(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function that takes arguments under their old names as well: old = "new"."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def answer(*arguments: P.args, **named: P.kwargs) -> R:
            for old in names.keys() & named.keys():
                new, called = names[old], f"spacefmu.{function.__name__}"
                if new in named:
                    raise TypeError(f"{called}: {old} is the old name of {new}; give one of the two")
                warnings.warn(f"{called}: {old} is called {new} now; {old} is removed in version {GONE}", DeprecationWarning, 2)  # fmt: skip
                named[new] = named.pop(old)
            return function(*arguments, **named)

        return answer

    return wrap
