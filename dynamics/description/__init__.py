"""TOML → checked description → Spacecraft or block → System. All problems are reported at once."""

from .errors import DescriptionError
from .reader import description_keys, json_schema, load, load_text

__all__ = ["DescriptionError", "description_keys", "json_schema", "load", "load_text"]
