"""The command line. Thin: every command calls what notebooks call too (fmu_src/api)."""

from .app import main

__all__ = ["main"]
