"""Simulation results: tables of named columns, their files, and plots."""

from typing import TYPE_CHECKING

from spacefmu.dynamics.lazily import lazily

if TYPE_CHECKING:  # writing a file does not need numpy
    from .reading import read_result, read_table
    from .table import Result

__all__ = ["Result", "read_result", "read_table"]
__getattr__ = lazily(__name__, {"Result": ".table", "read_result": ".reading", "read_table": ".reading"})
