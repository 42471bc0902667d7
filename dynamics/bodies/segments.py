"""A beam in segments: one body in a description, a chain of strained pieces (strain.py) in the tree, each fixed to the end of the previous one.

Bending in two planes, torsion and stretch, as far as they have a stiffness; a kind without one is rigid. Each kind has two coordinates per
segment, e = (mean, slope): h times its strain is e₁ + e₂(2ξ − 1), so e₁ is the angle [rad] by which the segment bends or twists, or how much
longer it is [m]. Stored energy ½ Σ K_kind eᵀU e,  U = (1/h) ∫ f c cᵀ dξ, with f the stiffness there over K_kind. Damping is Kelvin–Voigt's:
stress follows strain + τ strain rate. Sections turn with all rotations (Rayleigh's beam); no shear. Proved by tests/flexible/test_segments.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..algebra.scalar import shared
from ..system.pieces import Declared, Piece, parameter
from ..system.signals import SMALLEST, Parameter, State
from .body import Node
from .integrals import Integrals
from .strain import Spot, Strained, Swept, rotation_of, spot, swept
from .thermal import Thermal

TURNS = {
    "bending_y": (2, 1.0),
    "bending_z": (1, -1.0),
    "torsion": (0, 1.0),
}  # about which of the beam's axes, and its sign
KINDS = (*TURNS, "axial")
AS_MANY = 10  # states that a segment counts as in addition to its own, by the length of its equations
UNITS = dict.fromkeys(TURNS, ("rad", "rad/s", "rad/s2")) | {"axial": ("m", "m/s", "m/s2")}


@dataclass(frozen=True)
class SegmentedBeam(Piece):
    """What all segments of a beam share: its mass, and stiffness and damping of each kind of strain that it has."""

    name: str
    mass: Declared[Parameter] = parameter("mass of {self.name} (scales its density)", "kg", min=SMALLEST)
    # fmt: off
    bending_y: Declared[Parameter] = parameter("bending stiffness EI of {self.name} for displacements along its y; where it is tapered, at a factor of 1", "N.m2", None, min=0.0, tunable=True)
    bending_z: Declared[Parameter] = parameter("bending stiffness EI of {self.name} for displacements along its z; where it is tapered, at a factor of 1", "N.m2", None, min=0.0, tunable=True)
    torsion: Declared[Parameter] = parameter("torsional stiffness GJ of {self.name}; where it is tapered, at a factor of 1", "N.m2", None, min=0.0, tunable=True)
    axial: Declared[Parameter] = parameter("axial stiffness EA of {self.name}; where it is tapered, at a factor of 1", "N", None, min=0.0, tunable=True)
    bending_y_damping: Declared[Parameter] = parameter("Kelvin-Voigt time of bending along y of {self.name}: moment EI (curvature + time x its rate)", "s", None, min=0.0, tunable=True)
    bending_z_damping: Declared[Parameter] = parameter("Kelvin-Voigt time of bending along z of {self.name}: moment EI (curvature + time x its rate)", "s", None, min=0.0, tunable=True)
    torsion_damping: Declared[Parameter] = parameter("Kelvin-Voigt time of torsion of {self.name}: torque GJ (twist rate + time x its rate)", "s", None, min=0.0, tunable=True)
    axial_damping: Declared[Parameter] = parameter("Kelvin-Voigt time of stretch of {self.name}: force EA (strain + time x its rate)", "s", None, min=0.0, tunable=True)
    # fmt: on

    def laws(self, k) -> list[tuple[str, object]]:
        return [(f"{self.name}.mass must be positive", k[self.mass]), *super().laws(k)]


@dataclass(frozen=True)
class SegmentNode(Node):
    """A place on a segment; position, shape and turn are those of the unloaded segment, linear. place (3,), dcm (3, 3): unloaded, from the beam's frame."""

    position: np.ndarray = field(compare=False)
    shape: np.ndarray = field(compare=False)
    turn: np.ndarray = field(compare=False)
    piece: Strained = field(kw_only=True)
    at: Spot = field(kw_only=True)
    place: np.ndarray = field(kw_only=True, compare=False)
    dcm: np.ndarray = field(kw_only=True, compare=False)

    unmoved = None  # its position follows from the strains

    def displacement(self, eta):
        return self.swept(None, eta, np.zeros(len(eta))).r - self.position

    def vector(self, eta):
        return rotation_of(self.piece, self.at.xi, eta)

    def swept(self, rho, eta, eta_dot) -> Swept:
        return swept(self.piece, [self.at], eta, eta_dot)[0]


