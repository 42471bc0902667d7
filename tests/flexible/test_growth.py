"""Equations of a beam that extends against sums over points of material, which keep their distance from the tip."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.bodies.beam import beam_body, bending_roots, bending_shape
from spacefmu.dynamics.bodies.equations import (
    body_equations,
    deformed_first_moment,
    deformed_inertia,
    first_moment_gradient,
    momenta,
    rate_coupling,
)
from spacefmu.dynamics.bodies.extending_beam import extending_beam
from spacefmu.dynamics.bodies.integrals import Integrals
from spacefmu.dynamics.bodies.properties import Beam
from spacefmu.dynamics.joints.axis import Axis, AxisLaw
from spacefmu.dynamics.joints.extension import EXTENSION
from spacefmu.dynamics.joints.forces import AxesForces
from spacefmu.dynamics.system.signals import Bag, SignalTable

BEAM = Beam(length=4.0, line_density=0.5, bending_y=3.0, bending_z=5.0, section_inertia=(0.001, 0.002))
MODES = {"bending_y": 2, "bending_z": 1}


def boom(drum_mass=None):
    axis = AxesForces((Axis("boom.extends", "", EXTENSION, AxisLaw(), ""),), "boom.extends")
    return extending_beam("boom", BEAM, MODES, np.zeros(3), np.eye(3), ["tip"], axis, (2.5, 0.0), drum_mass)


def integrals(body) -> Integrals:
    table = SignalTable(parameters=tuple(body.parameters()))
    return body.integrals(Bag(table, "parameters", np.array(table.starts("parameters"))))


class Material:
    """Points of the beam at ξ (P,), straight from the shapes: places and derivatives by (L, η) of material, to second order in η."""

    def __init__(self, count=60):
        s, w = np.polynomial.legendre.leggauss(count)
        self.s, self.w = 0.5 * (s + 1.0), 0.5 * w
        inner, weight = 0.5 * (s + 1.0), 0.5 * w
        rows = []
        for kind, k in MODES.items():
            for beta in bending_roots(k):
                rows.append((beta**2 * np.sqrt(getattr(BEAM, kind)), 1 if kind == "bending_y" else 2, beta))
        rows.sort()
        N = len(rows)

        def at(s):
            phi, slope = np.zeros((N, len(s), 3)), np.zeros((N, len(s), 3))
            for i, (_, axis, beta) in enumerate(rows):
                phi[i, :, axis], slope[i, :, axis] = bending_shape(beta, 0.0, s)
            return phi, slope

        self.phi, self.slope = at(self.s)
        self.H = np.zeros((N, N, count))
        for p, xi in enumerate(self.s):
            _, slope = at(inner * xi)
            self.H[:, :, p] = -np.einsum("p,mpi,npi->mn", weight * xi, slope, slope)

    def place(self, L, eta):
        x = self.s * L + 0.5 * np.einsum("mnp,m,n->p", self.H, eta, eta) / L
        return np.einsum("mpi,m->pi", self.phi, eta) + np.outer(x, [1, 0, 0])

    def gradient(self, L, eta):
        """(P, 3, 1+N)."""
        e1 = np.array([1.0, 0, 0])
        by_eta = np.moveaxis(self.phi, 0, 2) + np.einsum("mnp,m,i->pin", self.H, eta, e1) / L
        dH = -np.einsum("mpi,npi->mnp", self.slope, self.slope)
        Gamma = (1.0 - self.s) * dH - self.H
        along = 1.0 + 0.5 * np.einsum("mnp,m,n->p", Gamma, eta, eta) / L**2
        by_L = np.outer(along, e1) + np.einsum("p,mpi,m->pi", (1.0 - self.s) / L, self.slope, eta)
        return np.concatenate([by_L[:, :, None], by_eta], axis=2)

    def mass_matrix(self, L, eta, drum_mass):
        """∫VᵀV dm of what is out, V = [E, −ζ~, ∂ζ/∂e]; then the point at the origin, and the sections."""
        zeta, D = self.place(L, eta), self.gradient(L, eta)
        V = np.concatenate(
            [np.broadcast_to(np.eye(3), (len(zeta), 3, 3)), -np.cross(zeta[:, None, :], np.eye(3)).swapaxes(1, 2), D],
            axis=2,
        )
        M = np.einsum("p,pia,pib->ab", BEAM.line_density * L * self.w, V, V)
        stowed = BEAM.line_density * (BEAM.length - L)
        M[:3, :3] += stowed * np.eye(3)
        if drum_mass is not None:
            M[6, 6] += stowed + drum_mass
        M[3:6, 3:6] += np.diag([BEAM.polar_inertia, *BEAM.section_inertia]) * BEAM.length
        return M


@pytest.mark.parametrize("drum_mass", [None, 0.3])
def test_kinetic_energy_to_second_order(drum_mass):
    """Half of wᵀMw differs from the sum over material by the third order in (η, η̇): 8 times less for half the bending."""
    rng, body = np.random.default_rng(3), integrals(boom(drum_mass))
    material, L = Material(), 2.3
    eta, eta_dot, rest = rng.normal(size=3), rng.normal(size=3), rng.normal(size=7)
    left = []
    for size in (1e-2, 5e-3):
        w = np.concatenate([rest, size * eta_dot])
        M, _ = body_equations(body, w[3:6], np.array([L, *(size * eta)]), w[6:])
        ours = 0.5 * momenta(body, M, w) @ w
        exact = 0.5 * w @ material.mass_matrix(L, size * eta, drum_mass) @ w
        assert np.allclose(M.matrix @ w, momenta(body, M, w), rtol=1e-14, atol=1e-14)
        assert abs(ours - exact) < 1e-4 * exact
        left.append(abs(ours - exact))
    assert left[1] < left[0] / 7.0


@pytest.mark.parametrize("drum_mass", [None, 0.3])
def test_bias_is_hamels(drum_mass):
    """b against central differences of the momenta Mw: ṗ + ω×p (and v×p), less ∂T/∂e; a = v̇ + ω×v."""
    rng, body = np.random.default_rng(4), integrals(boom(drum_mass))
    e, w, h = np.array([2.3, *(0.3 * rng.normal(size=3))]), rng.normal(size=10), 1e-5

    def p(e):
        return momenta(body, body_equations(body, w[3:6], e, w[6:])[0], w)

    v, omega, e_dot = w[:3], w[3:6], w[6:]
    M, b = body_equations(body, omega, e, e_dot)
    frame = np.concatenate([np.cross(omega, p(e)[:3]), np.cross(omega, p(e)[3:6]) + np.cross(v, p(e)[:3])])
    slopes = [0.5 * (w @ p(e + h * row) - w @ p(e - h * row)) / (2 * h) for row in np.eye(4)]
    exact = (p(e + h * e_dot) - p(e - h * e_dot)) / (2 * h) + np.concatenate([frame, -np.array(slopes)])
    a = np.concatenate([np.cross(omega, v), np.zeros(7)])
    assert np.allclose(momenta(body, M, a) + b, exact, rtol=1e-8, atol=1e-8)


def test_first_moment_and_inertia():
    """Of material, and their slopes, which gravity takes, by central differences."""
    rng, body, material = np.random.default_rng(5), integrals(boom()), Material()
    e, h = np.array([2.3, *(0.01 * rng.normal(size=3))]), 1e-6
    zeta, dm = material.place(e[0], e[1:]), BEAM.line_density * e[0] * material.w
    assert np.allclose(deformed_first_moment(body, e), dm @ zeta, rtol=1e-13, atol=1e-15)
    K, S = rate_coupling(body, e), first_moment_gradient(body, e)
    for i, row in enumerate(np.eye(4)):
        J = [deformed_inertia(body, e + sign * h * row) for sign in (1, -1)]
        c = [deformed_first_moment(body, e + sign * h * row) for sign in (1, -1)]
        assert np.allclose((J[0] - J[1]) / (2 * h), K[i] + K[i].T, atol=1e-8)
        assert np.allclose((c[0] - c[1]) / (2 * h), S[:, i], atol=1e-8)


def test_constant_length_is_the_beam():
    """At constant length: the beam of that length with its own modes of the same shapes, and a point at its root."""
    rng, L = np.random.default_rng(6), 2.3
    body = integrals(boom())
    short = Beam(L, BEAM.line_density, BEAM.bending_y, BEAM.bending_z)
    plain = beam_body("short", short, MODES, 0.0, {}).integrals_at_build
    eta, eta_dot, omega = 0.1 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    M, b = body_equations(body, omega, np.array([L, *eta]), np.array([0.0, *eta_dot]))
    N, c = body_equations(plain, omega, eta, eta_dot)
    kept = [0, 1, 2, 3, 4, 5, 7, 8, 9]
    expected = N.matrix + 0.0
    expected[:3, :3] += BEAM.line_density * (BEAM.length - L) * np.eye(3)
    sections = np.diag([BEAM.polar_inertia, *BEAM.section_inertia]) * BEAM.length
    expected[3:6, 3:6] += sections
    c = c + np.concatenate([np.zeros(3), np.cross(omega, sections @ omega), np.zeros(3)])
    assert np.allclose(M.matrix[np.ix_(kept, kept)], expected, rtol=1e-13, atol=1e-14)
    assert np.allclose(b[kept], c, rtol=1e-13, atol=1e-14)


def test_tip():
    """The tip's velocity and acceleration at ë = 0 by central differences of its place."""
    rng, node, h = np.random.default_rng(7), boom().nodes["tip"], 1e-4
    e, rate = np.array([2.3, *(0.2 * rng.normal(size=3))]), rng.normal(size=4)
    at = node.swept(None, e, rate)

    def place(t):
        return node.position + node.displacement(e + t * rate)

    def turn(t):
        return node.swept(None, e + t * rate, rate).section

    assert np.allclose(at.r, place(0.0), rtol=1e-14)
    assert np.allclose(at.S @ rate, (place(h) - place(-h)) / (2 * h), atol=1e-7)
    assert np.allclose(at.bias, (place(h) - 2 * place(0.0) + place(-h)) / h**2, atol=1e-6)
    R, R_dot = turn(0.0).R, (turn(h).R - turn(-h).R) / (2 * h)
    spin = R_dot @ R.T
    assert np.allclose([spin[2, 1], spin[0, 2], spin[1, 0]], at.section.sigma, atol=1e-7)
    assert np.allclose(at.section.Q @ rate, at.section.sigma, rtol=1e-13)
    assert np.allclose((turn(h).sigma - turn(-h).sigma) / (2 * h), at.section.spin_bias, atol=1e-6)
