"""A beam that extends: one part is deployed, the rest is stowed at its frame; its length L is a coordinate in addition to its modes (growth.py).

Stiffness follows from the shapes on the deployed length, K = μ₀Ω₀² (L₀/L)³ with μ₀, Ω₀ of the whole beam, so a bent beam pushes itself out with
3/2 η·Kη/L. Damping ratios are constant, D = 2ζ μ₀Ω₀ L₀/L. Material that is stowed at rest is accelerated at once when it leaves: this takes the force ρL̇² on
the way out and none on the way in, whereas T alone would give ½ρL̇². The difference ½ρL̇|L̇| is lost, ½ρ|L̇|³. Proved by tests/flexible/test_extending.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algebra.rotation import rotation_vector
from ..algebra.scalar import absolute, maximum
from ..system.pieces import Declared, Piece, parameter
from ..system.signals import Parameter, State
from .body import FlexibleBody, Node
from .growth import SHORTEST, Growth
from .integrals import Integrals
from .strain import Swept, Turned


@dataclass(frozen=True)
class TipNode(Node):
    """The beam's tip, r = L e₁ + φη + ½ η·Hη/L, turned by Ψη/L; `shape` (3, 1+N) = [e₁, φ], `turn` (3, 1+N) = [0, Ψ], `second` (N, N, 3) = H, all at ξ = 1.

    position: of the start. Its body's coordinates are (L, η).
    """

    def elastic(self, eta):
        """Displacement from the straight beam of the deployed length."""
        return self.shape[:, 1:] @ eta[1:] + 0.5 * self._second(eta[1:], eta[1:]) / eta[0]

    def displacement(self, eta):
        return self.shape[:, 0] * eta[0] + self.elastic(eta) - self.position

    def vector(self, eta):
        return self.turn[:, 1:] @ eta[1:] / eta[0]

    def _second(self, a, b):
        return np.einsum("mni,m,n->i", np.asarray(self.second), a, b)

    def swept(self, rho, eta, eta_dot) -> Swept:
        """With d²r and d²(Ψη/L) at ë = 0, (3,)."""
        along, shape, turn = self.shape[:, 0], self.shape[:, 1:], self.turn[:, 1:]
        L, eta, L_dot, eta_dot = eta[0], eta[1:], eta_dot[0], eta_dot[1:]
        drawn = np.einsum("mni,m->in", np.asarray(self.second), eta)  # Hη
        square = drawn @ eta
        S = np.column_stack([along - 0.5 * square / L**2, shape + drawn / L])
        bias = self._second(eta_dot, eta_dot) / L - 2.0 * L_dot / L**2 * (drawn @ eta_dot) + L_dot**2 / L**3 * square
        gradient = np.column_stack([-(turn @ eta) / L**2, turn / L])
        rate = gradient @ np.concatenate([[L_dot], eta_dot])
        R, gamma, gamma_dot = rotation_vector(turn @ eta / L, rate)
        bent = gamma @ (-2.0 * L_dot / L * rate)  # d²(Ψη/L)/dt² = −2 (L̇/L) d(Ψη/L)/dt at ë = 0
        section = Turned(R, gamma @ gradient, gamma @ rate, gamma_dot @ rate + bent)
        return Swept(along * L + shape @ eta + 0.5 * square / L, S, bias, section)


@dataclass(frozen=True)
class Extending(Piece):
    """`whole`: the beam at its full length, with stiffness and damping of its modes; `axis`: the forces along L (spacefmu.dynamics.joints.forces.AxesForces of
    one axis).

    start: L and L̇ at the start. drum_mass: None of a stowed part at rest. tables: a, b, B, N of Growth. axes (3, 3): the beam's, in body axes, as columns.
    """

    name: str
    whole: FlexibleBody
    axis: Any
    length: float
    start: tuple[float, float]
    tables: Mapping[str, np.ndarray]
    axes: np.ndarray
    section_inertia: np.ndarray
    drum_mass: Declared[Parameter] = parameter("moment of inertia of the drum of {self.name} over its radius squared", "kg", None, min=0.0)  # fmt: skip
    nodes: Mapping[str, Node] = field(default_factory=dict)
    report: str = field(default="", compare=False)
    thermal = None

    @property
    def modes(self) -> int:
        """Own coordinates: L and the modes."""
        return 1 + self.whole.modes

    @property
    def unbent(self):
        """(1+N,) of the start, straight."""
        return np.array([self.start[0], *np.zeros(self.whole.modes)])

    @property
    def drum(self) -> bool:
        """Whether the stowed part moves at L̇."""
        return self.drum_mass is not None

    @property
    def signal(self) -> str:
        return self.axis.name

    def parts(self):
        return (self.whole, self.axis)

    def own_states(self, eta0, eta_dot0) -> tuple[list[State], list[State]]:
        """Of L and the amplitudes, and of their rates."""
        name, signal = self.name, self.signal
        given = f"der({signal}.rate)" if self.axis.prescribed else f"{signal}.acceleration"
        text = f"length of {name} that is out"
        coordinates = [State(f"{signal}.length", text, "m", float(eta0[0]), derivative=f"{signal}.rate", reinit=True)]
        rates = [State(f"{signal}.rate", f"rate of the {text}", "m/s", float(eta_dot0[0]), derivative=given, derivative_unit="m/s2",
                       derivative_description=f"acceleration of the {text}", reinit=True)]  # fmt: skip
        for i in range(1, self.modes):
            mode, text = f"{name}.mode[{i}]", f"amplitude of mode {i} of {name}, on the length that is out"
            size = 1e-3 * self.length
            coordinates.append(
                State(
                    f"{mode}.amplitude", text, "m", float(eta0[i]), derivative=f"{mode}.rate", reinit=True, nominal=size
                )
            )
            rates.append(State(f"{mode}.rate", f"rate of the {text}", "m/s", float(eta_dot0[i]), derivative=f"{mode}.acceleration", derivative_unit="m/s2",
                               derivative_description=f"acceleration of the {text}", reinit=True,
                               nominal=size * 2.0 * np.pi * float(self.whole.frequencies[i - 1])))  # fmt: skip
        return coordinates, rates

    # ---- interface of bodies

    def integrals(self, k, x=None) -> Integrals:
        """Integrals at the start, with the Growth that gives them at other lengths."""
        N, whole = self.modes, self.whole.integrals(k)
        drum_mass = k[self.drum_mass] if self.drum else 0.0
        sections = whole.density * self.section_inertia
        growth = Growth(
            whole,
            self.length,
            self.axes[:, 0],
            **self.tables,
            sections=sections,
            drum=float(self.drum),
            drum_mass=drum_mass,
        )
        ratio = self.start[0] / self.length
        return Integrals(
            whole.mass, whole.first * ratio**2, whole.inertia * ratio**3 + sections, np.zeros((3, N)), np.zeros((N, 3)),
            np.zeros((N, 3, 3)), np.zeros((N, N, 3)), np.zeros((N, N, 3, 3)), np.zeros((N, N)), growth=growth,
        )  # fmt: skip

    def joint_at(self, joint, k, x):
        return joint

    def passive(self, k, u, d, e, e_dot):
        """−∂V/∂e − D ė (1+N,) with the forces along L, and the dissipated power [W]."""
        length, eta, rate, eta_dot = e[0], e[1:], e_dot[0], e_dot[1:]
        ratio = maximum(length / self.length, SHORTEST)
        held, viscous = self.whole.held(k, eta) / ratio**3, self.whole.damped(k, eta_dot) / ratio
        (along,), lost = self.axis.passive(k, u, d, e[:1], e_dot[:1])
        picked = 0.0 if self.drum else 0.5 * k[self.whole.mass] / self.length * rate * absolute(rate)
        push = 1.5 * (held @ eta) / (ratio * self.length) + along - picked
        return np.concatenate([[push], -held - viscous]), viscous @ eta_dot + lost + picked * rate

    def known(self, k, u, d, e, e_dot):
        found = self.axis.known(k, u, d, e[:1], e_dot[:1])
        return found and tuple(np.concatenate([each, np.zeros(self.modes - 1)]) for each in found)

    def drive(self, k, u):
        return np.concatenate([self.axis.drive(k, u), np.zeros(self.modes - 1)])

    def potential(self, k, e):
        eta, ratio = e[1:], maximum(e[0] / self.length, SHORTEST)
        return 0.5 * (self.whole.held(k, eta) @ eta) / ratio**3 + self.axis.potential(k, e[:1])

    def shown_amplitudes(self, e):
        """Amplitudes for a picture of the whole beam: L less its length, then the modes."""
        return np.concatenate([[e[0] - self.length], e[1:]])
