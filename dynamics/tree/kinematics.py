"""Positions, velocities and accelerations along the tree.

The acceleration of body i is the vector A_i = (a, α, η̈), sizes 3 + 3 + N: absolute acceleration of the frame's
origin, absolute angular acceleration, both in body axes, and modal accelerations. It follows the parent's:

    (a, α)_i = T_i A_parent + β_i + H_i v̇_i        T_i (6, 6+N_parent), β_i (6,), H_i (6, nv_i)

The same holds for velocities, without β: (v, ω)_i = T_i (v, ω, η̇)_parent + H_i v_i. T is stored by its factors (transfer.py). Space is a
parent without modes whose A is zero: the effects of a rotating root frame are in β. Source: [jin1991] eq. (1)–(10), extended to places that
move by elastic displacement and rotation (docs/theory/jin1991.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..algebra.rotation import E3, cross
from ..algebra.scalar import shared
from ..bodies.body import Node
from ..bodies.equations import Inertia, body_equations
from ..bodies.integrals import Integrals, rigid_integrals
from .topology import Tree
from .transfer import HERE, Transfer


@dataclass(frozen=True)
class Place:
    """A node as a moving frame P, seen from space and from its body.

    position_N (3,), dcm_NP; velocity and omega absolute, in P axes; map (6, 6+n), by its factors, and bias (6,):
    the place's (a, α) in P axes = map A_body + bias; its (v, ω) = map (v, ω, η̇)_body.
    """

    position_N: np.ndarray
    dcm_NP: np.ndarray
    velocity: np.ndarray
    omega: np.ndarray
    map: Transfer
    bias: np.ndarray


@dataclass(frozen=True)
class Frame:
    """Data for the motion of places on a body: its frame's pose and rates (own axes), and its modal coordinates."""

    position_N: np.ndarray
    dcm_NB: np.ndarray
    velocity: np.ndarray
    omega: np.ndarray
    eta: np.ndarray
    eta_dot: np.ndarray

    @property
    def speeds(self):
        """(v, ω, η̇), (6+N,)."""
        return np.concatenate([self.velocity, self.omega, self.eta_dot])


@dataclass(frozen=True)
class Moving(Frame):
    """A body in motion: its frame, the map from its parent, and its inertia."""

    T: Transfer
    beta: np.ndarray
    H: np.ndarray
    integrals: Integrals

    @cached_property
    def equations(self) -> tuple[Inertia, np.ndarray]:
        """M(η) by its blocks, and b (6+N,): M A + b = loads."""
        return body_equations(self.integrals, self.omega, self.eta, self.eta_dot)

    @property
    def frame(self) -> Frame:
        return Frame(self.position_N, self.dcm_NB, self.velocity, self.omega, self.eta, self.eta_dot)


@dataclass(frozen=True)
class Space:
    """The frame S that carries the root joints: N itself, or an orbital frame O (spacefmu.dynamics.environment).

    dcm_NS; omega and alpha (3,), its absolute angular velocity and acceleration in its own axes. All positions,
    velocities and accelerations of the tree are relative to its origin, in non-rotating axes: an acceleration of the origin itself is
    subtracted from the gravity on the bodies, so it does not enter here.
    """

    dcm_NS: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray


STILL = np.zeros(6)  # A of space


def particle(mass, position_N, velocity_N=STILL[:3]) -> Moving:
    """A point mass as a body, for fields that act on bodies."""
    none, no_modes = np.zeros(3), np.zeros((6, 0))
    integrals = rigid_integrals(mass, none, np.zeros((3, 3)))
    return Moving(position_N, E3, velocity_N, none, np.zeros(0), np.zeros(0), HERE, np.zeros(6), no_modes, integrals)


SPACE = Space(E3, np.zeros(3), np.zeros(3))


def place_in(space: Space, position, turned=E3) -> Place:
    """A place fixed in S at `position` (3,); `turned` is the dcm from P to S."""
    dcm_PS = turned.T
    swept = cross(space.omega, position)
    return Place(
        position_N=space.dcm_NS @ position,
        dcm_NP=space.dcm_NS @ turned,
        velocity=dcm_PS @ swept,
        omega=dcm_PS @ space.omega,
        map=Transfer(dcm_PS, position, np.zeros((3, 0)), np.zeros((3, 0))),
        bias=np.concatenate(
            [dcm_PS @ (cross(space.alpha, position) + cross(space.omega, swept)), dcm_PS @ space.alpha]
        ),
    )


