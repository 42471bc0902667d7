"""Loads on bodies: each gives a force and a torque at a node."""

from .wrench import BodyWrench, Thruster

__all__ = ["BodyWrench", "Thruster"]
