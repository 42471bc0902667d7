"""A linear model with names and units, and its modes.

    δẋ = A δx + B δu,   δy = C δx + D δu                 about a point (t, x, u), or the motion through it

At an equilibrium x_dot is zero; elsewhere δ is measured from the motion that passes through the point with the rates x_dot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy  # imported only when used: most descriptions do not need it

from ..picture.picture import Picture

NO_MOTION = 1e-9  # relative to the largest pole: smaller poles count as zero (rigid motion and integrators)


@dataclass(frozen=True)
class VectorEntry:
    """Name and unit of one entry of a vector: "panel.mode[1].rate" [m/s]."""

    name: str
    unit: str = ""


@dataclass(frozen=True)
class Linear:
    """A (n, n), B (n, m), C (p, n), D (p, m); values of the point: x, x_dot (n,), u (m,), y (p,). All SI."""

    name: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[VectorEntry, ...]
    inputs: tuple[VectorEntry, ...]
    outputs: tuple[VectorEntry, ...]
    time: float
    x: np.ndarray
    u: np.ndarray
    y: np.ndarray
    x_dot: np.ndarray
    time_varying: bool = False
    inertias: dict[str, np.ndarray] = field(default_factory=dict)  # body → (n, n): twice its kinetic energy is δxᵀ(…)δx
    picture: Callable[[], Picture] | None = None  # the picture of the System, if its states are known by name
    point: dict[str, float] = field(default_factory=dict)  # all of its states, inputs and parameters
    spread: dict[str, np.ndarray] = field(default_factory=dict)  # (n,) per state of the System: its change with δx

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """All modes, lowest frequency first; a conjugate pair is one."""
        values, left, right = (
            scipy.linalg.eig(self.A, left=True) if len(self.A) else (np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)))
        )
        largest = np.max(np.abs(values), initial=0.0)
        values = np.where(np.abs(values) < NO_MOTION * largest, 0.0, values)
        order = [i for i in np.argsort(np.abs(values), kind="stable") if values[i].imag >= 0.0]
        return tuple(Mode(complex(values[i]), right[:, i], self._shares(left[:, i], right[:, i])) for i in order)

    def _shares(self, left, right) -> dict[str, float]:
        """Share of each body in the mode's kinetic energy. Where that is not known, or zero, participation factors |l_k r_k| / Σ
        (Pérez-Arriaga, Verghese and Schweppe 1982), summed over the states of each owner: the part of a name before the first dot.
        """
        shares = {name: float(np.real(np.conj(right) @ inertia @ right)) for name, inertia in self.inertias.items()}
        if not sum(shares.values()) > NO_MOTION * max(
            (np.max(np.abs(i), initial=0.0) for i in self.inertias.values()), default=1.0
        ):
            shares = dict.fromkeys((state.name.partition(".")[0] for state in self.states), 0.0)
            for state, factor in zip(self.states, np.abs(np.conj(left) * right), strict=True):
                shares[state.name.partition(".")[0]] += float(factor)
        total = sum(shares.values()) or 1.0
        return {name: share / total for name, share in sorted(shares.items(), key=lambda item: -item[1])}

    def response(self, frequencies):
        """C (iω − A)⁻¹ B + D at angular frequencies ω (k,) [rad/s]: (k, p, m), complex; infinite at an undamped pole."""
        return np.array([self._response(w) for w in frequencies])

    def _response(self, w: float) -> np.ndarray:
        try:
            return self.C @ np.linalg.solve(1j * w * np.eye(len(self.A)) - self.A, self.B) + self.D
        except np.linalg.LinAlgError:  # iω is a pole
            return np.full(self.D.shape, complex(np.inf))

    def chosen(self, inputs=None, outputs=None) -> Linear:
        """The same with only the inputs and outputs of these indices."""
        i = list(range(len(self.inputs))) if inputs is None else inputs
        o = list(range(len(self.outputs))) if outputs is None else outputs
        values = vars(self) | {
            "B": self.B[:, i],
            "C": self.C[o],
            "D": self.D[np.ix_(o, i)],
            "inputs": tuple(self.inputs[k] for k in i),
            "outputs": tuple(self.outputs[k] for k in o),
            "u": self.u[i],
            "y": self.y[o],
        }
        values.pop("modes", None)
        return Linear(**values)


@dataclass(frozen=True)
class Mode:
    """A pole [1/s], its shape (n,) in the states, and the share that each owner of states has in it."""

    pole: complex
    shape: np.ndarray
    shares: dict[str, float]

    @property
    def frequency(self) -> float:
        """Undamped, |pole| / 2π [Hz]; zero for a real pole, which does not oscillate."""
        return abs(self.pole) / (2.0 * np.pi) if self.pole.imag else 0.0

    @property
    def damping(self) -> float:
        """Damping ratio −Re/|pole|; 0 for a pole at zero."""
        return -self.pole.real / abs(self.pole) if self.pole else 0.0
