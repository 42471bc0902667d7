"""Modes of a linear model in the coordinates of its picture, magnified to be visible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spacefmu.dynamics.linearize.linear import Linear, Mode
from spacefmu.dynamics.picture.picture import Placed

from ..interface.drawing import at_start
from ..scene.scene import DrawnScene

SEEN = 0.12  # largest displacement that is shown, relative to the scene
TURN = 0.35  # largest angle or amplitude that is shown [rad, m]
PROBE = 1e-4  # trial amplitude of a shape, relative to its largest entry


@dataclass(frozen=True)
class Stage:
    """A scene at the point of a linear model: the time, and x, u, p in the order of the picture's coordinates."""

    scene: DrawnScene
    time: float
    x: np.ndarray
    u: np.ndarray
    p: np.ndarray

    @staticmethod
    def of(model: Linear) -> Stage:
        if model.picture is None or not model.spread:
            raise ValueError(
                f"{model.name}: its states are not those of a spacecraft's joints; mode shapes need the description of a spacecraft"
            )
        picture = model.picture()
        scene, _ = at_start(picture, model.point)
        table = picture.coordinates
        x, u, p = (
            np.array([model.point.get(entry.name, entry.start) for entry in getattr(table, group)], float)
            for group in ("states", "inputs", "parameters")
        )
        return Stage(scene, model.time, x, u, p)

    def placed(self, shift=0.0) -> Placed:
        """The places of everything, `shift` (nx,) away from the point."""
        return self.scene.picture.place(self.time, self.x + shift, self.u, self.p)

    def points(self, shift=0.0) -> np.ndarray:
        """(V, 3) [m]: all drawn vertices, and the ends of lines."""
        placed = self.placed(shift)
        parts = [
            placed.positions[i] + mesh.bent(placed.amplitudes[i]) @ placed.dcms[i].T
            for i, own in enumerate(self.scene.bodies)
            for mesh in own
        ]
        return np.concatenate([*parts, placed.ends.reshape(-1, 3)])


def swings(model: Linear, stage: Stage) -> Iterator[tuple[Mode, np.ndarray]]:
    """Oscillating modes, lowest frequency first, with δx (nx,) of the picture's coordinates, complex: δx(t) = Re(δx e^iωt).

    Its real part is the instant of the largest displacements: points move by δr, and δr e^(−iα) has the largest real part for
    e^(2iα) along Σ δr·δr. The largest displacement is then scaled to a fraction of the scene's size.
    """
    picture, nothing = stage.scene.picture, np.zeros(len(model.A))
    moved_by = {name: model.spread[name] for name in picture.moved_by if name in model.spread}
    spread = np.array([moved_by.get(entry.name, nothing) for entry in picture.coordinates.states])
    rest = stage.points()
    for mode in model.modes:
        shape = spread @ mode.shape
        if not mode.frequency or not np.any(shape):
            continue
        shape /= np.abs(shape).max()
        moves = [(stage.points(PROBE * part) - rest) / PROBE for part in (np.real(shape), np.imag(shape))]
        moved = moves[0] + 1j * moves[1]
        turn = np.exp(-0.5j * np.angle(np.sum(moved * moved)))
        moved = np.real(moved * turn)
        sign = np.sign(moved.flat[np.argmax(np.abs(moved))]) or 1.0
        size = float(np.linalg.norm(moved, axis=1).max())
        yield mode, shape * turn * sign * min(SEEN * stage.scene.size / max(size, 1e-12), TURN)
