"""Beams in segments for the tests: a description, static equilibria by Newton's method on the engine's own accelerations, closed forms."""

from __future__ import annotations

import numpy as np
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

from spacefmu.dynamics.algebra.rotation import rotation_vector, skew
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives


def clamped(beam: str, segments: int, more: str = "", joint: str = 'kind = "fixed"') -> str:
    """A beam of length 1 and mass 1 along x on a joint in space, with a force input at its tip."""
    return f"""
name = "Clamped"
[bodies.boom]
beam = {{ length = 1.0, mass = 1.0, axis = "x", segments = {segments}, {beam} }}
nodes = {{ tip = 1.0 }}
forces_at = ["tip"]
{more}
[joints.root]
{joint}
parent = "space"
child = "boom"
"""


class Static:
    """A System on floats whose speeds are zero: accelerations of its coordinates under inputs, and where they vanish."""

    def __init__(self, text: str):
        self.system = load_text(text)
        self.derivatives = ExactDerivatives(self.system)
        self.k = evaluate.constants(self.system, self.system.signals.starts("parameters"))
        span = self.system.signals.layouts["states"]
        self.q, self.v = span["coordinates"], span["speeds"]
        self.x = np.array(self.system.signals.starts("states"))
        self.unloaded = np.eye(3)  # dcm of the tip's section

    def inputs(self, **given) -> np.ndarray:
        u = np.zeros(self.system.nu)
        for name, value in given.items():
            u[self.system.signals.where("inputs", f"boom.tip.{name}")] = value
        return u

    def jacobian(self, u, dead=None):
        """v̇ and ∂v̇/∂q under inputs u, which follow the tip, and a force `dead` (3,) at the tip that keeps its direction in N.

        Of the latter the input is f = R₀ᵀ exp(−θ~) F, so ∂f/∂q = f~ R₀ᵀ Γᵀ ∂θ/∂q with θ the output `rotation`, R₀ the unloaded tip's dcm.
        """
        where = self.system.signals.where
        force, turned = where("inputs", "boom.tip.force"), where("outputs", "boom.tip.rotation")
        if dead is None:
            found = self.derivatives(0.0, self.x, u, self.k, np.zeros(0))
            return found.x_dot[self.v], found.A[self.v, self.q]
        y = evaluate.motion(self.system, 0.0, self.x, u, self.k, np.zeros(0))[1]
        R, gamma, _ = rotation_vector(y[turned], np.zeros(3))
        u = u.copy()
        u[force] = self.unloaded.T @ R.T @ dead
        found = self.derivatives(0.0, self.x, u, self.k, np.zeros(0))
        change = skew(u[force]) @ self.unloaded.T @ gamma.T @ found.C[turned][:, self.q]
        return found.x_dot[self.v], found.A[self.v, self.q] + found.B[self.v][:, force] @ change

    def settle(self, u=None, dead=None, steps: int = 10, passes: int = 30):
        """The equilibrium under u and a dead load, in steps of both from none; outputs there."""
        u = np.zeros(self.system.nu) if u is None else u
        for share in np.arange(1, steps + 1) / steps:
            for _ in range(passes):
                rates, J = self.jacobian(share * u, None if dead is None else share * np.array(dead))
                change = np.linalg.solve(J, -rates)
                self.x[self.q] += change
                if np.max(np.abs(change)) < 1e-13:
                    break
        assert np.max(np.abs(change)) < 1e-10
        y = evaluate.motion(self.system, 0.0, self.x, u, self.k, np.zeros(0))[1]
        return {name: y[self.system.signals.where("outputs", f"boom.tip.{name}")] for name in ("position", "rotation")}

    def stiffness(self, dead) -> float:
        """The smallest eigenvalue of −∂v̇/∂q under a dead load: zero where the beam buckles."""
        return float(np.min(np.linalg.eigvals(-self.jacobian(np.zeros(self.system.nu), np.array(dead))[1]).real))


def elastica(load: float) -> tuple[float, float, float]:
    """Tip (x, y) and slope of a cantilever of length and EI 1 under a tip load across it (Bisshopp, Drucker, 1945).

    p² = (1 + sin θ)/2, sin φ = 1/(p√2):  √P = K(p) − F(φ, p),  y = 1 − 2[E(p) − E(φ, p)]/√P,  x = √(2 sin θ/P).
    """

    def missing(theta):
        m = 0.5 * (1.0 + np.sin(theta))
        return ellipk(m) - ellipkinc(np.arcsin(1.0 / np.sqrt(2.0 * m)), m) - np.sqrt(load)

    low, high = 1e-9, 0.5 * np.pi - 1e-12
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if missing(middle) < 0.0 else (low, middle)
    m = 0.5 * (1.0 + np.sin(low))
    phi = np.arcsin(1.0 / np.sqrt(2.0 * m))
    across = 1.0 - 2.0 * (ellipe(m) - ellipeinc(phi, m)) / np.sqrt(load)
    return float(np.sqrt(2.0 * np.sin(low) / load)), float(across), float(low)
