"""What a simulation gives: tables of named columns, the files they go to, and pictures."""

from typing import TYPE_CHECKING

from spacefmu.dynamics.lazily import lazily

if TYPE_CHECKING:  # who writes a file has no need of numpy
    from .reading import read_result, read_table
    from .table import Result

__all__ = ["Result", "read_result", "read_table"]
__getattr__ = lazily(__name__, {"Result": ".table", "read_result": ".reading", "read_table": ".reading"})
