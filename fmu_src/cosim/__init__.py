"""Simulation of FMUs: a single one, or several as a system that a master steps.

Nothing here depends on how spacefmu builds FMUs: any co-simulation FMU of FMI 2.0 or 3.0 can take part.
"""

from typing import TYPE_CHECKING

from spacefmu.dynamics.lazily import lazily

from .single import Simulator, plan, simulate, values_of

if TYPE_CHECKING:  # a single FMU needs no table of a system
    from .master import Master, cosimulate
    from .system import CoupledSystem, SignalConnection, UnitTable, read_system

__all__ = [
    "SignalConnection",
    "CoupledSystem",
    "Master",
    "Simulator",
    "UnitTable",
    "cosimulate",
    "plan",
    "read_system",
    "simulate",
    "values_of",
]
__getattr__ = lazily(
    __name__,
    dict.fromkeys(("Master", "cosimulate"), ".master")
    | dict.fromkeys(("SignalConnection", "CoupledSystem", "UnitTable", "read_system"), ".system"),
)
