"""Data as TOML: additions of a command to a description are stored as text."""

from __future__ import annotations

import re
from collections.abc import Mapping

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = {'"': '\\"', "\\": "\\\\"} | {chr(code): f"\\u{code:04x}" for code in (*range(32), 127)}


def toml_text(data: Mapping) -> str:
    """Parsed TOML as a text that parses to the same; each table of the top level has a header, those within are inline."""
    plain = [_line(key, value) for key, value in data.items() if not isinstance(value, Mapping)]
    tables = [section(key, value) for key, value in data.items() if isinstance(value, Mapping)]
    return "\n".join([*plain, *tables])


def section(name: str, table: Mapping) -> str:
    """[name] and the lines of its table."""
    return "\n".join([f"[{_key(name)}]", *(_line(key, value) for key, value in table.items())])


def _line(key: str, value: object) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    return '"' + "".join(_ESCAPED.get(letter, letter) for letter in text) + '"'


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _quoted(value)
        case Mapping():
            return "{" + ", ".join(_line(key, own) for key, own in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_value, value)) + "]"
    return str(value)  # numbers; dates and times as well
