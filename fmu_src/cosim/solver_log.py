"""What an FMU's solver did in a run: ours tell sums of it as they terminate, in a log category of their own."""

from __future__ import annotations

from fmpy.model_description import ModelDescription

CATEGORY = "logSolver"


def ask(instance, description: ModelDescription) -> None:
    """Turn the category on, in FMUs that have it; it stays on after a reset."""
    if description.fmiVersion == "2.0" and any(own.name == CATEGORY for own in description.logCategories):
        instance.setDebugLogging(True, [CATEGORY])


class SolverLog:
    """Keeps what was told last."""

    def __init__(self) -> None:
        self.words = ""

    def hear(self, category: bytes | None, message: bytes | None) -> None:
        if category == CATEGORY.encode() and message:
            self.words = message.decode("utf-8", "replace")
