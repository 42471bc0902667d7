"""Problems in a description: collected, each with the path of the field, the value found and what was expected."""

from __future__ import annotations

import difflib
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..texts import read_toml

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


class DescriptionError(ValueError):
    """All problems of one description. `problems` are sentences, `source` is the file's name."""

    def __init__(self, source: str, problems: list[str]):
        problems = list(dict.fromkeys(problems))  # a file that several read is noted by each
        self.source, self.problems = source, problems
        super().__init__("\n".join(f"{source}: {problem}" for problem in problems))


GIVEN = object()  # found: a whole table that is not shown


def read_tables(path: Path | str) -> dict[str, Any]:
    """The tables of a TOML file; `DescriptionError` says why it can't be read."""
    try:
        return read_toml(Path(path))
    except FileNotFoundError:
        raise DescriptionError(str(path), ["no such file"]) from None
    except ValueError as error:
        raise DescriptionError(str(path), [str(error)]) from None


class Problems:
    """A list that grows while a description is read; nothing is raised before the end."""

    def __init__(self):
        self.found: list[str] = []

    def add(self, path: str, found, expected: str) -> None:
        self.found.append(wrong_value(path, found, expected))

    def unknown(self, path: str, name: str, known, what: str) -> None:
        """An unknown name with the nearest known one."""
        self.found.append(f"{path} names the {what} {name!r}, which does not exist{hint(name, known)}")


def wrong_value(path: str, found, expected: str) -> str:
    """A sentence on a value; `expected` is what it must be, or begins with "nothing" if the key is not allowed."""
    if expected.startswith("nothing"):
        value = "" if found is GIVEN else f" = {show(found)}"
        return f"{path}{value} is not allowed{expected.removeprefix('nothing')}"
    return f"{path} is {show(found)}, expected {expected}"


def hint(name: str, known) -> str:
    """A suggestion: the nearest known name, else all of them (or the first dozen)."""
    near = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=0.5)
    if near:
        return f"; did you mean {near[0]!r}?"
    names = sorted(str(k) for k in known)
    return f"; known: {', '.join(names[:12])}{', …' if len(names) > 12 else ''}" if names else "; there are none"


def show(value) -> str:
    """A value in TOML syntax, short enough for a sentence."""
    text = _toml(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _toml(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(entry) for entry in value)}]"
    if isinstance(value, date):
        return value.isoformat()
    return repr(value)


# What pydantic's kinds of errors expect, in terms of TOML.
_EXPECTED = {
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "list_type": "a list",
    "tuple_type": "a list",
    "bool_type": "true or false",
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "greater_than": "a number greater than {gt:g}",
    "greater_than_equal": "a number not less than {ge:g}",
    "less_than": "a number less than {lt:g}",
    "less_than_equal": "a number not greater than {le:g}",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
}


def sentences(error: ValidationError, model, data) -> list[str]:
    """Pydantic's errors in `data` as sentences, one per problem."""
    return list(dict.fromkeys(_sentence(entry, model, data) for entry in error.errors()))


def _sentence(entry: ErrorDetails, model, data) -> str:
    loc, kind, found = entry["loc"], entry["type"], entry["input"]
    path = _dotted(loc, data) or "the description"
    context = entry.get("ctx", {})
    if kind in ("extra_forbidden", "missing"):
        return _of_keys(kind, path, loc, found, model)
    if kind == "union_tag_not_found":  # one of several tables, which one a key says
        return f"{path}.{context['discriminator'].strip(chr(39))} is missing"
    if kind == "union_tag_invalid":
        key = context["discriminator"].strip(chr(39))
        return _literal(
            f"{path}.{key}", found[key] if isinstance(found, dict) else context["tag"], _or(context["expected_tags"])
        )
    if loc and loc[-1] == "[key]":
        expected = entry["msg"].removeprefix("Value error, expected ") if kind == "value_error" else context["expected"]
        return f"{_dotted(loc[:-2], data)} has the entry {found!r}, expected {expected}"
    if kind == "literal_error":
        return _literal(path, found, context["expected"])
    expected = (
        _EXPECTED[kind].format(**context) if kind in _EXPECTED else entry["msg"].removeprefix("Value error, expected ")
    )
    return wrong_value(path, found, expected)


