"""Brute force: mass points whose positions are functions of coordinates, and Lagrange's equations by automatic differentiation.

Nothing here comes from `dynamics`: rotations are derived again, and no inertia integral, partial velocity or recursion
appears. A model adds coordinates, writes its positions with them and lists points:

    T = ½ Σ m |ṙ|² + ½ Σ wᵀ J w,     d/dt ∂T/∂q̇ − ∂T/∂q = −∂V/∂q − ∂D/∂q̇ + Σ (∂r/∂q)ᵀ F

An attitude is R = R₀ exp(θ̃) with the chart θ around the present R₀: always evaluated at θ = 0, where θ̇ = ω (body axes)
and θ̈ = ω̇, so there are true coordinates and no singular attitude.
"""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp


def tilde(a):
    return ca.vertcat(ca.horzcat(0, -a[2], a[1]), ca.horzcat(a[2], 0, -a[0]), ca.horzcat(-a[1], a[0], 0))


def exponential(theta, terms=10):
    """exp(θ̃) = E + Aθ̃ + Bθ̃² with A = Σ(−s)ⁿ/(2n+1)!, B = Σ(−s)ⁿ/(2n+2)!, s = θ·θ: ten terms are exact for |θ| ≤ 1."""
    s = ca.dot(theta, theta)
    a = sum((-s) ** n / math.factorial(2 * n + 1) for n in range(terms))
    b = sum((-s) ** n / math.factorial(2 * n + 2) for n in range(terms))
    return ca.SX.eye(3) + a * tilde(theta) + b * tilde(theta) @ tilde(theta)


def turn(axis, angle):
    """Rotation about a unit vector, E cos + ã sin + a aᵀ(1 − cos)."""
    a = ca.DM(np.asarray(axis, float))
    return ca.cos(angle) * ca.SX.eye(3) + ca.sin(angle) * tilde(a) + (1 - ca.cos(angle)) * (a @ a.T)


def of_quaternion(q):
    """(w² − x·x) E + 2 x xᵀ + 2 w x̃."""
    w, x = q[0], q[1:4]
    return (w * w - ca.dot(x, x)) * ca.SX.eye(3) + 2 * x @ x.T + 2 * w * tilde(x)


def vee(a):
    """The vector of an antisymmetric matrix."""
    return ca.vertcat(a[2, 1], a[0, 2], a[1, 0])


def _turning(inertia, theta, omega, dot):
    """Energy, and angular momentum in body axes, of a small body turned by exp(θ̃) in a body that turns at ω.

    Its energy ½wᵀJw, w = Rᵀω + (RᵀṘ)∨, is expanded in a factor s before θ, and cut off behind s²; the momentum is ∂/∂ω of that.
    """
    s, w_body = ca.SX.sym("s"), ca.SX.sym("w", 3)
    R = exponential(s * theta, 3)
    w = R.T @ w_body + vee(R.T @ dot(R))
    orders = [0.5 * ca.dot(w, inertia @ w)]
    for n in (1, 2):
        orders.append(ca.jacobian(orders[-1], s) / n)
    energy = ca.substitute(sum(orders), s, 0)
    return ca.substitute(energy, w_body, omega), ca.substitute(ca.gradient(energy, w_body), w_body, omega)


