"""The command line. It is thin: every command calls a function of fmu_src/api, as notebooks do."""

from .app import main

__all__ = ["main"]
