"""Rewards and ends of environments: formulas of a model's variables, or user functions, both on arrays with one entry per environment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from spacefmu.dynamics.description.errors import Problems
from spacefmu.dynamics.description.formula import Names, make_formula
from spacefmu.dynamics.system.formula import value_of

from ..results.names import resolve

Values = Mapping[str, np.ndarray]  # (environments,) of a variable, (environments, n) of an array
Judgement = str | float | Callable[[Values], np.ndarray]


class Judge:
    """A formula or a function, with the variables that it uses."""

    def __init__(self, name: str, given: Judgement, known: Collection[str]):
        self.names: tuple[str, ...] = ()
        self._given = given
        if callable(given):
            return
        problems = Problems()
        self._tree = make_formula(name, given, Names(dict.fromkeys(known, 0.5), kinks=True), problems)
        if problems.found:
            raise ValueError(problems.found[0])
        self.names = tuple(dict.fromkeys(_leaves(self._tree)))

    def __call__(self, values: Values, count: int) -> np.ndarray:
        """(environments,)"""
        found = self._given(values) if callable(self._given) else value_of(self._tree, values.__getitem__)
        return np.broadcast_to(np.asarray(found), (count,))


def _leaves(tree) -> list[str]:
    if isinstance(tree, str):
        return [tree]
    return [leaf for part in tree[1:] for leaf in _leaves(part)] if isinstance(tree, tuple) else []


class Look(dict):
    """Values by name: of variables, and of arrays, assembled when they are used."""

    def __init__(self, names: tuple[str, ...], table: np.ndarray):
        """table (environments, names)"""
        super().__init__(zip(names, table.T, strict=True))
        self._names, self._table = names, table

    def __missing__(self, name: str) -> np.ndarray:
        places = [self._names.index(each) for each in resolve(name, self._names, "variable that the environment reads")]
        return self._table[:, places]
