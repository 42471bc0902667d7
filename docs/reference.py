"""The reference of descriptions, made from the definitions that check them: every key with its type, default and meaning,
and an example of it from a description that is shipped (examples/keys has what no other one needs).   python docs/reference.py   prints it."""

from __future__ import annotations

import re
import tomllib
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from pydantic.fields import FieldInfo

from spacefmu.dynamics.description import blocks, fields
from spacefmu.dynamics.description.declared import OneKind
from spacefmu.dynamics.description.fields import Listed, Table
from spacefmu.fmu_src.cosim import CoupledSystem

ROOT = Path(__file__).parents[1]
EXAMPLES = [
    *sorted((ROOT / "examples").glob("*.toml")),
    *sorted((ROOT / "examples/keys").glob("*.toml")),
    *sorted((ROOT / "fmu_src/catalogue").glob("*.toml")),
    *sorted((ROOT / "fmu_src/catalogue/systems").rglob("*.toml")),
]
KINDS = {kind: blocks.table_of(kind) for kind in blocks.KINDS} | {"system": CoupledSystem}

# Field types in the words of the author of a description.
WORDS = [
    (fields.Number, "number"), (fields.Positive, "number > 0"), (fields.NotNegative, "number ≥ 0"),
    (fields.Fraction, "number from 0 to 1"), (fields.Flag, "`true` or `false`"), (fields.NumberOrFlag, "number, `true` or `false`"),
    (fields.Count, "whole number ≥ 1"), (fields.Date, "date or time in UTC, without quotes"),
    (fields.Angle, 'number [rad], or `"30 deg"`'), (fields.Vector, "three numbers"),
    (fields.AxisVector, '`"x"`, `"-z"` … or three numbers'), (fields.Orientation, "three 1-2-3 angles, or a quaternion"),
    (fields.Inertia, "three moments, a table `{ xx, yy, … }`, or a matrix"),
    (fields.NodePlace, "position, fraction, or name of a node"), (fields.Name, "name"), (fields.Place, '`"body"` or `"body.node"`'),
    (fields.NumberList, "number, or a list of them"), (fields.AngleList, "angle, or a list of them"),
    (fields.NotNegativeList, "number ≥ 0, or a list of them"), (fields.FileName, "file, relative to the description"), (str, "text"), (float, "number"), (int, "whole number"), (bool, "`true` or `false`"),
]  # fmt: skip


def page() -> str:
    """The whole reference as Markdown."""
    homes: dict[type[Table], str] = {}
    for table in KINDS.values():
        _find_homes(table, "", homes)
    parts = [
        "# Reference of descriptions",
        "Made from the definitions that check a description, with an example of each key from the shipped files. "
        "[Descriptions](../descriptions.md) tells what they mean together.",
    ]
    told: set[type[Table]] = set()  # several kinds have the same [experiment]
    for kind, table in KINDS.items():
        parts.append(f"## Kind `{kind}` {{ #kind-{kind} }}")
        parts += _tables(table, "", homes, told)
    return "\n\n".join(parts) + "\n"


def _find_homes(table: type[Table], path: str, homes: dict) -> None:
    """Where each table is explained: at the first path that leads to it."""
    if table not in homes:
        homes[table] = path
        for found, where in _inner(table, path).values():
            _find_homes(found, where, homes)


@dataclass(frozen=True)
class Entry:
    """A key of a table: `tables` has those that take it alike, which are some of the kinds of an entry or the one table there is."""

    key: str
    hint: typing.Any
    field: FieldInfo
    tables: tuple[type[Table], ...]
    note: str  # which kinds take it, where not all do


def _entries_of(table: type[Table]) -> list[Entry]:
    """All keys of a table; of one that has kinds the keys of them all, one entry for those that take a key alike."""
    members = _members(table)
    alike: dict[tuple, list[type[Table]]] = {}
    for key in _keys_of(members):
        for member in members:
            if key in member.model_fields:
                field, hint = member.model_fields[key], _hints(member)[key]
                taken = (key, _words(hint), *_inside(hint), _default(field), field.description)
                alike.setdefault(taken, []).append(member)
    return [
        Entry(key, _hints(tables[0])[key], tables[0].model_fields[key], tuple(tables), _kinds_note(tables, members))
        for (key, *_), tables in alike.items()
    ]


def _keys_of(members: list[type[Table]]) -> list[str]:
    """Keys of all kinds, each behind the one that stands before it in its own table; `kind` of several kinds has a row of its own."""
    keys: list[str] = []
    for member in members:
        place = 0
        for key in member.model_fields:
            if key not in keys:
                keys.insert(place, key)
            place = keys.index(key) + 1
    return [key for key in keys if key != "kind" or len(members) == 1]


