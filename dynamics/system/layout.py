"""Arrays of consecutive named parts, which equations read, replace and join by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


class Layout:
    """Named spans of an array. Values may be numbers or symbols; nothing is computed with them."""

    __slots__ = ("_spans", "size")

    def __init__(self, sizes: Mapping[str, int]):
        self._spans: dict[str, slice] = {}
        self.size = 0
        for name, size in sizes.items():
            self._spans[name] = slice(self.size, self.size + size)
            self.size += size

    def __getitem__(self, name: str) -> slice:
        return self._spans[name]

    def followed_by(self, name: str, size: int) -> Layout:
        """The same with one more part at the end."""
        return Layout({each: span.stop - span.start for each, span in self._spans.items()} | {name: size})

    def parts(self, whole: Any) -> dict[str, Any]:
        """All parts of an array by name."""
        return {name: whole[span] for name, span in self._spans.items()}

    def joined(self, parts: Mapping[str, Any]) -> Any:
        """The array of these parts; a part without entries may be left out."""
        if unknown := [name for name in parts if name not in self._spans]:
            raise ValueError(f"no part is named {unknown[0]!r}, expected one of {', '.join(self._spans)}")
        for name, span in self._spans.items():
            if (found := len(parts.get(name, ()))) != span.stop - span.start:
                raise ValueError(f"part {name!r} has {found} entries, expected {span.stop - span.start}")
        return end_to_end(parts[name] for name in self._spans if name in parts)

    def replaced(self, whole: Any, /, **parts: Any) -> Any:
        """The array with other values in some parts."""
        return self.joined(self.parts(whole) | parts)


def end_to_end(arrays: Iterable[Any]) -> Any:
    """Concatenated arrays; there may be none."""
    return np.concatenate([np.zeros(0), *arrays])
