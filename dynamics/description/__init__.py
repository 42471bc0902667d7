"""TOML → checked description → Spacecraft or block → System. All problems are reported at once.

Reading brings all pieces, pydantic and SciPy with it: it waits until something is read.
"""

from typing import TYPE_CHECKING

from ..lazily import lazily
from .errors import DescriptionError

if TYPE_CHECKING:
    from .reader import description_keys, json_schema, load, load_files, load_text

__all__ = ["DescriptionError", "description_keys", "json_schema", "load", "load_files", "load_text"]
__getattr__ = lazily(
    __name__, dict.fromkeys(("description_keys", "json_schema", "load", "load_files", "load_text"), ".reader")
)
