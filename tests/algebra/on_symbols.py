"""The same equation on symbols: traced once with CasADi, then evaluated at the given numbers."""

from __future__ import annotations

import casadi
import numpy as np

from spacefmu.dynamics.algebra.symbol import symbols, to_column


def on_symbols(equation, *arrays) -> np.ndarray:
    """equation(*arrays) computed through symbols: every entry of every argument is a fresh symbol. Flattened."""
    traced, columns = [], []
    for i, array in enumerate(arrays):
        array = np.asarray(array, float)
        entries, column = symbols(f"a{i}", array.size)
        traced.append(entries.reshape(array.shape) if array.shape else entries[0])
        columns.append(column)
    function = casadi.Function("f", columns, [to_column(equation(*traced))])
    return np.array(function(*(np.ravel(array) for array in arrays)), float).ravel()


def slopes(equation, *arrays) -> np.ndarray:
    """∂equation/∂(all entries of all arguments), exact, as the FMU has it: (results, entries)."""
    sizes = [np.size(array) for array in arrays]
    entries, column = symbols("a", sum(sizes))
    parts = np.split(entries, np.cumsum(sizes)[:-1])
    shaped = [part.reshape(np.shape(array)) for part, array in zip(parts, arrays, strict=True)]
    jacobian = casadi.jacobian(to_column(equation(*shaped)), column)
    return np.array(casadi.Function("J", [column], [jacobian])(np.concatenate([np.ravel(a) for a in arrays])), float)