@dataclass(frozen=True)
class BeamSegment(Piece):
    """One segment: its masses, and U (N, N) of each kind [1/m]; the segments after it, if it is the first."""

    name: str
    beam: SegmentedBeam
    kinds: tuple[str, ...]
    integrals_at_build: Integrals
    unit_stiffness: tuple[np.ndarray, ...]
    nodes: Mapping[str, Node]
    number: int
    following: tuple[BeamSegment, ...] = ()
    made_of: tuple = field(default=(), compare=False)  # of the first: Beam, axes, Profile (segmented_beam.py)
    report: str = field(default="", compare=False)
    thermal: Thermal | None = field(
        default=None, compare=False
    )  # what temperatures do to this segment; the first one declares the inputs

    @property
    def modes(self) -> int:
        return 2 * len(self.kinds)

    @property
    def chain(self) -> tuple[BeamSegment, ...]:
        return (self, *self.following)

    @cached_property
    def end(self) -> Node:
        """Where the next one begins."""
        return segment_node("end", self.integrals_at_build.slices.piece, 1.0)  # type: ignore[union-attr]

    def parts(self):
        if self.number > 1:
            return ()
        return (self.beam,) if self.thermal is None else (self.beam, self.thermal)

    def own_states(self, eta0, eta_dot0) -> tuple[list[State], list[State]]:
        """Of its coordinates and their rates."""
        coordinates, rates = [], []
        for i, kind in enumerate(self.kinds):
            unit, rate_unit, second_unit = UNITS[kind]
            name, own = f"{self.beam.name}.segment[{self.number}].{kind}", slice(2 * i, 2 * i + 2)
            text = f"{kind.replace('_', ' along ')} of segment {self.number} of {self.beam.name} (mean; slope)"
            coordinates.append(State(name, text, unit, tuple(map(float, eta0[own])), derivative=f"{name}_rate", reinit=True))  # fmt: skip
            rates.append(
                State(f"{name}_rate", f"rate of {text}", rate_unit, tuple(map(float, eta_dot0[own])), derivative=f"{name}_acceleration",
                      derivative_unit=second_unit, derivative_description=f"acceleration of {text}", reinit=True)
            )  # fmt: skip
        return coordinates, rates

    def integrals(self, k, x=None) -> Integrals:
        return denser_slices(self.integrals_at_build, k[self.beam.mass] / self.beam.mass.start)

    def joint_at(self, joint, k, x):
        return joint

    def _matrix(self, factors):
        return sum(factor * U for factor, U in zip(factors, self.unit_stiffness, strict=True))

    def stiffness(self, k):
        """Σ K_kind U (N, N)."""
        return self._matrix([k[getattr(self.beam, kind)] for kind in self.kinds])

    def damping(self, k):
        """Σ τ_kind K_kind U (N, N)."""
        return self._matrix(
            [k[getattr(self.beam, kind)] * k[getattr(self.beam, f"{kind}_damping")] for kind in self.kinds]
        )

    def passive(self, k, u, d, e, e_dot):
        """−Σ K_kind U (e + τ_kind ė) (N,), and the power that it dissipates [W]."""
        return _resisted(self.stiffness(k), self.damping(k), e, e_dot)

    def known(self, k, u, d, e, e_dot):
        return None

    def drive(self, k, u):
        """K e_T (N,): temperatures change the strains e_T at which the segment is free of stress."""
        if self.thermal is None:
            return np.zeros(self.modes)
        return _held(self.stiffness(k), self.thermal.amplitudes(k, u))

    def potential(self, k, e):
        return 0.5 * _stored(self.stiffness(k), e)


@shared
def _resisted(K, D, e, e_dot):
    viscous = D @ e_dot
    return -(K @ e) - viscous, viscous @ e_dot


@shared
def _held(K, e):
    return K @ e


@shared
def _stored(K, e):
    """eᵀK e."""
    return (K @ e) @ e


def denser_slices(body: Integrals, factor) -> Integrals:
    """As integrals.denser, for a segment. Its masses become symbols with the factor, so that segments of a tapered beam share their equations."""
    assert body.alone is not None
    assert body.slices is not None
    rigid = {name: getattr(body, name) * factor for name in ("mass", "first", "inertia")}
    sections = tuple(
        replace(each, mass=each.mass * factor, inertia=each.inertia * factor) for each in body.slices.sections
    )
    slices = replace(body.slices, sections=sections, added=body.slices.added * factor)
    return replace(body, **rigid, slices=slices, alone=replace(body.alone, mass=body.mass * factor))


def segment_node(name: str, piece: Strained, xi: float, link: int = 0, place=None, dcm=None) -> SegmentNode:
    """The node at ξ of a piece."""
    at = spot(xi)
    still = np.zeros(piece.start.shape[1])
    here = swept(piece, [at], still, still)[0]
    return SegmentNode(
        name, here.r, here.S, here.section.Q, link=link, piece=piece, at=at,
        place=here.r if place is None else place, dcm=here.section.R if dcm is None else dcm,
    )  # fmt: skip
