"""Who hears an FMU that FMPy runs.

FMPy fills in the arguments of a message in C, for one listener a process: the last one that was given to it, which every other
FMU then talks to, also after it is gone. So a run takes the ear before it begins and gives it back when its instance is freed.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref

_kept = None  # C holds a pointer into it


def listen(hear: Callable | None = None) -> None:
    """From now on FMUs of this process talk to `hear(environment, instance, status, category, message)`; default: FMPy's own, which prints."""
    global _kept
    from fmpy.fmi2 import fmi2CallbackFunctions, fmi2CallbackLoggerTYPE, printLogMessage

    try:
        from fmpy.logging import addLoggerProxy
    except OSError:  # FMPy has no such library for this machine: messages come as they are, to whom they belong
        return
    callbacks = fmi2CallbackFunctions()
    callbacks.logger = fmi2CallbackLoggerTYPE(hear or printLogMessage)
    addLoggerProxy(byref(callbacks))
    _kept = callbacks
