"""TOML → checked description → Spacecraft or block → System. All problems are reported at once.

Reading imports all pieces, pydantic and SciPy, so it is imported only when something is read.
"""

from typing import TYPE_CHECKING

from ..lazily import lazily
from .errors import DescriptionError

if TYPE_CHECKING:
    from .reader import description_keys, json_schema, load, load_data, load_files, load_text, parsed
    from .writer import section, toml_text

__all__ = [
    "DescriptionError",
    "description_keys",
    "json_schema",
    "load",
    "load_data",
    "load_files",
    "load_text",
    "parsed",
    "section",
    "toml_text",
]
_READER = ("description_keys", "json_schema", "load", "load_data", "load_files", "load_text", "parsed")
__getattr__ = lazily(__name__, dict.fromkeys(_READER, ".reader") | dict.fromkeys(("section", "toml_text"), ".writer"))
