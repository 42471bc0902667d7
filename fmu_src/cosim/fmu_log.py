"""What an FMU of spacefmu reports of a run, in its own log categories, in lines of `key=value …`.

logEvents  time=402.8 variable=tether.taut value=0    one line per variable that an event switched; for other events only the time
logSolver  steps=1801 rejected=3 …                    at the end, see results/solver.py
"""

from __future__ import annotations

from collections import Counter

from fmpy.model_description import ModelDescription

SOLVER, EVENTS = "logSolver", "logEvents"
MOST_OF_ONE, MOST = 200, 2000  # switches that are kept, per variable and in all; further ones are only counted


class FmuLog:
    """Listens to one FMU. solver: the statistics of its solver; the categories of other FMUs are left alone."""

    def __init__(self, description: ModelDescription) -> None:
        names = {own.name for own in description.logCategories}
        self._asked = (
            description.fmiVersion in ("2.0", "3.0") and {SOLVER, EVENTS} <= names
        )  # the second is a standard's name
        self._texts = {variable.name: variable.description or "" for variable in description.modelVariables}
        self.clear()

    def ask(self, instance) -> None:
        """Turn the categories on; they stay on after a reset."""
        if self._asked:
            instance.setDebugLogging(True, [SOLVER, EVENTS])

    def clear(self) -> None:
        """Before another run."""
        self.solver: dict[str, int] = {}
        self._switched: list[list] = []
        self._count: Counter[str] = Counter()
        self._more: Counter[str] = Counter()
        self._others, self._understood = 0, self._asked

    def hear(self, category: bytes | None, message: bytes | None) -> None:
        if not self._asked or not message or category not in (SOLVER.encode(), EVENTS.encode()):
            return
        try:
            pairs = dict(item.split("=", 1) for item in message.decode("utf-8", "replace").split())
            if category == SOLVER.encode():
                self.solver = {key: int(value) for key, value in pairs.items()}
            else:
                self._hear_event(pairs)
        except (KeyError, ValueError):  # an FMU from before version 0.2, which logged sentences
            self._understood = False

    def _hear_event(self, pairs: dict[str, str]) -> None:
        time, name = float(pairs["time"]), pairs.get("variable")
        if name is None:
            self._others += 1
        elif self._count[name] < MOST_OF_ONE and len(self._switched) < MOST:
            self._switched.append([time, name, int(pairs["value"])])
            self._count[name] += 1
        else:
            self._more[name] += 1

    @property
    def events(self) -> dict:
        """The events as results carry them (fmu_src/results/origin.py); empty for an FMU that does not log them."""
        if not self._understood:
            return {}
        texts = {name: self._texts.get(name, "") for name in self._count}
        return {"switched": list(self._switched), "more": dict(self._more), "others": self._others, "texts": texts}


def logged_origin(logs: dict[str, FmuLog]) -> dict:
    """The entries of a result's origin by the logs of its units."""
    solver = {unit: own.solver for unit, own in logs.items() if own.solver}
    events = {unit: own.events for unit, own in logs.items() if own.events}
    return ({"solver": solver} if solver else {}) | ({"events": events} if events else {})
