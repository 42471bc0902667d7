"""A spacecraft as a System: its parts in a table, its signals, and its equations of motion."""

from .structure import LinkJoint, Spacecraft
from .system import spacecraft_system

__all__ = ["LinkJoint", "Spacecraft", "spacecraft_system"]
