"""Tables of couplings and cables → constraint pieces."""

from __future__ import annotations

import numpy as np

from ..bodies.body import plain_node
from ..constraints import Cable, Coincidence
from ..constraints.grip import End
from .bodies import find_node


def make_couplings(table, index, bodies, problems) -> list:
    """All couplings, in the order of the description."""

    def end(path, name) -> End:
        if name == "space":
            return End(-1, plain_node("space", np.zeros(3)))
        found = find_node(path, name, bodies, problems)
        return End(-1, plain_node("space", np.zeros(3))) if found is None else End(index[found[0]], found[1])

    rows: list = []
    for group in ("couplings", "cables"):
        for name, entry in getattr(table, group).items():
            a, b = end(f"{group}.{name}.a", entry.a), end(f"{group}.{name}.b", entry.b)
            if entry.a.split(".")[0] == entry.b.split(".")[0]:
                problems.add(f"{group}.{name}.b", entry.b, f"a place on another body than a = {entry.a!r}")
            if group == "couplings":
                rows.append(Coincidence(name, a, b))
            else:
                rows.append(Cable(name, a, b, entry.length, entry.restitution, entry.nominal_tension))
    return rows
