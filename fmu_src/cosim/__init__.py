"""FMUs in simulation: one alone, or several as a system that a master moves along.

Nothing here knows how our FMUs are made: any FMI 2.0 co-simulation FMU can take part.
"""

from .master import cosimulate
from .single import plan, simulate
from .system import Connection, CoupledSystem, Unit, read_system

__all__ = ["Connection", "CoupledSystem", "Unit", "cosimulate", "plan", "read_system", "simulate"]
