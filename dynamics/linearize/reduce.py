"""From the Jacobian of a System to independent coordinates.

1. Quaternions become three small angles, δq = q̄ ∘ (0, ½δθ) in the body's axes: δx = P δs. As the point moves, P does too:
       δṡ = P⁺(A P − Ṗ) δs.   With ω that is δθ̇ = δω − ω × δθ, whose poles are those of a spinning body.
2. Everything that keeps the state on its manifold (closed loops, conditions on speeds) is a residual r(t, x) = 0. Allowed motions are the
   null space of R = ∂r/∂x P: r has φ(q, t) and G(q, t) v, so R includes ∂(Gv)/∂q. As many entries of s are chosen as it has dimensions, δs = N ξ, ξ = E δs with constant E and E N = 1:
       ξ̇ = E δṡ = E P⁺(A P − Ṗ) N ξ,      2(n − m_h) − m_n states, exact for motions too.
Proved by tests/linearize/test_reduce.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import quaternion_rate_matrix
from ..system.contract import System
from ..system.evaluate import Refused, project
from .energy import Posture, inertias
from .linear import Linear, VectorEntry

SINGULAR = 1e-6  # singular values of R by the largest: those above count
BESIDE = (
    1e-2,
    1e-3,
    1e-4,
)  # distance from the point at which the rank of the constraints is checked again: the accuracy of the manifold
WEAK = 1e-3  # a coordinate with a smaller share in a direction is not chosen for it
# fractions of the experiment's length at which Jacobians are compared to detect a time-varying model
LATER = (0.11, 0.37)
SAME = 1e-9


class NotLinearizable(ValueError):
    """The point has no linear model; the message says why."""


@dataclass(frozen=True)
class Jacobians:
    """x_dot (nx,), y (ny,), residual (m,) of all projections at a point, and their derivatives by x (A, C, R) and u (B, D, R_u)."""

    x_dot: np.ndarray
    y: np.ndarray
    residual: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    R: np.ndarray
    R_u: np.ndarray


Derivatives = Callable[..., Jacobians]  # of (t, x, u, k, d)


@dataclass(frozen=True)
class Chart:
    """δx = P δs (nx, ns) with its left inverse and its rate, and the names of the entries of s.

    speed_of: for each entry of s that is a coordinate, the entry that is its speed.
    """

    P: np.ndarray
    P_inverse: np.ndarray
    P_dot: np.ndarray
    entries: tuple[VectorEntry, ...]
    speed_of: dict[int, int]

    @staticmethod
    def at(system: System, x, x_dot, keep_quadratures: bool = False) -> Chart:
        """The chart around x; integrals on which nothing depends (work done) are left out."""
        states = system.signals.states
        attitudes = {attitude.quaternion: attitude for attitude in system.attitudes}
        columns: list = []  # (rows of x, P, P⁺, Ṗ) a block of s
        names: list = []
        where: dict[int, int] = {}
        i = 0
        while i < len(states):
            attitude = attitudes.get(i)
            size = 1 if attitude is None else 4
            if attitude is not None:
                T = quaternion_rate_matrix(x[i : i + 4])
                columns.append((slice(i, i + 4), T, 4.0 * T.T, quaternion_rate_matrix(x_dot[i : i + 4])))
                where |= {i + j: len(names) + j for j in range(3)}
                names += [VectorEntry(f"{attitude.name}.rotation[{j}]", "rad") for j in (1, 2, 3)]
            elif keep_quadratures or not states[i].quadrature:
                columns.append((slice(i, i + 1), np.eye(1), np.eye(1), np.zeros((1, 1))))
                where[i] = len(names)
                names.append(VectorEntry(states[i].name, states[i].unit))
            i += size
        P, P_inverse, P_dot = (
            np.zeros((len(x), len(names))),
            np.zeros((len(names), len(x))),
            np.zeros((len(x), len(names))),
        )
        at = 0
        for rows, block, inverse, rate in columns:
            span = slice(at, at + block.shape[1])
            P[rows, span], P_inverse[span, rows], P_dot[rows, span] = block, inverse, rate
            at = span.stop
        index = {state.name: n for n, state in enumerate(states)}
        speeds = {
            where[n]: where[index[s.derivative]]
            for n, s in enumerate(states)
            if n in where and index.get(s.derivative) in where
        }
        for attitude in system.attitudes:
            speeds |= {where[attitude.quaternion + j]: where[attitude.speed + j] for j in range(3)}
        return Chart(P, P_inverse, P_dot, tuple(names), speeds)


def linearized(system: System, derivatives: Derivatives, t, x, u, k, d) -> Linear:
    """The linear model about a point in independent coordinates. Its outputs are those of the System, then all of s, dependent ones too."""
    at = derivatives(t, x, u, k, d)
    if np.max(np.abs(at.R_u), initial=0.0) > 0.0:
        raise NotLinearizable(
            f"{system.name}: a constraint depends on an input; only constraints of states and time can be linearized"
        )
    chart = Chart.at(system, x, at.x_dot)
    N, chosen = _independent(chart, at.R)
    if N.shape[1] < len(N) and _rank_beside(system, derivatives, chart.P @ N, t, x, u, k, d) > len(N) - N.shape[1]:
        raise NotLinearizable(
            f"{system.name}: the constraints lose rank at this point (a singular configuration, as at a dead centre); take another point"
        )
    A, moved = chart.P_inverse @ (at.A @ chart.P - chart.P_dot), chart.P @ N
    posture = Posture.of(system, t, x, u, k, d)
    return Linear(
        name=system.name,
        A=A[chosen] @ N,
        B=(chart.P_inverse @ at.B)[chosen],
        C=np.vstack([at.C @ moved, N]),
        D=np.vstack([at.D, np.zeros((len(N), len(u)))]),
        states=tuple(chart.entries[i] for i in chosen),
        **_point(system, t, u, at, chart.entries, _values(chart, system, x)),
        x=_values(chart, system, x)[chosen],
        x_dot=(chart.P_inverse @ at.x_dot)[chosen],
        time_varying=_varies(system, derivatives, at, t, x, u, k, d),
        inertias={}
        if posture is None
        else {name: moved.T @ own @ moved for name, own in inertias(posture, len(x)).items()},
        picture=system.about.picture,
        point=_by_name(system.signals.states, x) | _by_name(system.signals.inputs, u),
        spread=_by_name(system.signals.states, moved),
    )


def _by_name(entries, values) -> dict:
    return {entry.name: value for entry, value in zip(entries, values, strict=True)}


def full(system: System, derivatives: Derivatives, t, x, u, k, d) -> Linear:
    """The plain Jacobian with all states, including quaternions, dependent coordinates and integrals. Outputs, then all states."""
    at = derivatives(t, x, u, k, d)
    states = tuple(VectorEntry(state.name, state.unit) for state in system.signals.states)
    varies = _varies(system, derivatives, at, t, x, u, k, d)
    C, D = np.vstack([at.C, np.eye(len(x))]), np.vstack([at.D, np.zeros((len(x), len(u)))])
    point = _point(system, t, u, at, states, x)
    return Linear(system.name, at.A, at.B, C, D, states, **point, x=np.array(x), x_dot=at.x_dot, time_varying=varies)


def _point(system: System, t, u, at: Jacobians, states, values) -> dict:
    signals = system.signals
    return {
        "inputs": tuple(VectorEntry(s.name, s.unit) for s in signals.inputs),
        "outputs": (*(VectorEntry(s.name, s.unit) for s in signals.outputs), *states),
        "time": float(t),
        "u": np.array(u),
        "y": np.concatenate([at.y, values]),
    }


def _values(chart: Chart, system: System, x):
    """The point in the entries of s: states unchanged, small angles zero."""
    index = {state.name: i for i, state in enumerate(system.signals.states)}
    return np.array([x[index[entry.name]] if entry.name in index else 0.0 for entry in chart.entries])


def _rank(R, P) -> int:
    """Of R P; a quaternion's row of R is orthogonal to its columns of P, and leaves round-off."""
    return int(np.linalg.matrix_rank(R @ P, tol=SINGULAR * np.max(np.abs(R)))) if R.size else 0


