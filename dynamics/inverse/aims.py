"""Objectives of redundant arms: rates that minimise ½ (v − v_aim)ᵀ W (v − v_aim).

| aim            | W                        | v_aim                        |
|----------------|--------------------------|------------------------------|
| `least_rates`  | 1 for each actuator      | 0                            |
| `least_energy` | the mass matrix          | 0                            |
| `posture`      | 1 for each actuator      | back to a posture, at `gain` |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Aim:
    """kind of the table above; `gain` [1/s]; posture (actuators,) with the places of those coordinates in q."""

    kind: str
    gain: float = 0.0
    posture: tuple[float, ...] = ()
    coordinates: tuple[int, ...] = ()

    def metric(self, M, A):
        """W (nv, nv)."""
        if self.kind == "least_energy":
            return M
        W = np.zeros(M.shape)
        W[A, A] = 1.0
        return W

    def rates(self, q, v, A):
        """v_aim (nv,), for the speeds A of the actuators."""
        if self.kind != "posture":
            return 0.0 * v
        return _at(A, [-self.gain * (q[c] - p) for c, p in zip(self.coordinates, self.posture, strict=True)], len(v))

    def accelerations(self, v, A):
        """Its exact derivative: q̇ = v along the axes of joints."""
        return _at(A, [-self.gain * v[p] for p in A], len(v)) if self.kind == "posture" else 0.0 * v


def _at(places, values, size: int):
    """(size,) with the values at their places, zero elsewhere."""
    found = dict(zip((int(p) for p in places), values, strict=True))
    return np.array([found.get(p, 0.0) for p in range(size)])
