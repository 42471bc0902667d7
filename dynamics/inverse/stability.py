"""Internal dynamics of an inverse problem: the motion of modes while the paths are followed exactly.

Their eigenvalues are the transmission zeros from drives to paths. If tracked place and drives are not collocated (the tip of a flexible
link, driven at its root), zeros lie in the right half plane: the inverse motion diverges although every path is followed. Detected by the
eigenvalues of the inverse System about its start.
"""

from __future__ import annotations

import numpy as np

from ..bodies.body import FlexibleBody
from ..spacecraft.structure import Spacecraft
from ..system.contract import System
from ..system.evaluate import motion, start

STEP = 1e-6
RUNS_AWAY = 0.01  # growth rate, relative to the lowest modal frequency: far above round-off of differences, far below real zeros


def runaway_modes(system: System, craft: Spacecraft) -> tuple[str, float] | None:
    """(body, growth rate [1/s]) of the fastest growing motion within modes, or None."""
    flexible = [link.body for link in craft.tree.links if isinstance(link.body, FlexibleBody) and link.body.modes]
    if not flexible:
        return None
    lowest = 2.0 * np.pi * min(float(np.min(body.frequencies)) for body in flexible)
    t, (x, u, k, d) = 0.0, start(system)
    rates = lambda state: motion(system, t, state, u, k, d)[0]  # noqa: E731
    steps = [STEP * max(1.0, abs(value)) for value in x]
    columns = [(rates(x + h * e) - rates(x - h * e)) / (2.0 * h) for h, e in zip(steps, np.eye(len(x)), strict=True)]
    values, vectors = np.linalg.eig(np.transpose(columns))
    worst = int(np.argmax(values.real))
    if values[worst].real <= RUNS_AWAY * lowest:
        return None
    tree, share = craft.tree, np.abs(vectors[:, worst])
    owner = max(
        (i for i, link in enumerate(tree.links) if link.body.modes), key=lambda i: float(np.sum(share[tree.mode_q[i]]))
    )
    return tree.links[owner].body.name, float(values[worst].real)
