"""A first look at a description, without building anything: masses, tree, freedom, frequencies, and numbers that look wrong."""

from .overview import Overview, overview

__all__ = ["Overview", "overview"]
