"""Receives the messages of an FMU that FMPy runs.

FMPy formats messages in C, for one listener per process: the last one registered, which then receives the messages of every FMU, even
after its own is gone. So a run registers its listener before it begins, and restores the previous one when its instance is freed.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref

_kept = None  # C holds a pointer into it


def listen(hear: Callable | None = None) -> None:
    """From now on messages of FMUs in this process go to `hear(environment, instance, status, category, message)`; default: FMPy's own, which prints."""
    global _kept
    from fmpy.fmi2 import fmi2CallbackFunctions, fmi2CallbackLoggerTYPE, printLogMessage

    try:
        from fmpy.logging import addLoggerProxy
    except OSError:  # FMPy has no such library for this machine: messages arrive unformatted, at the right listener
        return
    callbacks = fmi2CallbackFunctions()
    callbacks.logger = fmi2CallbackLoggerTYPE(hear or printLogMessage)
    addLoggerProxy(byref(callbacks))
    _kept = callbacks
