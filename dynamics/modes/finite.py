"""Checks for numbers of damaged files: values that are not finite, and singular matrices, are refused with their name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass

import numpy as np


def check_finite(found, where: str = "") -> None:
    """`ValueError` for the first array, dense or sparse, of a body or its integrals that has a number which is not finite."""
    for field in fields(found):
        value = getattr(found, field.name)
        if is_dataclass(value):
            check_finite(value, f"{field.name}.")
            continue
        numbers = value.data if hasattr(value, "nnz") else value
        if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
            raise ValueError(
                f"makes {where}{field.name} with numbers that are not finite, expected a whole file with numbers of a body"
            )


@contextmanager
def solvable() -> Iterator[None]:
    """The message for a LinAlgError: numbers of a file or table that do not define a body."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        raise ValueError(f"has masses, stiffnesses or shapes that make no body: {str(error).rstrip('.')}") from None
