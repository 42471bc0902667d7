"""The bodies of a spacecraft, as frozen data with their signals.

A body's frame sits at its inboard joint. A node is a named place on it where loads, joints, cables and sensors
attach: an undeformed position with the mode shapes there. Modes are the body's own, clamped at the frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..algebra.rotation import E3, rotation_vector
from ..algebra.scalar import contract, shared
from ..system.pieces import Declared, Piece, parameter
from ..system.signals import SMALLEST, Parameter
from .integrals import Integrals, denser, rigid_integrals
from .strain import Swept, Turned
from .thermal import Thermal

INERTIA_ELEMENTS = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


@dataclass(frozen=True)
class Node:
    """A place on a body: position ρ (3,) [m], φ (3, N) [-] and ψ (3, N) [rad] of the modes there.

    `second` (N, N, 3) is H of a body that stiffens (integrals.py); None: the displacement is Φη alone.
    """

    name: str = field(compare=False)
    position: np.ndarray
    shape: np.ndarray
    turn: np.ndarray
    second: np.ndarray | None = None
    link: int = field(default=0, compare=False, kw_only=True)  # of a beam in segments: the number of the segment

    @property
    def unmoved(self):
        """What `swept` takes for ρ where no parameter moves it."""
        return self.position

    def displacement(self, eta):
        """Φη + ½ηᵀHη, (3,)."""
        return self.shape @ eta if self.second is None else (self.shape + 0.5 * self._drawn(eta)) @ eta

    def elastic(self, eta):
        """The displacement relative to the place of the node on the unbent body."""
        return self.displacement(eta)

    def shape_at(self, eta):
        """∂(displacement)/∂η = Φ + Hη, (3, N)."""
        return self.shape if self.second is None else self.shape + self._drawn(eta)

    def vector(self, eta):
        """Ψη, the rotation vector (3,) [rad] by which the modes turn it."""
        return self.turn @ eta

    def swept(self, rho, eta, eta_dot) -> Swept:
        """Its motion in body axes: s = ρ + Φη + ½ηᵀHη,  R = exp((Ψη)~),  σ = ΓΨη̇ with Γ the Jacobian of the rotation vector."""
        drawn = (self.shape_at(eta_dot) - self.shape) @ eta_dot  # η̇ᵀHη̇
        if np.any(self.turn):
            R, gamma, gamma_dot = rotation_vector(self.turn @ eta, self.turn @ eta_dot)
            turn_map = gamma @ self.turn
            section = Turned(R, turn_map, turn_map @ eta_dot, gamma_dot @ (self.turn @ eta_dot))
        else:  # a node that the modes do not rotate
            section = Turned(E3, self.turn, self.turn @ eta_dot, np.zeros(3))
        return Swept(rho + self.displacement(eta), self.shape_at(eta), drawn, section)

    def _drawn(self, eta):
        return contract(self.second, eta).T


def plain_node(name: str, position, modes: int = 0) -> Node:
    """A node that the modes do not move: any place on a rigid body, the root of a flexible one."""
    return Node(name, np.asarray(position, float), np.zeros((3, modes)), np.zeros((3, modes)))


class Nodes(dict):
    """The named nodes of a flexible body whose shapes are also known at other places.

    `at(position)` (3,) gives the node there, None beside the body; `where` says where it does. `near(points)` (P, 3) [m] gives the
    nearest places that the body has, (P, 3) [m], how its modes move them, (N, P, 3) [m/m], and turn them, (N, P, 3) [rad/m].
    """

    def __init__(
        self,
        named: dict[str, Node],
        at: Callable[[np.ndarray], Node | None],
        where: str,
        near: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]],
    ):
        super().__init__(named)
        self.at, self.where, self.near = at, where, near


class Scattered(dict):
    """The named nodes of a flexible body whose shapes are known at points: positions (P, 3) [m], translations (N, P, 3) [m/m]."""

    def __init__(self, named: dict[str, Node], positions: np.ndarray, translations: np.ndarray):
        super().__init__(named)
        self.positions, self.translations = positions, translations


def tensor(six):
    """Symmetric (3, 3) of (xx, yy, zz, xy, xz, yz): the tensor's elements, so xy = −∫xy dm."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def checked_inertia(matrix: np.ndarray) -> np.ndarray:
    """The same (3, 3), if a real body can have it; thin rods and points, with zero moments, are legal."""
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        raise ValueError("expected a symmetric inertia tensor")
    principal = np.sort(np.linalg.eigvalsh(matrix))
    slack = 1e-9 * max(principal[2], 0.0)
    if principal[0] < -slack:
        raise ValueError(f"expected no negative principal moment of inertia, but one is {principal[0]:.6g}")
    if principal[0] + principal[1] < principal[2] - slack:
        raise ValueError(
            f"expected the triangle inequality of principal moments, but {principal[0]:.6g} + {principal[1]:.6g} < {principal[2]:.6g}"
        )
    return matrix


