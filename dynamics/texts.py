"""TOML and JSON that anyone may have written: parsed within limits (limits.py), refused by ValueErrors that say what is wrong."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .limits import DEPTH, TABLE_SIZE, TOML_SIZE, in_words


def read_bytes(path: Path, limit: int) -> bytes:
    """The content of a file, if it has no more bytes than that; a device may have no end."""
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"has more than {in_words(limit)}, the limit of such a file")
    return data


def read_text(path: Path) -> str:
    """The text of a table, whatever its bytes; ValueError, as the end of a sentence about the file, if it can't be read."""
    try:
        return read_bytes(path, TABLE_SIZE).decode("utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"can't be read: {error.strerror}") from None


def finite(text: str) -> float:
    """The number that a word of a file is, Fortran's D included; ValueError, as the end of a sentence about the file, if it is none."""
    try:
        value = float(text.lower().replace("d", "e"))
    except ValueError:
        raise ValueError(f'has "{text}" where a number was expected') from None
    if not math.isfinite(value):
        raise ValueError(f'has "{text}" where a finite number was expected')
    return value


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; OSError, or ValueError."""
    return parse_toml(read_bytes(path, TOML_SIZE))


def read_json(path: Path) -> Any:
    """The content of a JSON file; OSError, or ValueError."""
    return parse_json(read_bytes(path, TABLE_SIZE))


def parse_toml(text: str | bytes) -> dict[str, Any]:
    return _parsed(text, tomllib.loads, "TOML")


def parse_json(text: str | bytes) -> Any:
    return _parsed(text, json.loads, "JSON")


def _parsed(text: str | bytes, parse: Callable[[str], Any], language: str) -> Any:
    try:
        data = parse(text if isinstance(text, str) else text.decode("utf-8"))
    except RecursionError:
        raise ValueError(_too_deep()) from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not valid JSON: {error.msg} (at line {error.lineno}, column {error.colno})") from None
    except ValueError as error:  # TOMLDecodeError and UnicodeDecodeError are
        raise ValueError(f"is not valid {language}: {error}") from None
    _check_depth(data)
    return data


def _check_depth(data: Any) -> None:
    """Level by level: dotted keys of TOML make tables of any depth without a parser's recursion."""
    level, depth = [data], 0
    while level := [
        value
        for table in level
        for value in (table.values() if isinstance(table, dict) else table)
        if isinstance(value, dict | list)
    ]:
        depth += 1
        if depth > DEPTH:
            raise ValueError(_too_deep())


def _too_deep() -> str:
    return f"more than {DEPTH} tables and lists are within each other, the limit"
