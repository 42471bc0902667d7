"""One generated function per kind of joint, body or node, called for each of them: C that grows with the kinds, not the bodies.

Equations mark functions that many bodies share with `spacefmu.dynamics.algebra.scalar.shared`. In a large System such a call becomes, on
symbols, a call of a CasADi function that is traced once per kind. Numbers among the arguments (a joint's axis, a
mounting, structural zeros) are fixed in it; the symbols of each array are one of its arguments. Calls with equal numbers and the same pattern of equal entries
share the function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import casadi
import numpy as np

from spacefmu.dynamics.algebra.scalar import DATA, sharing
from spacefmu.dynamics.algebra.symbol import Symbol, entries_of, symbols, to_column


class SharedFunctions:
    """The kinds found so far; within `sharing(kinds)` functions marked as shared become calls if their arguments are MX symbols."""

    def __init__(self):
        self.kinds: dict = {}
        self.count: Counter[str] = Counter()

    def __call__(self, function: Callable, arguments: tuple):
        arguments = _with_data(arguments)
        key, given = _taken_apart(arguments)
        if not given:
            return function(*arguments)
        kind = self.kinds.get((function, key))
        if kind is None:
            name = function.__name__.strip("_")
            self.count[name] += 1
            with sharing(None):  # calls inside it are written out
                kind = _Kind(f"{name}_{self.count[name]}", function, arguments, given)
            self.kinds[function, key] = kind
        return kind(given)


class _Kind:
    """The function of one kind, and what its result is made of: numbers, and places for symbols."""

    def __init__(self, name: str, function: Callable, arguments: tuple, given: list[list[Symbol]]):
        fresh = [symbols(f"a{i}", len(group)) for i, group in enumerate(given)]
        self.result = function(*_put_together(arguments, [entries for entries, _ in fresh]))
        _, found = _taken_apart(self.result)
        columns: list[Any] = [column for _, column in fresh]
        results: list[Any] = [to_column(group) for group in found]
        self.function = casadi.Function(name, columns, results, {"cse": True})

    def __call__(self, given: list[list[Symbol]]):
        columns: list[Any] = [to_column(group, casadi.MX) for group in given]
        results: list[Any] = self.function.call(columns, False, True)  # never inlined
        return _put_together(self.result, [entries_of(column) for column in results])


def _with_data(value):
    """The same with symbols for the numbers, zeros aside, in fields of dataclasses that are marked as DATA (dynamics/algebra/scalar.py)."""
    if isinstance(value, tuple):
        return tuple(map(_with_data, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    compared = {f.name: getattr(value, f.name) for f in fields(value) if f.compare and f.init}
    marked = {f.name for f in fields(value) if f.metadata == DATA}
    made = {name: _as_symbols(old) if name in marked else _with_data(old) for name, old in compared.items()}
    changed = {name: new for name, new in made.items() if new is not compared[name]}
    return replace(value, **changed) if changed else value


def _as_symbols(numbers):
    made = np.empty(numbers.size, dtype=object)
    made[:] = [Symbol(casadi.MX(float(number))) if number else 0.0 for number in numbers.flat]
    return made.reshape(numbers.shape) if numbers.any() else numbers


def _taken_apart(value) -> tuple[object, list[list[Symbol]]]:
    """A key that is equal for values of the same kind, and the distinct symbols of each array (or single symbol) in the value, in order."""
    groups: list[list[Symbol]] = []

    def key_of(part):
        if isinstance(part, Symbol):
            groups.append([part])
            return Symbol
        if isinstance(part, np.ndarray) and part.dtype == object:
            known: dict[int, int] = {}
            group: list[Symbol] = []
            entries = []
            for entry in part.flat:
                if isinstance(entry, Symbol):
                    place = known.setdefault(_identity(entry), len(group))
                    if place == len(group):
                        group.append(entry)
                    entries.append((Symbol, place))
                else:
                    entries.append(float(entry))
            if group:
                groups.append(group)
            return (part.shape, *entries)
        if isinstance(part, np.ndarray):
            return (part.shape, part.dtype.char, part.tobytes())
        if isinstance(part, tuple):
            return tuple(map(key_of, part))
        if isinstance(part, dict):
            return tuple((name, key_of(value)) for name, value in part.items())
        if is_dataclass(part):
            return (type(part), *(key_of(getattr(part, f.name)) for f in fields(part) if f.compare))
        return part

    return key_of(value), groups


def _put_together(value, groups: list):
    """The same value with other symbols: groups as returned by `_taken_apart`."""
    remaining = iter(groups)

    def copy_of(part):
        if isinstance(part, Symbol):
            return next(remaining)[0]
        if isinstance(part, np.ndarray) and part.dtype == object:
            places: dict[int, int] = {}
            for entry in part.flat:
                if isinstance(entry, Symbol):
                    places.setdefault(_identity(entry), len(places))
            group = next(remaining) if places else ()
            entries = [group[places[_identity(e)]] if isinstance(e, Symbol) else e for e in part.flat]
            copied = np.empty(part.size, dtype=object)
            copied[:] = entries
            return copied.reshape(part.shape)
        if isinstance(part, tuple):
            return tuple(map(copy_of, part))
        if isinstance(part, dict):
            return {name: copy_of(value) for name, value in part.items()}
        if is_dataclass(part):
            return type(part)(**{f.name: copy_of(getattr(part, f.name)) for f in fields(part)})
        return part

    return copy_of(value)


def _identity(symbol: Symbol) -> int:
    """Equal for symbols of one expression."""
    expression = symbol.expression
    return expression.element_hash() if isinstance(expression, casadi.SX) else expression.__hash__()
