"""From a TOML text to a System: parse, check every field, check what fields say of each other, build."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import ValidationError

from ..blocks.attitude_controller import attitude_controller
from ..spacecraft import spacecraft_system
from ..system import System
from .assemble import assemble_spacecraft
from .errors import DescriptionError, Problems, show
from .tables import DESCRIPTIONS


def load(path: str | Path) -> System:
    """The System that a description file describes; `DescriptionError` lists everything that is wrong with it."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise DescriptionError(str(path), ["no such file"]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptionError(str(path), [f"can't be read as text: {error}"]) from None
    return load_text(text, str(path), path.parent)


def load_text(text: str, source: str = "description", folder: Path | None = None) -> System:
    """The same from a text. `folder` is where tables that it names are looked for."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DescriptionError(source, [f"is not valid TOML: {error}"]) from None
    table = check(data, source)
    return BUILDERS[table.kind](table, source, folder or Path())


def check(data: dict, source: str):
    """The checked table, or all problems at once."""
    kind = data.get("kind", "spacecraft")
    problems = Problems()
    if not isinstance(kind, str) or kind not in DESCRIPTIONS:
        problems.add("kind", kind, "one of " + ", ".join(sorted(DESCRIPTIONS)))
        raise DescriptionError(source, problems.found)
    try:
        return DESCRIPTIONS[kind].model_validate(data)
    except ValidationError as error:
        for entry in error.errors():
            _sentence(problems, entry, DESCRIPTIONS[kind])
        raise DescriptionError(source, problems.found) from None


def _sentence(problems: Problems, entry: dict, model) -> None:
    """One pydantic error as one of our sentences."""
    path = ".".join(str(part) for part in entry["loc"] if not _is_branch(part)) or "the description"
    message = entry["msg"].removeprefix("Value error, ")
    if entry["type"] == "extra_forbidden":
        known = _known_keys(model, entry["loc"][:-1])
        problems.unknown(path, str(entry["loc"][-1]), known, "key")
    elif entry["type"] == "missing":
        problems.found.append(f"{path} is missing")
    else:
        expected = message.removeprefix("expected ").removeprefix("Input should be ")
        problems.add(path, entry["input"], expected[0].lower() + expected[1:])


def _is_branch(part) -> bool:
    """Pydantic adds names of union branches to the path: no field of ours looks like them."""
    return isinstance(part, str) and ("[" in part or part in ("float", "tuple", "int"))


def _known_keys(model, path) -> list[str]:
    """Field names of the table at `path`."""
    for part in path:
        field = getattr(model, "model_fields", {}).get(part)
        if field is None:
            continue  # the name of an entry in a table of tables
        model = _table_in(field.annotation) or model
    return list(getattr(model, "model_fields", {}))


def _table_in(annotation):
    """The table class inside dict[Name, Table], Table | None and the like."""
    if hasattr(annotation, "model_fields"):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _table_in(argument)
        if found is not None:
            return found
    return None


def _spacecraft(table, source, folder) -> System:
    problems = Problems()
    craft = assemble_spacecraft(table, problems, folder)
    if problems.found:
        raise DescriptionError(source, problems.found)
    return spacecraft_system(craft)


BUILDERS = {
    "spacecraft": _spacecraft,
    "attitude_controller": lambda table, source, folder: attitude_controller(table),
}
assert set(BUILDERS) == set(DESCRIPTIONS), show(BUILDERS)
