"""What a simulation gives: tables of named columns, the files they go to, and pictures."""

from .table import Result, read_table

__all__ = ["Result", "read_table"]