def place_on(body: Moving, node: Node, position=None, turned=E3) -> Place:
    """The frame at a node. `position` replaces the node's undeformed place; `turned` is dcm from P to the node's axes.

    s = ρ + Φη + ½ηᵀHη,  R = exp((Ψη)~),  ω_P = ω + Γ Ψη̇ with Γ the Jacobian of the rotation vector;
    a_P = a + α×s + ω×(ω×s) + 2ω×ṡ + s̈,  ṡ = (Φ + Hη)η̇,   α_P = α + ΓΨη̈ + Γ̇Ψη̇ + ω×ΓΨη̇, then turned into P's axes.
    """
    return _place_on(body.frame, node, node.unmoved if position is None else position, turned)


@shared
def _place_on(body: Frame, node: Node, rho, turned) -> Place:
    omega, at = body.omega, node.swept(rho, body.eta, body.eta_dot)
    s, shape, section = at.r, at.S, at.section
    s_dot, spin = shape @ body.eta_dot, section.sigma
    dcm_PB = (section.R @ turned).T
    bias = cross(omega, cross(omega, s) + 2.0 * s_dot) + at.bias
    return Place(
        position_N=body.position_N + body.dcm_NB @ s,
        dcm_NP=body.dcm_NB @ dcm_PB.T,
        velocity=dcm_PB @ (body.velocity + cross(omega, s) + s_dot),
        omega=dcm_PB @ (omega + spin),
        map=Transfer(dcm_PB, s, shape, section.Q),
        bias=np.concatenate([dcm_PB @ bias, dcm_PB @ (section.spin_bias + cross(omega, spin))]),
    )


def move(tree: Tree, q, v, k, space: Space = SPACE, x=None) -> list[Moving]:
    """The motion of all bodies, parents first. q (nq,), v (nv,), k the constants; x all states, for bodies whose mass is a state (None: as at the start)."""
    bodies: list[Moving] = []
    for i, link in enumerate(tree.links):
        bodies.append(moved(tree, i, space if link.parent < 0 else bodies[link.parent].frame, q, v, k, x))
    return bodies


def moved(tree: Tree, i: int, base: Space | Frame, q, v, k, x=None) -> Moving:
    """The motion of body i on its parent."""
    link = tree.links[i]
    rho = link.place.unmoved if link.moved_place is None else k[link.moved_place]
    q_i, v_i = q[tree.joint_q[i]], v[tree.joint_v[i]]
    joint = link.body.joint_at(link.joint, k, x)
    omega, T, beta, H = carried(base, link.place, rho, link.mount, joint, q_i, v_i)
    position_N, dcm_NB, velocity = posed(base, T, H, v_i)
    eta, eta_dot = q[tree.mode_q[i]], v[tree.mode_v[i]]
    return Moving(position_N, dcm_NB, velocity, omega, eta, eta_dot, T, beta, H, link.body.integrals(k, x))


@shared
def carried(base: Space | Frame, node: Node, rho, mount, joint, q, v):
    """The motion of the child by base → joint frame J → child frame C: its ω, T, β and H, which suffice for accelerations."""
    J = place_in(base, rho, mount) if isinstance(base, Space) else _place_on(base, node, rho, mount)
    s, dcm_JC = joint.pose(q)
    g, l_axes = joint.axes(q)
    s_dot, dcm_CJ = g @ v, dcm_JC.T
    omega = dcm_CJ @ J.omega + l_axes @ v
    bias, turning = J.bias[:3], J.bias[3:]
    bias = bias + cross(turning, s) + joint.bent(q, v) + cross(J.omega, cross(J.omega, s) + 2.0 * s_dot)
    beta = np.concatenate([dcm_CJ @ bias, dcm_CJ @ turning + joint.turning(q, v, omega)])
    return omega, J.map.then(s, dcm_CJ), beta, np.vstack([dcm_CJ @ g, l_axes])


@shared
def posed(base: Space | Frame, T: Transfer, H, v):
    """The child's position and dcm in N, and its velocity in its own axes."""
    if isinstance(base, Space):  # a body with fixed origin that rotates
        base = Frame(np.zeros(3), base.dcm_NS, np.zeros(3), base.omega, np.zeros(0), np.zeros(0))
    velocity = (T.motion(base.speeds) + H @ v)[:3]
    return base.position_N + base.dcm_NB @ T.arm, base.dcm_NB @ T.dcm_CB.T, velocity


def accelerations(bodies: list[Moving], tree: Tree, v_dot) -> list[np.ndarray]:
    """A_i = (a, α, η̈) of every body from the speeds' rates v̇ (nv,), outward."""
    out: list[np.ndarray] = []
    for i, (body, link) in enumerate(zip(bodies, tree.links, strict=True)):
        inner = out[link.parent] if link.parent >= 0 else STILL
        out.append(_accelerated(body.T, inner, body.beta, body.H, v_dot[tree.joint_v[i]], v_dot[tree.mode_v[i]]))
    return out


@shared
def _accelerated(T, inner, beta, H, v_dot, eta_ddot):
    return np.concatenate([T.motion(inner) + beta + H @ v_dot, eta_ddot])
