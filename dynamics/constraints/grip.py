"""The ends of a coupling: places on bodies, in the axes of N, with their partial velocities.

Every coupling answers the same questions:

    parameters(), discretes(), outputs()      signals
    conditions(a, b, k)                       what holds while it is active, m rows
    active(d)                                 1 while its rows hold, else 0
    initial(a, b, k)                          discrete states at the start
    indicators(a, b, k, d, multipliers)       event indicators
    decide(g, k, d, rate)                     what an event changes
    note_loss(discretes, energy)              its discrete states after a jump that lost `energy` [J] in its rows
    output_values(a, b, multipliers)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.body import Node
from ..tree.kinematics import Moving, place_on


@dataclass(frozen=True)
class End:
    """Which node of which body; body −1 is space, where the node's position is in N."""

    body: int
    node: Node


@dataclass(frozen=True)
class Grip:
    """position, velocity, omega (3,) in N; rows (6, nv): (velocity, omega) = rows v; bias (6,): acceleration at v̇ = 0."""

    position: np.ndarray
    velocity: np.ndarray
    omega: np.ndarray
    dcm: np.ndarray
    rows: np.ndarray
    bias: np.ndarray


def grip(end: End, bodies: list[Moving], V, B, nv: int) -> Grip:
    """The end in motion. V, B: partial velocities and bias accelerations of all bodies (tree/kane.py)."""
    if end.body < 0:
        return Grip(end.node.position, np.zeros(3), np.zeros(3), np.eye(3), np.zeros((6, nv)), np.zeros(6))
    place = place_on(bodies[end.body], end.node)
    none = np.zeros((3, 3))
    to_N = np.block([[place.dcm_NP, none], [none, place.dcm_NP]])
    return Grip(
        position=place.position_N,
        velocity=place.dcm_NP @ place.velocity,
        omega=place.dcm_NP @ place.omega,
        dcm=place.dcm_NP,
        rows=to_N @ place.map @ V[end.body],
        bias=to_N @ (place.map @ B[end.body] + place.bias),
    )


@dataclass(frozen=True)
class Conditions:
    """What a coupling asks for, m rows: position residual, Jacobian G (m, nv), G v, and γ of G v̇ = γ."""

    residual: np.ndarray
    jacobian: np.ndarray
    rate: np.ndarray
    gamma: np.ndarray


@dataclass(frozen=True)
class Decision:
    """Outcome of an event at one coupling.

    discretes    its new discrete states
    due          1 if velocities have to jump because of it, else 0
    active       1 if its rows take part in a jump (its own or another coupling's)
    restitution  e: in a jump, G v⁺ = −e G v
    """

    discretes: np.ndarray
    due: object
    active: object
    restitution: object
