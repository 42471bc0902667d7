"""The origin of a result, which is stored with it: descriptions, values that were set, versions. Plain data, for JSON.

    {"spacefmu": "0.2.0", "units": {"plant": {"model": "X.fmu", "description": {"X.toml": "…"}, "values": {"hub.mass": 510.0}}}}

and "solver": {"plant": {"steps": 1801, …}}, statistics of the units' solvers (see solver.py; a sentence before version 0.2); "connections": {"plant.wheel.torque": ["controller.torque", -1.0]},
outputs that inputs followed, and factors;
"events": {"plant": {"switched": [[402.8183669178519, "tether.taut", 0]], "more": {}, "others": 0, "texts": {"tether.taut": "cable tether is taut"}}},
the switches with their times, as reported by the units' solvers (see events.py). The unit of a run of one FMU is "". A binary file is stored as {"base64": "…"}.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from importlib.metadata import version

from spacefmu.dynamics.texts import parse_json, parse_toml

KINDS = {
    "spacefmu": str,
    "system": str,
    "units": Mapping,
    "solver": Mapping,
}  # of the keys known here; others may be present


def origin_of(units: Mapping[str, dict]) -> dict:
    return {"spacefmu": version("spacefmu"), "units": dict(units)}


def unit_origin(model: str, files: Mapping[str, bytes], values: Mapping[str, object]) -> dict:
    """One FMU of a run: its file's name, the description it carries (empty for FMUs of other tools), values that were set."""
    return {
        "model": model,
        "description": {name: _text(content) for name, content in files.items()},
        "values": {
            name: value if isinstance(value, bool | int | float | str) else str(value) for name, value in values.items()
        },
    }


def sound_origin(given: object) -> tuple[dict, str]:
    """The valid part of an origin from a file (JSON text or its data), and a sentence on what was wrong, if anything was."""
    try:
        origin = parse_json(given) if isinstance(given, str) else given
    except ValueError as error:
        return {}, repr(error)
    if origin is None or origin == {}:
        return {}, ""
    if not isinstance(origin, Mapping):
        return {}, f"is of type {type(origin).__name__}, not a table"
    wrong = [key for key, kind in KINDS.items() if key in origin and not isinstance(origin[key], kind)]
    sound = {key: value for key, value in origin.items() if key not in wrong}
    for key, fits in (("units", _is_unit), ("solver", lambda told: isinstance(told, Mapping | str))):
        wrong += [f"{key}.{name}" for name, value in sound.get(key, {}).items() if not fits(value)]
        if key in sound:
            sound[key] = {name: value for name, value in sound[key].items() if fits(value)}
    by = origin.get("spacefmu", "unknown")
    return sound, f"{wrong[0]} is invalid (written by spacefmu {by})" if wrong else ""


def _is_unit(unit: object) -> bool:
    if not isinstance(unit, Mapping) or not isinstance(unit.get("model", ""), str):
        return False
    return all(isinstance(unit.get(key, {}), Mapping) for key in ("description", "values"))


def connections_of(origin: Mapping) -> dict[str, tuple[str, float]]:
    """Inputs that followed an output, with its factor; unreadable entries are left out."""
    given = origin.get("connections") if isinstance(origin, Mapping) else None
    return {
        str(name): (entry[0], float(entry[1]))
        for name, entry in (given.items() if isinstance(given, Mapping) else ())
        if isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[1], int | float)
    }


def files_of(unit: Mapping) -> dict[str, bytes]:
    """The description of a unit and the files it names, path → content; ValueError if that can't be read."""
    try:
        return {
            str(name): b64decode(content["base64"]) if isinstance(content, Mapping) else content.encode()
            for name, content in unit.get("description", {}).items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"the description that the result carries can't be read: {error!r}") from None


PART = "units/"  # in a fused FMU, precedes the unit's name and the files of its description


def parts_of(files: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    """The files of each unit of a fused FMU, by unit; empty for other descriptions."""
    found: dict[str, dict[str, bytes]] = {}
    for name, content in files.items():
        unit, _, own = name.removeprefix(PART).partition("/")
        if name.startswith(PART) and own:
            found.setdefault(unit, {})[own] = content
    return found


def system_file(files: Mapping[str, bytes]) -> str:
    """The name of a fused FMU's own description among its files, whose order in archives differs."""
    return next(name for name in files if not name.startswith(PART))


def unfused(origins: Mapping[str, Mapping]) -> dict[str, Mapping]:
    """Origins by unit; a fused FMU is split into its parts, whose names begin with the unit's, as in results.

    Unreadable origins are kept unchanged: code that needs them reports the fault.
    """
    found: dict[str, Mapping] = {}
    for unit, origin in origins.items():
        try:
            files = files_of(origin)
            parts = parts_of(files)
            starts = _starts(files) if parts else {}
        except ValueError:
            parts = {}
        for part, own_files in parts.items():
            name = f"{unit}.{part}" if unit else part
            values = starts.get(part, {}) | {
                own.removeprefix(f"{part}."): value
                for own, value in origin.get("values", {}).items()
                if own.startswith(f"{part}.")
            }
            found[name] = unit_origin(f"{origin.get('model', '')}: {part}", own_files, values)
        if not parts:
            found[unit] = origin
    return found


def _starts(files: Mapping[str, bytes]) -> dict[str, dict]:
    """Start values that a system's description gives its units."""
    units = parse_toml(files[system_file(files)]).get("units", {})
    return {name: dict(table.get("start", {})) for name, table in units.items()}


def _text(content: bytes) -> str | dict:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}
