"""A review of a description without a build: masses, tree, degrees of freedom, frequencies, and suspicious numbers."""

from .overview import Overview, overview

__all__ = ["Overview", "overview"]
