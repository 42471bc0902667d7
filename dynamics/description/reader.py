"""From a TOML text to a System: parse, check every field, check the consistency of fields, build."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from ..blocks.table import PARTNERS
from ..constraints.survey import surveyed
from ..limits import TOML_SIZE
from ..natural.system import NotNatural, surveyed_natural
from ..spacecraft import spacecraft_system
from ..spacecraft.motion import Dynamics
from ..system.contract import System
from ..system.evaluate import Refused
from ..system.fold import NotLive, fold
from ..texts import parse_toml, read_bytes
from .blocks import KINDS, build_partner, table_of
from .craft import make_spacecraft
from .errors import DescriptionError, Problems, hint, sentences
from .files import described_by
from .inverse import make_inverse

ORIGIN = ("author", "version", "copyright", "license")  # only written to modelDescription.xml
ENVIRONMENT = ("environment", "surfaces", "dipoles")  # checked as a whole: its parts depend on each other


def load(path: str | Path) -> System:
    """The System of a description file; `DescriptionError` lists all its problems."""
    path = Path(path)
    try:
        text = read_bytes(path, TOML_SIZE).decode("utf-8")
    except FileNotFoundError:
        raise DescriptionError(str(path), ["no such file"]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptionError(str(path), [f"can't be read as text: {error}"]) from None
    except ValueError as error:
        raise DescriptionError(str(path), [str(error)]) from None
    return load_text(text, str(path), path.parent)


def load_files(files: Mapping[str, bytes], of: str) -> System:
    """The same from a description and the files it names, path → content, as stored in FMUs and results; `of`: which one."""
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as folder:
        for name, content in files.items():
            if not (path := Path(folder, name)).resolve().is_relative_to(Path(folder).resolve()):
                raise ValueError(f"{of}: {name} would leave the folder that its description is unpacked to")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        name = next(name for name in files if name.endswith(".toml"))
        try:
            return load(Path(folder, name))
        except DescriptionError as error:  # the folder is removed before it could be read
            raise DescriptionError(f"{of}: {name}", error.problems) from None


def load_text(text: str, source: str = "description", folder: Path | None = None) -> System:
    """The same from a text. `folder`: where the tables that it names are searched."""
    return load_data(parsed(text, source), text, source, folder)


def parsed(text: str, source: str = "description") -> dict:
    """The data of a TOML text."""
    try:
        return parse_toml(text)
    except ValueError as error:
        raise DescriptionError(source, [str(error)]) from None


def load_data(data: dict, text: str, source: str = "description", folder: Path | None = None) -> System:
    """The same from parsed data; `text` is stored with the System."""
    folder = folder or Path()
    system = build(data, source, folder)
    table = table_of(data.get("kind", "spacecraft")).model_validate(data)
    about = replace(
        system.about,
        origin={key: data[key] for key in ORIGIN if key in data},
        described_by=described_by(text, Path(source).stem, table, folder),
    )
    return replace(system, about=about)


def build(data: dict, source: str, folder: Path) -> System:
    """The System of parsed data, or all problems at once: of fields, and of the consistency of entries without such problems."""
    kind = data.get("kind", "spacecraft")
    problems = Problems()
    if not isinstance(kind, str) or kind not in KINDS:
        problems.add("kind", kind, "one of " + ", ".join(sorted(KINDS)))
        raise DescriptionError(source, problems.found)
    system = None
    try:
        system = BUILDERS[kind](table_of(kind).model_validate(data), problems, folder)
    except np.linalg.LinAlgError as error:  # of a file or table with numbers that do not define a body
        problems.found.append(
            f"a matrix of a body's modes or masses can't be solved ({error}): check that its tables are complete"
        )
    except (OverflowError, ZeroDivisionError):  # of numbers that a law lets pass one by one
        problems.found.append(
            "its numbers are too large or too small to be computed with: check lengths, masses and units"
        )
    except ValidationError as error:
        problems.found += sentences(error, table_of(kind), data)
        with suppress(
            ValidationError, ArithmeticError
        ):  # the remaining entries may be incomplete; problems of fields come first
            BUILDERS[kind](table_of(kind).model_validate(_sound_part(data, error)), problems, folder)
    if system is None or problems.found:
        raise DescriptionError(source, problems.found)
    return system


def _sound_part(data: dict, error: ValidationError) -> dict:
    """The description without the entries that have problems, and without those that refer to them."""
    broken = {entry["loc"][:2] for entry in error.errors()}
    gone = ENVIRONMENT if any(loc[0] == "environment" for loc in broken) else ()
    sound = {key: value for key, value in data.items() if (key,) not in broken and key not in gone}
    bad = {(group, name) for group, name, _ in _entries(sound) if (group, name) in broken}
    lost: set[str] = set()
    while bad:
        lost |= {name for _, name in bad}
        sound = _without(sound, bad)
        bad = {(group, name) for group, name, entry in _entries(sound) if lost & set(_named(entry))}
    return sound


def _without(data: dict, bad: set[tuple[str, str]]) -> dict:
    """The description without these entries (group, name)."""

    def kept(group: str, entries: Any) -> Any:
        if not isinstance(entries, dict):
            return entries
        return {name: entry for name, entry in entries.items() if (group, name) not in bad}

    return {group: kept(group, entries) for group, entries in data.items()}


def _entries(data: dict) -> Iterator[tuple[str, str, Any]]:
    """(group, name, entry) of all entries of a description."""
    return (
        (group, name, entry)
        for group, entries in data.items()
        if isinstance(entries, dict)
        for name, entry in entries.items()
    )


def _named(entry: Any) -> Iterator[str]:
    """Possible names of other entries: "arm" from the text "arm.tip", and from the key "arm[2]" of a table inside."""
    for value in entry.values() if isinstance(entry, dict) else ():
        texts = [value] if isinstance(value, str) else value if isinstance(value, dict) else ()
        yield from (re.split(r"[.\[]", text)[0] for text in texts)


def json_schema(kind: str = "spacecraft") -> dict:
    """JSON schema of a kind of description, for editors; made from the tables that check it."""
    schema = table_of(kind).model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": f"spacefmu {kind} description",
    }


def description_keys(kind: str = "spacecraft") -> set[str]:
    """All keys that a description of a kind can have, in whichever of its tables."""
    schema = json_schema(kind)
    tables = [schema, *schema.get("$defs", {}).values()]
    return {key for table in tables for key in table.get("properties", {})}


def _spacecraft(table, problems: Problems, folder: Path) -> System | None:
    made = make_spacecraft(table, problems, folder)
    if made is None or problems.found:
        return None
    dynamics, shapes = made
    system = _formulated(dynamics, table, problems, folder)
    if system is None:
        return None
    assert system.about.picture is not None  # of a spacecraft
    picture = system.about.picture.described(shapes, given=table.inverse is not None)
    system = replace(system, about=replace(system.about, picture=picture))
    return system if table.parameters is None else _folded(system, table.parameters.live, problems)


def _folded(system: System, live: list[str], problems: Problems) -> System | None:
    try:
        return fold(system, live)
    except NotLive as error:
        known = [entry.name for entry in system.signals.parameters]
        problems.add("parameters.live", error.name, f"a parameter of {system.name}{hint(error.name, known)}")
        return None


def _formulated(dynamics: Dynamics, table, problems: Problems, folder: Path) -> System | None:
    craft = dynamics.craft
    if table.inverse is not None:
        return make_inverse(craft, table, problems, folder)
    try:
        if table.formulation == "natural":
            return surveyed_natural(craft, dynamics)
        return surveyed(spacecraft_system(craft, dynamics), craft.couplings)
    # contradictory couplings, or parts that another formulation does not support
    except (Refused, NotNatural) as error:
        problems.found.append(str(error))
        return None


BUILDERS = {"spacecraft": _spacecraft, **dict.fromkeys(PARTNERS, build_partner)}
