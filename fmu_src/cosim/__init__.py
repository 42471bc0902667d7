"""FMUs in simulation: one alone, or several as a system that a master moves along.

Nothing here knows how our FMUs are made: any FMI 2.0 co-simulation FMU can take part.
"""

from .master import Master, cosimulate
from .single import Simulator, plan, simulate
from .system import Connection, CoupledSystem, Unit, read_system

__all__ = [
    "Connection",
    "CoupledSystem",
    "Master",
    "Simulator",
    "Unit",
    "cosimulate",
    "plan",
    "read_system",
    "simulate",
]
