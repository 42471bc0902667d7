"""Linear models of descriptions and FMUs: A, B, C, D with names, modal tables, files, pictures, families."""

from .family import Family, family
from .files import read, write
from .fmu import refuse
from .model import linearize, to_control

__all__ = ["Family", "family", "linearize", "read", "refuse", "to_control", "write"]