class WithoutModes(Piece):
    """The part of the bodies' interface on modes and inputs, for a rigid body, which has neither.

    integrals(k, x): of the constants, and of the states where its mass follows one of its own (a tank); without x as the craft starts.
    """

    modes = 0
    nodes: Mapping[str, Node]

    def integrals(self, k, x=None) -> Integrals:
        raise NotImplementedError

    def joint_at(self, joint, k, x):
        """The joint that carries it, where its geometry follows states; without x as the craft starts."""
        return joint

    def passive(self, k, u, d, eta, eta_dot):
        return np.zeros(0), 0.0

    def drive(self, k, u):
        return np.zeros(0)

    def known(self, k, u, d, eta, eta_dot):
        return None

    def potential(self, k, eta):
        return 0.0


@dataclass(frozen=True)
class RigidBody(WithoutModes):
    """Mass [kg], mass centre (3,) [m] and inertia about it (3, 3) [kg m²], in body axes: all parameters."""

    name: str
    mass: Declared[Parameter] = parameter("mass of {self.name}", "kg", min=SMALLEST)
    mass_center: Declared[Parameter] = parameter(
        "mass centre of {self.name} from its frame, in axes of {self.name}", "m", np.zeros(3)
    )
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    nodes: Mapping[str, Node] = field(default_factory=dict)
    words = ("mass", "mass_center", "inertia")

    @cached_property
    def inertias(self) -> tuple[Parameter, ...]:
        """The six elements xx, yy, zz, xy, xz, yz of the inertia tensor."""
        text = f"inertia tensor of {self.name} about its mass centre, in axes of {self.name}"
        return tuple(
            Parameter(f"{self.name}.inertia.{axes}", text, "kg.m2", self.inertia[i, j])
            for axes, (i, j) in INERTIA_ELEMENTS.items()
        )

    def parameters(self) -> list[Parameter]:
        own = super().parameters()
        if self.mass.start == 0.0:  # of no mass, see laws
            own = [replace(each, min=0.0) if each.name == self.mass.name else each for each in own]
        return [*own, *self.inertias]

    def laws(self, k) -> list[tuple[str, object]]:
        sentence = (
            f"{self.name}.inertia must be that of a real body: positive, triangle inequality, products not too large"
        )
        real = [(sentence, value) for value in _of_a_real_body(k[self.inertias])]
        if self.mass.start == 0.0:  # a body of no mass, between joints that leave none of its own motion free
            return [(f"{self.name}.mass must not be negative", k[self.mass] + 1e-300), *real]
        return [(f"{self.name}.mass must be positive", k[self.mass]), *real]

    def integrals(self, k, x=None) -> Integrals:
        return rigid_integrals(k[self.mass], k[self.mass_center], tensor(k[self.inertias]))


@shared
def _of_a_real_body(six):
    """Numbers (7,) that are positive if an inertia tensor (xx, yy, zz, xy, xz, yz) can be that of a real body.

    ∫x²dm and its sisters: the triangle inequality says that this matrix is positive semidefinite, which is
    stricter than for the diagonal alone; thin rods and point masses (zeros) are legal.
    """
    xx, yy, zz, xy, xz, yz = six
    a, b, c = (yy + zz - xx) / 2.0, (xx + zz - yy) / 2.0, (xx + yy - zz) / 2.0
    size = xx + yy + zz
    slack, tiny = 1e-9, 1e-300
    two = (a * b - xy * xy, a * c - xz * xz, b * c - yz * yz)
    three = a * b * c - 2.0 * xy * xz * yz - a * yz * yz - b * xz * xz - c * xy * xy
    return np.array(
        [
            *(moment + slack * size + tiny for moment in (a, b, c)),
            *(minor + slack * size * size + tiny for minor in two),
            three + slack * size * size * size + tiny,
        ]
    )


def unbent(body):
    """Its own coordinates (N,) at which it is not bent."""
    return getattr(body, "unbent", np.zeros(body.modes))


@dataclass(frozen=True)
class ModalSpring(Piece):
    """Stiffness and damping of one mode of a body: its frequency, clamped at the root, and its damping ratio."""

    name: str
    label: str
    frequency: Declared[Parameter] = parameter("frequency of {self.label}, clamped at its root", "Hz", min=0.0, tunable=True)  # fmt: skip
    damping: Declared[Parameter] = parameter("damping ratio of {self.label}", "1", min=0.0, tunable=True)


