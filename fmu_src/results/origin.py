"""What a result was made of, as it travels with it: descriptions, values that were set, versions. Plain data, for JSON.

    {"spacefmu": "0.1.0", "units": {"plant": {"model": "X.fmu", "description": {"X.toml": "…"}, "values": {"hub.mass": 510.0}}}}

and "solver": {"plant": "1801 steps, …"}, what the units' solvers told at the end; "connections": {"plant.wheel.torque": ["controller.torque", -1.0]},
outputs that inputs followed, and factors;
"events": {"plant": {"switched": [[402.8183669178519, "tether.taut", 0]], "more": {}, "others": 0, "texts": {"tether.taut": "cable tether is taut"}}},
what switched when, as the units' solvers told it (see events.py). The unit of a run of one FMU is "". A file that is no text stands as {"base64": "…"}.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from importlib.metadata import version


def origin_of(units: Mapping[str, dict]) -> dict:
    return {"spacefmu": version("spacefmu"), "units": dict(units)}


def unit_origin(model: str, files: Mapping[str, bytes], values: Mapping[str, object]) -> dict:
    """One FMU of a run: its file's name, the description it carries (nothing for another tool's), values that were set."""
    return {
        "model": model,
        "description": {name: _text(content) for name, content in files.items()},
        "values": {
            name: value if isinstance(value, bool | int | float | str) else str(value) for name, value in values.items()
        },
    }


def connections_of(origin: Mapping) -> dict[str, tuple[str, float]]:
    """Inputs that followed an output, with its factor; what can't be read as that is left out."""
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


def _text(content: bytes) -> str | dict:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}
