"""What a simulation gives: tables of named columns, the files they go to, and pictures."""

from typing import TYPE_CHECKING

from dynamics.lazily import lazily

if TYPE_CHECKING:  # who writes a file has no need of numpy
    from .table import Result, read_table

__all__ = ["Result", "read_table"]
__getattr__ = lazily(__name__, dict.fromkeys(__all__, ".table"))
