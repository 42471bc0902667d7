"""TOML → checked description → Spacecraft or block → System. All problems are reported at once."""

from .errors import DescriptionError
from .reader import json_schema, load, load_text

__all__ = ["DescriptionError", "json_schema", "load", "load_text"]