def _members(table: type[Table]) -> list[type[Table]]:
    """The tables of all kinds, or the one table."""
    return table.__subclasses__() if issubclass(table, OneKind) else [table]


def _kind(table: type[Table]) -> str:
    return typing.get_args(table.model_fields["kind"].annotation)[0]


def _kinds_note(tables: list[type[Table]], members: list[type[Table]]) -> str:
    if len(tables) == len(members):
        return ""
    others = [member for member in members if member not in tables]
    word, named = ("not of", others) if len(others) < len(tables) else ("of", tables)
    return f" ({word} {', '.join(f'`{_kind(one)}`' for one in named)})"


@cache
def _hints(table: type[Table]) -> dict[str, typing.Any]:
    return typing.get_type_hints(table, include_extras=True)


def _inner(table: type[Table], path: str) -> dict[str, tuple[type[Table], str]]:
    """Tables inside a table and their paths, by key and the first kind that takes it so."""
    inner: dict[str, tuple[type[Table], str]] = {}
    for entry in _entries_of(table):
        for found, many in _inside(entry.hint):
            again = any(of.partition(" ")[0] == entry.key for of in inner)
            where = _inner_path(path, entry.key, many) + (f" of {_kind(entry.tables[0])}" if again else "")
            inner[_place(entry)] = (found, where)
    return inner


def _place(entry: Entry) -> str:
    return f"{entry.key} {entry.note}"


def _tables(table: type[Table], path: str, homes: dict, told: set) -> Iterator[str]:
    """A section for the table, then one for each table inside it that is explained here."""
    told.add(table)
    if path:
        heading, _, kind = path.partition(" ")
        yield f"### `[{heading}]` {kind} {{ #{_anchor(path)} }}".replace("  ", " ")
    yield _summary(table)
    inner, members = _inner(table, path), _members(table)
    rows = []
    if len(members) > 1:
        kinds = "; ".join(f"`{_kind(one)}`: {one.model_fields['kind'].description}" for one in members)
        default = [_default(one.model_fields["kind"]) for one in members if not one.model_fields["kind"].is_required()]
        rows.append(
            f"| `kind` | {', '.join(f'`{chr(34)}{_kind(one)}{chr(34)}`' for one in members)} | {(default or ['**needed**'])[0]} | {kinds} | {_example([*members], 'kind')} |"
        )
    for entry in _entries_of(table):
        home = homes[inner[_place(entry)][0]] if _place(entry) in inner else None
        key = entry.field.alias or entry.key
        rows.append(
            f"| `{key}` | {_type(entry.hint, home)} | {_default(entry.field)} | {_meaning(entry.field)}{entry.note} | {_example(entry.tables, key)} |"
        )
    yield "\n".join(["| key | takes | default | meaning | example |", "|---|---|---|---|---|", *rows])
    for found, where in inner.values():
        if homes[found] == where and found not in told:
            yield from _tables(found, where, homes, told)


def _summary(table: type[Table]) -> str:
    return " ".join((table.__doc__ or "").split("\n\n")[0].split())


def _inner_path(path: str, key: str, many: bool) -> str:
    return f"{path}.{key}".lstrip(".") + (".NAME" if many else "")


def _anchor(path: str) -> str:
    return re.sub("[. ]", "-", path).lower()


def _inside(hint, many: bool = False) -> Iterator[tuple[type[Table], bool]]:
    """Table classes inside a type, and whether there are many of them by name; of several kinds what they are kinds of."""
    if isinstance(hint, type) and issubclass(hint, Table):
        yield (hint.__bases__[0] if issubclass(hint, OneKind) else hint), many
    parts = (
        found for part in typing.get_args(hint) for found in _inside(part, many or typing.get_origin(hint) is dict)
    )
    yield from dict.fromkeys(parts)


def _type(hint, home: str | None) -> str:
    words = _words(hint)
    return f"[{words}](#{_anchor(home)})" if home else words


def _words(hint) -> str:
    """A type in words."""
    for known, words in WORDS:
        if hint == known:
            return words
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        inside = _words(parts[0])
        if any(isinstance(mark, Listed) for mark in parts[1:]):
            return f"{inside.removeprefix('list of ')}, or a list of them"
        return inside + _bounds(parts[1:])
    if origin is typing.Literal:
        return ", ".join(f'`"{choice}"`' for choice in parts)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_words(part) for part in parts if part is not type(None))
    if origin is list:
        return f"list of {_words(parts[0])}"
    if origin is tuple and parts[-1] is Ellipsis:
        return f"list of {_words(parts[0])}"
    if origin is tuple:
        return f"{len(parts)} × {_words(parts[0])}"
    if origin is dict:
        return (
            "tables by name"
            if any(True for _ in _inside(parts[1]))
            else f"table: {_words(parts[0])} = {_words(parts[1])}"
        )
    return "table" if isinstance(hint, type) and issubclass(hint, Table) else "value"