def _rank_beside(system: System, derivatives: Derivatives, tangent, t, x, u, k, d) -> int:
    """Rank of the constraints at a point of the manifold near x, along a direction that combines all tangents (nx, f)."""
    direction = tangent @ np.sqrt(np.arange(1.0, tangent.shape[1] + 1.0))
    for distance in BESIDE:
        try:
            beside = project(system, t, x + distance * direction / np.linalg.norm(direction), u, k, d)
        except Refused:
            continue
        at = derivatives(t, beside, u, k, d)
        return _rank(at.R, Chart.at(system, beside, at.x_dot).P)
    return len(x)  # the tangent has this direction, but no finite motion does


def _independent(chart: Chart, R):
    """N (ns, f) and the indices of the f entries on which it is the identity."""
    N = np.linalg.svd(R @ chart.P)[2][_rank(R, chart.P) :].T if R.size else np.eye(chart.P.shape[1])
    chosen = _pick(N, list(chart.speed_of), [])
    chosen = _pick(N, [chart.speed_of[i] for i in chosen], chosen)
    chosen = sorted(_pick(N, range(len(N)), chosen, weak=0.0))
    return N @ np.linalg.inv(N[chosen]), chosen


def _pick(N, among, chosen, weak=WEAK):
    """`chosen` and more rows of N (ns, f), each the farthest from the span of those before it, until f or none is strong."""
    chosen = list(chosen)
    while len(chosen) < N.shape[1]:
        left = N
        if chosen:
            basis = np.linalg.qr(N[chosen].T)[0]
            left = N - (N @ basis) @ basis.T
        sizes = {i: float(np.linalg.norm(left[i])) for i in among if i not in chosen}
        best = max(sizes, key=sizes.get, default=None)
        if best is None or sizes[best] <= weak:
            break
        chosen.append(best)
    return chosen


def _varies(system: System, derivatives: Derivatives, at: Jacobians, t, x, u, k, d) -> bool:
    """Whether the matrices change with time at the same x and u: an elliptic orbit, the Sun, a rotating magnetic field."""
    for share in LATER:
        later = derivatives(t + share * system.about.experiment["stop"], x, u, k, d)
        for a, b in ((at.A, later.A), (at.B, later.B), (at.x_dot, later.x_dot)):
            if np.max(np.abs(a - b), initial=0.0) > SAME * max(np.max(np.abs(a), initial=0.0), 1e-300):
                return True
    return False