class PointModel:
    """Coordinates, points, spins and energies of one system; `rates` gives the time derivative of (q, v)."""

    def __init__(self):
        self.kinds, self.q, self.base = [], [], []
        self.points, self.spins, self.forces = [], [], []
        self.potential = self.dissipation = ca.SX(0)

    # ---- coordinates, in the order of the state

    def plain(self, count):
        """`count` ordinary coordinates, as a column."""
        symbol = ca.SX.sym("q", count)
        self.kinds += ["plain"] * count
        self.q.append(symbol)
        return symbol

    def attitude(self):
        """The matrix of an attitude that the state holds as a quaternion, scalar first."""
        theta, base = ca.SX.sym("theta", 3), ca.SX.sym("base", 4)
        self.kinds.append("attitude")
        self.q.append(theta)
        self.base.append(base)
        return of_quaternion(base) @ exponential(theta, 2)  # third derivatives never appear

    # ---- matter and energies

    def add_points(self, origin, dcm, positions, masses, shapes=None, eta=None):
        """Points of one body: r = origin + dcm (ρ + Σ φ_μ η_μ); shapes (N, P, 3)."""
        for i, (rho, mass) in enumerate(zip(positions, masses, strict=True)):
            place = ca.SX(ca.DM(rho))
            for mu in range(0 if shapes is None else len(shapes)):
                place = place + ca.DM(shapes[mu][i]) * eta[mu]
            self.points.append((origin + dcm @ place, float(mass)))

    def add_spin(self, dcm, inertia, turn, eta):
        """A nodal inertia J that turns by exp((ψη)~) in its body; turn (N, 3). Its energy is kept to second order in (η, η̇)."""
        self.spins.append((dcm, ca.DM(inertia), turn, eta))

    def add_force(self, place, force):
        """A force at a place, both SX in N."""
        self.forces.append((place, force))

    # ---- equations

    def equations(self) -> ca.Function:
        """(base, q, q̇) → M, h of M q̈ + h = 0, momentum, angular momentum about N's origin, kinetic and potential energy."""
        q, base = ca.vertcat(*self.q), ca.vertcat(*self.base, ca.SX(0, 1))
        rate = ca.SX.sym("rate", q.numel())

        def dot(expression):
            return ca.reshape(ca.jtimes(ca.vec(expression), q, rate), *expression.shape)

        velocities = [(r, dot(r), m) for r, m in self.points]
        energy = sum(0.5 * m * ca.dot(v, v) for _, v, m in velocities)
        momentum = sum((m * v for _, v, m in velocities), ca.SX(3, 1))
        angular = sum((m * ca.cross(r, v) for r, v, m in velocities), ca.SX(3, 1))
        for dcm, inertia, turns, eta in self.spins:
            spin = dcm.T @ dot(dcm)
            own_energy, own_angular = _turning(inertia, ca.DM(turns).T @ eta, vee(spin), dot)
            energy, angular = energy + own_energy, angular + dcm @ own_angular
        conjugate = ca.gradient(energy, rate)
        loads = sum((ca.jtimes(place, q, force, True) for place, force in self.forces), ca.SX(q.numel(), 1))
        dissipation = ca.substitute(self.dissipation, q, rate)  # written with q standing for q̇
        bias = (
            ca.jtimes(conjugate, q, rate)
            - ca.gradient(energy, q)
            + ca.gradient(self.potential, q)
            + ca.gradient(dissipation, rate)
            - loads
        )
        results = [ca.jacobian(conjugate, rate), bias, momentum, angular, energy, self.potential]
        return ca.Function("lagrange", [base, q, rate], results, {"cse": True})

    def split(self, state):
        """State (q with quaternions, v) → base quaternions, chart coordinates, rates."""
        base, chart, i = [], [], 0
        for kind in self.kinds:
            if kind == "plain":
                chart.append(state[i])
                i += 1
            else:
                base += list(state[i : i + 4])
                chart += [0.0] * 3
                i += 4
        return np.array(base), np.array(chart), state[i : i + len(chart)]

    def rates(self, function, state):
        """d/dt of (q, v)."""
        base, chart, v = self.split(state)
        M, h = function(base, chart, v)[:2]
        v_dot = np.linalg.solve(np.array(M), -np.array(h).ravel())
        q_dot, i, b = [], 0, 0
        for kind in self.kinds:
            if kind == "plain":
                q_dot.append(v[i])
                i += 1
            else:
                w, x, y, z = base[b : b + 4]
                a, c, e = v[i : i + 3]
                q_dot += [
                    0.5 * (-x * a - y * c - z * e),
                    0.5 * (w * a + y * e - z * c),
                    0.5 * (w * c + z * a - x * e),
                    0.5 * (w * e + x * c - y * a),
                ]
                i, b = i + 3, b + 4
        return np.concatenate([q_dot, v_dot])

    def trajectory(self, state, times, rtol=1e-12, atol=1e-13):
        """States at the times, (n, nq + nv)."""
        function = self.equations()
        found = solve_ivp(
            lambda t, s: self.rates(function, s), (times[0], times[-1]), state, "DOP853", times, rtol=rtol, atol=atol
        )
        assert found.success, found.message
        return found.y.T