@dataclass(frozen=True)
class FlexibleBody(Piece):
    """Inertia integrals (fixed at build), and stiffness and damping of its modes: frequencies [Hz] and damping ratios, both parameters.

    In place of either a full matrix (N, N), fixed at build, of the body with mass as given: `stiffness_matrix` K [N/m for unit shapes],
    `damping_matrix` D [N s/m], symmetric and positive semidefinite. Such a body has no parameters for these.
    `mass` is a parameter too: it scales the density, with frequencies as given, so K and D scale with it.
    """

    name: str
    integrals_at_build: Integrals
    frequencies: np.ndarray
    damping_ratios: np.ndarray
    nodes: dict[str, Node] = field(default_factory=dict)
    stiffness_matrix: np.ndarray | None = None
    damping_matrix: np.ndarray | None = None
    report: str = field(default="", compare=False)  # its source, as text for users
    thermal: Thermal | None = None  # temperatures that load its modes
    stiffening: bool = False  # second-order displacements were added to its shapes, if they have any

    @property
    def modes(self) -> int:
        return self.integrals_at_build.count

    @property
    def stiffens(self) -> bool:
        """Whether axial or in-plane loads change its frequencies, as in a real body (integrals.py)."""
        return self.stiffening or bool(np.any((self.integrals_at_build.alone or self.integrals_at_build).s1_second))

    mass = parameter(
        "mass of {self.name} (scales its density)", "kg", lambda self: self.integrals_at_build.mass, min=SMALLEST
    )

    @cached_property
    def own_modes(self) -> tuple[ModalSpring, ...]:
        """The springs of the single modes; none if the body has full matrices."""
        given = zip(self.frequencies, self.damping_ratios, strict=True)
        return tuple(
            ModalSpring(
                f"{self.name}.mode[{i}]",
                f"mode {i} of {self.name}",
                frequency if self.stiffness_matrix is None else None,
                ratio if self.damping_matrix is None else None,
            )
            for i, (frequency, ratio) in enumerate(given, 1)
        )

    def parts(self):
        return (*self.own_modes, *(() if self.thermal is None else (self.thermal,)))

    def parameters(self) -> list[Parameter]:
        return [self.mass, *(quantity for part in self.parts() for quantity in part.parameters())]

    def laws(self, k) -> list[tuple[str, object]]:
        return [(f"{self.name}.mass must be positive", k[self.mass]), *super().laws(k)]

    def integrals(self, k, x=None) -> Integrals:
        return denser(self.integrals_at_build, self._density(k))

    def joint_at(self, joint, k, x):
        return joint

    def passive(self, k, u, d, eta, eta_dot):
        """−K η − D η̇ (N,), and the power η̇ᵀD η̇ that it dissipates [W]."""
        viscous = self.damped(k, eta_dot)
        return -self.held(k, eta) - viscous, viscous @ eta_dot

    def known(self, k, u, d, eta, eta_dot):
        """Mask (N,) 1 where η̈ is known, and η̈ there; None: never."""
        return None

    def drive(self, k, u):
        """Loads of inputs on the modes (N,), K η_T of the temperatures; their power is work of the inputs."""
        if self.thermal is None:
            return np.zeros(self.modes)
        return self.held(k, self.thermal.amplitudes(k, u))

    def potential(self, k, eta):
        """½ηᵀK η [J]."""
        return 0.5 * self.held(k, eta) @ eta

    def held(self, k, eta):
        """K η: diag(μ_k Ω_k²) η, or with the given matrix."""
        if self.stiffness_matrix is not None:
            return self._density(k) * contract(self.stiffness_matrix, eta)
        angular = self.angular_frequencies(k)
        return np.diag(self.integrals_at_build.modal_mass) * self._density(k) * angular * angular * eta

    def damped(self, k, eta_dot):
        """D η̇: diag(2 ζ_k μ_k Ω_k) η̇, or with the given matrix."""
        if self.damping_matrix is not None:
            return self._density(k) * contract(self.damping_matrix, eta_dot)
        ratio = k[tuple(mode.damping for mode in self.own_modes)]
        return (
            2.0
            * ratio
            * np.diag(self.integrals_at_build.modal_mass)
            * self._density(k)
            * self.angular_frequencies(k)
            * eta_dot
        )

    def _density(self, k):
        """The density relative to that of the integrals."""
        return k[self.mass] / self.integrals_at_build.mass

    def angular_frequencies(self, k):
        """Ω (N,) [rad/s]; with a full K those of its diagonal."""
        if self.stiffness_matrix is not None:
            return np.sqrt(np.diag(self.stiffness_matrix) / np.diag(self.integrals_at_build.modal_mass))
        return 2.0 * np.pi * k[tuple(mode.frequency for mode in self.own_modes)]
