"""The linear mode shapes of a description as motions: one swing of each, enlarged until it is seen."""

from __future__ import annotations

import numpy as np

from dynamics.evaluate import start
from dynamics.rotation import quaternion_rate_matrix
from dynamics.system import System

from ..linearize import linearize
from ..scene.motion import Motion, moved, still
from ..scene.scene import Scene

FRAMES = 49  # of one swing
SEEN = 0.12  # largest displacement that is shown, relative to the scene
TURN = 0.35  # largest angle or amplitude that is shown [rad, m]
SWING = 2.0  # seconds of one swing
PROBE = 1e-4  # by which a shape is tried, relative to its largest entry


def mode_motions(system: System, scene: Scene, most: int = 24) -> dict[str, Motion]:
    """Motions by name ("1: 0.35 Hz, …"), slowest first; ValueError if nothing swings."""
    picture = scene.picture
    states = [entry.name for entry in picture.coordinates.states]
    x, u, p = still(picture)
    own = [entry.name for entry in system.signals.states]
    known = dict(zip(own, start(system)[0], strict=True))
    x = np.array([known.get(name, value) for name, value in zip(states, x, strict=True)])
    quaternions = {attitude.name: own[attitude.quaternion : attitude.quaternion + 4] for attitude in system.attitudes}
    turned = [name for four in quaternions.values() for name in four]
    plain = [name for name in picture.moved_by if name in known and name not in turned]
    rotations = [f"{name}.rotation[{i}]" for name in quaternions for i in (1, 2, 3)]
    model = linearize(system, inputs=[], outputs=[*plain, *rotations])
    # δx of all coordinates from the model's outputs: the plain ones, and δq = T(q) δθ of each attitude
    spread = np.zeros((len(x), len(plain) + len(rotations)))
    for column, name in enumerate(plain):
        spread[states.index(name), column] = 1.0
    for number, four in enumerate(quaternions.values()):
        rows, first = [states.index(name) for name in four], len(plain) + 3 * number
        spread[rows, first : first + 3] = quaternion_rate_matrix(x[rows])
    phase = np.linspace(0.0, 2.0 * np.pi, FRAMES)
    found: dict[str, Motion] = {}
    for mode in model.modes:
        if not mode.pole.imag or len(found) == most:
            continue
        shape = spread @ model.C @ mode.shape
        shape /= np.abs(shape).max()
        size = _size(scene, x, shape, u, p)
        shape *= min(SEEN * scene.size / max(size, 1e-12), TURN)
        swing = [x + np.real(shape * np.exp(1j * angle)) for angle in phase]
        placed = [picture.place(0.0, each, u, p) for each in swing]
        main = max(mode.shares, key=mode.shares.__getitem__) if mode.shares else ""
        name = f"{len(found) + 1}: {mode.frequency:.4g} Hz, mostly {main}"
        found[name] = moved(picture, SWING * phase / (2.0 * np.pi), placed, None)
    if not found:
        raise ValueError(f"{system.name}: nothing swings by itself at its start")
    return found


def _size(scene: Scene, x, shape, u, p) -> float:
    """Largest displacement [m] of a vertex for the shape as it is, from a small share of it."""

    def points(state):
        placed = scene.picture.place(0.0, state, u, p)
        return [
            placed.positions[i] + mesh.bent(placed.amplitudes[i]) @ placed.dcms[i].T
            for i, own in enumerate(scene.bodies)
            for mesh in own
        ]

    rest = points(x)
    sizes = []
    for part in (np.real(shape), np.imag(shape)):
        moves = zip(points(x + PROBE * part), rest, strict=True)
        sizes.append(max(np.linalg.norm(there - here, axis=1).max() for there, here in moves) / PROBE)
    return max(sizes)