def _literal(path: str, found, expected: str) -> str:
    choices = [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]
    near = difflib.get_close_matches(str(found), choices, n=1, cutoff=0.6)
    return f"{path} is {show(found)}, expected {expected}" + (f"; did you mean {near[0]!r}?" if near else "")


def _or(choices: str) -> str:
    """'a', 'b', 'c' → 'a', 'b' or 'c'."""
    first, comma, last = choices.rpartition(", ")
    return f"{first} or {last}" if comma else choices


def _of_keys(kind: str, path: str, loc, found, model) -> str:
    """Problems of a missing or unknown key, or one that belongs to other kinds of the entry."""
    tables, others = _tables_at(model, loc[:-1])
    kind_of = _a_kind(model, loc)
    key = str(loc[-1])
    if kind == "missing":
        return f"{path} is missing" + (f": {kind_of} has one" if kind_of and tables != others else "")
    known = _keys(tables)
    if kind_of and key in _keys(others):
        own = [name for name in known if not (_kind(tables[0]) and all(name in table.model_fields for table in others))]
        takes = f"; its own keys are {', '.join(own)}" if own else ""
        return wrong_value(path, found, f"nothing: {kind_of} has no {key}{takes}")
    return f"{path.removesuffix(f'.{key}') if '.' in path else 'the description'} has the unknown key {key!r}{hint(key, known)}"


def _dotted(loc, data) -> str:
    """bodies.hub.nodes.tip; lists count from 1, as in axes[2]; a single value instead of a list has no number."""
    text, node = "", data
    for i, part in enumerate(loc):
        if isinstance(part, int):
            is_list = isinstance(node, list | tuple)
            text += f"[{part + 1}]" if is_list else ""
            node = node[part] if is_list and part < len(node) else node
        elif isinstance(node, dict) and part not in node and i < len(loc) - 1:
            continue  # pydantic names the one of several tables that the entry is; it is not a key
        elif part != "[key]":
            text += f".{part}"
            node = node.get(part) if isinstance(node, dict) else None
    return text.removeprefix(".")


def _keys(tables) -> list[str]:
    return list(dict.fromkeys(name for table in tables for name in table.model_fields))


def _tables_at(model, loc) -> tuple[list, list]:
    """The tables allowed at `loc`, and those allowed for any kinds on the way there."""
    tables = kinds = others = [model]
    for part in loc:
        inner = _inside(tables, part)
        kinds = inner or kinds
        # neither a field nor a kind: the name of an entry in a table of tables, or a place in a list
        tables = inner or [table for table in kinds if _kind(table) == part] or tables
        others = _inside(others, part) or others
    return tables, others


def _inside(tables, part) -> list:
    fields = [table.model_fields[part] for table in tables if part in table.model_fields]
    return list(dict.fromkeys(found for field in fields for found in _tables_in(field.annotation)))


def _kind(table) -> str:
    """The kind of a table that is one of several."""
    return table.model_fields["kind"].annotation.__args__[0] if hasattr(table, "noun") else ""


def _a_kind(model, loc) -> str:
    """ "a revolute joint" at the innermost kind of a location, or "" where there is none."""
    for end in range(len(loc) - 1, 0, -1):
        tables, _ = _tables_at(model, loc[:end])
        if len(tables) == 1 and _kind(tables[0]):
            kind = f"{_kind(tables[0])} {tables[0].noun}".strip()
            return f"{'an' if kind[0] in 'aeio' else 'a'} {kind}"
    return ""


def _tables_in(annotation) -> list:
    """The table classes inside dict[Name, Table], Table | None and the like."""
    if hasattr(annotation, "model_fields"):
        return [annotation]
    return [found for a in getattr(annotation, "__args__", ()) for found in _tables_in(a)]
