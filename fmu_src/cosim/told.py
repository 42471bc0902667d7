"""What an FMU of ours tells of a run in log categories of its own: its events as they come, and sums of what its solver did at the end."""

from __future__ import annotations

import re
from collections import Counter

from fmpy.model_description import ModelDescription

SOLVER, EVENTS = "logSolver", "logEvents"
MOST_OF_ONE, MOST = 200, 2000  # switches of one variable, and of all, that are kept; of more there is the number
_EVENT = re.compile(r"event at time (\S+?)(?:: (\S+) = (-?\d+))?")


class Told:
    """Listens to one FMU. words: of its solver; other FMUs tell nothing, and nothing is asked of them."""

    def __init__(self, description: ModelDescription) -> None:
        names = {own.name for own in description.logCategories}
        self._asked = description.fmiVersion == "2.0" and {SOLVER, EVENTS} <= names  # the second is a standard's name
        self._texts = {variable.name: variable.description or "" for variable in description.modelVariables}
        self.clear()

    def ask(self, instance) -> None:
        """Turn the categories on; they stay on after a reset."""
        if self._asked:
            instance.setDebugLogging(True, [SOLVER, EVENTS])

    def clear(self) -> None:
        """Before another run."""
        self.words = ""
        self._switched: list[list] = []
        self._count: Counter[str] = Counter()
        self._more: Counter[str] = Counter()
        self._others, self._understood = 0, self._asked

    def hear(self, category: bytes | None, message: bytes | None) -> None:
        if category == SOLVER.encode() and message:
            self.words = message.decode("utf-8", "replace")
        elif category == EVENTS.encode() and message and self._asked:
            self._hear_event(message.decode("utf-8", "replace"))

    def _hear_event(self, message: str) -> None:
        found = _EVENT.fullmatch(message)
        if found is None:  # an FMU from before they told more than how many there were
            self._understood = False
        elif (name := found[2]) is None:
            self._others += 1
        elif self._count[name] < MOST_OF_ONE and len(self._switched) < MOST:
            self._count[name] += 1
            self._switched.append([float(found[1]), name, int(found[3])])
        else:
            self._more[name] += 1

    @property
    def events(self) -> dict:
        """As results carry them (fmu_src/results/origin.py); nothing of an FMU that does not tell."""
        if not self._understood:
            return {}
        texts = {name: self._texts.get(name, "") for name in self._count}
        return {"switched": list(self._switched), "more": dict(self._more), "others": self._others, "texts": texts}


def origin_of(told: dict[str, Told]) -> dict:
    """The entries of a result's origin by what its units have told."""
    words = {unit: own.words for unit, own in told.items() if own.words}
    events = {unit: own.events for unit, own in told.items() if own.events}
    return ({"solver": words} if words else {}) | ({"events": events} if events else {})
