"""Model data as JSON, without pickle: dataclasses and functions of `dynamics`, tuples, dicts, arrays, numbers and texts.

Numbers are stored bit for bit (JSON texts of floats are exact). Classes are named relative to `dynamics`, so that the data can be read by
the copy of `dynamics` next to this module: the installed one, or the one inside an FMU.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import FunctionType

import numpy as np

from spacefmu.dynamics import bounds as _beside

_DYNAMICS = _beside.__name__.removesuffix("bounds")  # "dynamics.", inside an FMU with the package's name before it


def dumps(function, data) -> str:
    """The text of a System's `made_by`."""
    return json.dumps({"made_by": _name_of(function), "data": _encode(data, "the data")}, indent=1)


def loads(text: str):
    """(function, data) of a text."""
    content = json.loads(text)
    return _find(content["made_by"]), _decode(content["data"])


def _name_of(thing) -> str:
    if not thing.__module__.startswith(_DYNAMICS) or "." in thing.__qualname__:
        raise TypeError(
            f"{thing.__module__}.{thing.__qualname__} is not at the top level of a module of {_DYNAMICS[:-1]}"
        )
    return f"{thing.__module__.removeprefix(_DYNAMICS)}:{thing.__qualname__}"


def _find(name: str):
    module, _, attribute = name.partition(":")
    return getattr(import_module(_DYNAMICS + module), attribute)


def _encode(value, path: str):
    """A type that JSON does not have becomes an object with one key that names it."""
    match value:
        case None | bool() | str():
            return value
        case int() | np.integer():
            return int(value)
        case float() | np.floating():
            return float(value)
        case np.ndarray() if value.dtype.kind in "fib":
            return {"array": value.ravel().tolist(), "shape": list(value.shape), "type": value.dtype.name}
        case tuple():
            return {"tuple": [_encode(item, f"{path}[{i}]") for i, item in enumerate(value)]}
        case list():
            return [_encode(item, f"{path}[{i}]") for i, item in enumerate(value)]
        case dict() if all(isinstance(key, str) for key in value):
            return {"dict": {key: _encode(item, f"{path}[{key!r}]") for key, item in value.items()}}
    if is_dataclass(value) and not isinstance(value, type):
        given = {f.name: _encode(getattr(value, f.name), f"{path}.{f.name}") for f in fields(value) if f.init}
        return {"class": _name_of(type(value)), "fields": given}
    if isinstance(value, FunctionType):  # the maker of a unit of a fused System
        return {"function": _name_of(value)}
    raise TypeError(f"{path} is of type {type(value).__name__}, which model data can't hold")


def _decode(value):
    match value:
        case list():
            return [_decode(item) for item in value]
        case {"array": flat, "shape": shape, "type": kind}:
            return np.array(flat, kind).reshape(shape)
        case {"tuple": items}:
            return tuple(_decode(item) for item in items)
        case {"dict": items}:
            return {key: _decode(item) for key, item in items.items()}
        case {"class": name, "fields": given}:
            found = _find(name)
            if not is_dataclass(found):
                raise TypeError(f"{name} is not a dataclass: this is not model data of spacefmu")
            return found(**{key: _decode(item) for key, item in given.items()})
        case {"function": name}:
            return _find(name)
    return value
