"""Packages whose names are imported when they are first used (PEP 562): commands that need little start quickly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """`__getattr__` of a package: each name in `homes` comes from the module that stands beside it."""

    def getattribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name], package), name)

    return getattribute
