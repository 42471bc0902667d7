"""The mode shapes of a description as motions: one period of each, magnified to be visible."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.system.contract import System

from ..linearize import linearize
from ..linearize.swings import Stage, swings
from ..scene.motion import DrawnMotion, moved
from ..scene.scene import DrawnScene

FRAMES = 49  # per period
SWING = 2.0  # seconds per period
MOST = 24


def mode_motions(system: System) -> tuple[DrawnScene, dict[str, DrawnMotion]]:
    """The scene, and motions by name ("1: 0.35 Hz, …"), lowest frequency first; ValueError if nothing oscillates."""
    model = linearize(system, inputs=[], outputs=[])
    stage = Stage.of(model)
    phase = np.linspace(0.0, 2.0 * np.pi, FRAMES)
    found: dict[str, DrawnMotion] = {}
    for (mode, shape), number in zip(swings(model, stage), range(1, MOST + 1), strict=False):
        placed = [stage.placed(np.real(shape * np.exp(1j * angle))) for angle in phase]
        main = max(mode.shares, key=mode.shares.__getitem__, default="")
        name = f"{number}: {mode.frequency:.4g} Hz, mostly {main}"
        found[name] = moved(stage.scene.picture, SWING * phase / (2.0 * np.pi), placed, None)
    if not found:
        raise ValueError(f"{system.name}: no mode oscillates about the start")
    return stage.scene, found
