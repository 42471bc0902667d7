"""Places of values in the C of functions of columns and matrices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Storage:
    """The place of a value: a variable, or `size` entries of an array. fixed: it is never overwritten, so that parts of it may be read in place."""

    array: str
    start: int
    size: int
    variable: bool = False
    fixed: bool = False

    def entry(self, i: int | str) -> str:
        if self.variable:
            return self.array
        if isinstance(i, str):
            return (
                f"{self.array}[{f'{self.start} + ' if self.start else ''}{i}]"
                if self.size > 1
                else f"{self.array}[{self.start}]"
            )
        return f"{self.array}[{self.start + i}]"

    @property
    def pointer(self) -> str:
        return f"&{self.array}" if self.variable else f"{self.array} + {self.start}"

    def part(self, start: int, size: int) -> Storage:
        return Storage(self.array, self.start + start, size, self.variable, self.fixed)