def _bounds(marks) -> str:
    """Bounds that a Field adds."""
    flat = [bound for mark in marks for bound in (mark.metadata if isinstance(mark, FieldInfo) else [mark])]
    signs = {
        Gt: (">", "gt"),
        Ge: ("≥", "ge"),
        Le: ("≤", "le"),
        MinLen: ("at least", "min_length"),
        MaxLen: ("at most", "max_length"),
    }
    texts = [
        f"{word} {getattr(mark, name):g}"
        for mark in flat
        for kind, (word, name) in signs.items()
        if isinstance(mark, kind)
    ]
    if len(texts) == 2 and texts[0].removeprefix("at least") == texts[1].removeprefix("at most"):
        texts = [texts[0].replace("at least", "exactly")]
    return "".join(f", {text}" for text in texts if text != "at least 0")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**needed**"
    default = field.get_default(call_default_factory=True)
    if default is None or isinstance(default, Table) or default in ({}, [], [None], ""):
        return ""
    if default == fields.IDENTITY:
        return "none"
    single = default[0] if isinstance(default, list) and len(default) == 1 else default
    return f"`{_toml(single)}`"


def _meaning(field: FieldInfo) -> str:
    return (field.description or "").replace("|", "\\|")


def _toml(value) -> str:
    """A value as a description has it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _example(tables: typing.Sequence[type[Table]], key: str) -> str:
    """One from the shipped files; KeyError: none of them has the key."""
    found = [_examples().get((table, key)) or _inherited(table, key) for table in tables]
    text = min((text for text in found if text), key=len, default=None)
    if text is None:
        raise KeyError(
            f"no shipped description has an example of {key!r} of {tables[0].__name__}: write one in examples/keys"
        )
    return f"`{text}`" if len(text) < 70 else f"`{text[:60]} …`"


def _inherited(table: type[Table], key: str) -> str | None:
    """An example of a key that several kinds of description have: that of another kind."""
    homes = [home for home in table.__mro__[1:] if key in getattr(home, "model_fields", {})]
    return next((text for (other, its), text in _examples().items() if its == key and homes and issubclass(other, homes[-1])), None)  # fmt: skip


@cache
def _examples() -> dict[tuple[type[Table], str], str]:
    """The best example of each key of each table in the shipped files: no zeros if possible, then short."""
    found: dict[tuple[type[Table], str], list[str]] = {}
    for path in EXAMPLES:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        _collect(KINDS[data.get("kind", "spacecraft")], data, "", found)
    return {
        place: min(texts, key=lambda text: (not re.search("[1-9a-zA-Z]", text.partition("=")[2] or text), len(text)))
        for place, texts in found.items()
    }


def _collect(table: type[Table], data: dict, path: str, found: dict) -> None:
    """Note `key = value` of every key in `data`, and the heading of every table inside it."""
    members = _members(table)
    if len(members) > 1:
        table = next(one for one in members if _kind(one) == data.get("kind", one.model_fields["kind"].default))
    hints = typing.get_type_hints(table, include_extras=True)
    names = {field.alias or key: key for key, field in table.model_fields.items()}
    for key in [key for key in data if key in names]:
        value, inner = data[key], list(_inside(hints[names[key]]))
        texts = found.setdefault((table, key), [])
        if not inner or not isinstance(value, dict):
            texts.append(f"{key} = {_toml(value)}")
        for child, many in inner:
            for name, entry in _entries(value, many):
                where = ".".join(filter(None, (path, key, name)))
                if not isinstance(entry, dict):
                    texts.append(f"{where} = {_toml(entry)}")
                    continue
                if isinstance(value, dict):
                    texts.append(f"[{where}]")
                _collect(child, entry, where, found)


def _entries(value, many: bool) -> list[tuple[str, typing.Any]]:
    """(name, table) of what a key holds: tables by name, a list of tables, or one table; short forms are left as they are."""
    if isinstance(value, list):
        return [("", entry) for entry in value if isinstance(entry, dict)]
    if not isinstance(value, dict):
        return []
    return [(_key(name), entry) for name, entry in value.items()] if many else [("", value)]


def _key(name: str) -> str:
    return name if fields.NAME.fullmatch(name) else f'"{name}"'


if __name__ == "__main__":
    print(page())
