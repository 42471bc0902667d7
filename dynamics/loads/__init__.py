"""Loads on bodies: each gives a force and a torque at a node."""

from .wrench import BodyWrench, Load, Thruster

__all__ = ["BodyWrench", "Load", "Thruster"]
