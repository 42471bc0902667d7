"""Problems in a description: collected, each with the path of the field, what was found and what was expected."""

from __future__ import annotations

import difflib


class DescriptionError(ValueError):
    """All problems of one description. `problems` are sentences, `source` is the file's name."""

    def __init__(self, source: str, problems: list[str]):
        self.source, self.problems = source, problems
        super().__init__("\n".join(f"{source}: {problem}" for problem in problems))


class Problems:
    """A list that grows while a description is read; nothing is raised before the end."""

    def __init__(self):
        self.found: list[str] = []

    def add(self, path: str, found, expected: str) -> None:
        self.found.append(f"{path} is {show(found)}, expected {expected}")

    def unknown(self, path: str, name: str, known, what: str) -> None:
        """An unknown name with the nearest known one."""
        near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(sorted(known)) or 'none'}"
        self.found.append(f"{path} names the {what} {name!r}, which does not exist{hint}")


def show(value) -> str:
    """A found value, short enough for a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
