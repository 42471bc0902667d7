"""[jin1991] (31)–(35), inertia forces, in the corrected forms of docs/theory/jin1991.md: the engine computes what they say.

Every integral is a sum over mass points here; vectors of one body in its own axes.
"""

import itertools

import numpy as np
import pytest

from spacefmu.dynamics.bodies.equations import bias, deformed_first_moment, mass_matrix, rate_coupling
from spacefmu.dynamics.tree.kane import kane_equations
from tests.compare import relative
from tests.papers.jin_tree import A_NOW, BODIES, MODES, NOW, TABLES, TREE, V_ALL, V_DOT


def in_motion(i):
    """Body i's points in its own axes: m, ζ, u̇, ü, φ; and ω, ω̇, R̈ in the same axes."""
    rho, mass, phi, _, _ = TABLES[i]
    eta, rate, double = NOW[i].eta, NOW[i].eta_dot, V_DOT[TREE.mode_v[i]]
    zeta, u_dot, u_ddot = rho + np.tensordot(eta, phi, 1), np.tensordot(rate, phi, 1), np.tensordot(double, phi, 1)
    return mass, zeta, u_dot, u_ddot, phi, NOW[i].omega, A_NOW[i][3:6], A_NOW[i][:3]


def local_acceleration(i):
    """ζ̈ of every point relative to the origin of i, absolute derivative in body axes, the bracket of (9)."""
    _, zeta, u_dot, u_ddot, _, w, w_dot, _ = in_motion(i)
    return u_ddot + np.cross(w_dot, zeta) + 2.0 * np.cross(w, u_dot) + np.cross(w, np.cross(w, zeta))


def test_equation_31():
    """Generalized inertia forces of all speeds: M v̇ + h of the engine is the paper's sum over bodies. Measured 2e-16."""
    residual = [bias(b.integrals, b.omega, b.eta, b.eta_dot) for b in NOW]
    M, h, _ = kane_equations(TREE, NOW, residual)
    total = np.zeros(TREE.nv)
    for p, i in itertools.product(range(TREE.nv), BODIES):
        mass, zeta, u_dot, u_ddot, phi, w, w_dot, R_ddot = in_motion(i)
        V, omega, eta = np.split(V_ALL[i][:, p], [3, 6])
        V_eta = np.tensordot(eta, phi, 1)  # V_p^η at every point
        relative_to_origin = local_acceleration(i)
        m_i, first = mass.sum(), mass @ zeta
        H_dot = mass @ np.cross(zeta, relative_to_origin)
        D = sum(m * ((z @ f) * np.eye(3) - np.outer(z, f)) for m, z, f in zip(mass, zeta, V_eta, strict=True))  # (35)
        total[p] += (m_i * R_ddot + mass @ relative_to_origin) @ V + (H_dot + np.cross(first, R_ddot)) @ omega
        total[p] += (
            R_ddot @ (mass @ V_eta) + w_dot @ (mass @ np.cross(zeta, V_eta)) + 2.0 * w @ (mass @ np.cross(u_dot, V_eta))
        )
        total[p] += mass @ np.einsum("pi,pi->p", u_ddot, V_eta) - w @ D @ w
    assert relative(M @ V_DOT + h, total) < 1e-13


@pytest.mark.parametrize("i", BODIES)
def test_equation_32(i):
    """m l_i and m l̈_i (absolute): first moment, and the force row of the body alone at R̈ = 0. Measured 3e-16."""
    mass, zeta, *_ = in_motion(i)
    integrals = NOW[i].integrals
    assert relative(deformed_first_moment(integrals, NOW[i].eta), mass @ zeta) < 1e-14
    assert relative(_own_rows(i)[:3], mass @ local_acceleration(i)) < 1e-13


def _own_rows(i):
    """M A + b of body i alone with its origin at rest, R̈ = 0."""
    b = NOW[i]
    A = np.concatenate([np.zeros(3), A_NOW[i][3:]])
    return mass_matrix(b.integrals, b.eta) @ A + bias(b.integrals, b.omega, b.eta, b.eta_dot)


def equation_33(i, transposed=True):
    """Ḣ_i from the integrals h¹ … h⁶; `transposed` False: as printed."""
    turned = (lambda h: h.T) if transposed else (lambda h: h)
    _, _, _, _, _, w, w_dot, _ = in_motion(i)
    o = NOW[i].integrals
    eta, rate, double = NOW[i].eta, NOW[i].eta_dot, V_DOT[TREE.mode_v[i]]
    h6 = np.trace(o.h5, axis1=-2, axis2=-1)[..., None, None] / 2.0 * np.eye(3) - o.h5  # (φ·φ)E − h⁵, tr h⁵ = 2 φ·φ
    total = o.inertia @ w_dot + np.cross(w, o.inertia @ w)
    for mu in range(MODES[i]):
        h2 = o.h3[mu] + o.h3[mu].T
        total = (
            total
            + o.h1[mu] * double[mu]
            + h2 @ w_dot * eta[mu]
            + 2.0 * turned(o.h3[mu]) @ w * rate[mu]
            + np.cross(w, h2 @ w) * eta[mu]
        )
        for k in range(MODES[i]):
            total = total + o.h4[mu, k] * eta[mu] * double[k] + o.h5[mu, k] @ w_dot * eta[mu] * eta[k]
            total = (
                total
                + 2.0 * turned(o.h5[mu, k]) @ w * eta[mu] * rate[k]
                - np.cross(w, h6[mu, k] @ w) * eta[mu] * eta[k]
            )
    return total


@pytest.mark.parametrize("i", BODIES)
def test_equation_33(i):
    """Ḣ_i: the corrected form, the sum over points, and the torque row of the engine are one. Measured 6e-16."""
    mass, zeta, *_ = in_motion(i)
    by_points = mass @ np.cross(zeta, local_acceleration(i))
    assert relative(equation_33(i), by_points) < 1e-13
    assert relative(_own_rows(i)[3:6], by_points) < 1e-13


def test_equation_33_as_printed_is_wrong():
    """Without the two transposes: error of 9 % here, against 1e-15."""
    assert relative(equation_33(1, transposed=False), equation_33(1)) > 0.05


@pytest.mark.parametrize("i", BODIES)
def test_equation_34(i):
    """I, h¹, h³, h⁴, h⁵ (h² and h⁶ follow) as sums over points, entry by entry. Measured 5e-16."""
    rho, mass, phi, _, _ = TABLES[i]
    o, eye = TREE.links[i].body.integrals_at_build, np.eye(3)

    def spread(a, b):
        return sum(m * ((x @ y) * eye - np.outer(x, y)) for m, x, y in zip(mass, a, b, strict=True))

    assert relative(o.inertia, spread(rho, rho)) < 1e-14
    for mu in range(MODES[i]):
        assert relative(o.h1[mu], mass @ np.cross(rho, phi[mu])) < 1e-13
        assert relative(o.h3[mu], spread(rho, phi[mu])) < 1e-14
        for k in range(MODES[i]):
            assert relative(o.h4[mu, k], mass @ np.cross(phi[mu], phi[k]), floor=1.0) < 1e-14
            assert relative(o.h5[mu, k], spread(phi[mu], phi[k])) < 1e-14
            assert o.modal_mass[mu, k] == pytest.approx(mass @ np.sum(phi[mu] * phi[k], axis=1), abs=1e-14)  # tr h⁶


@pytest.mark.parametrize("i", BODIES)
def test_equation_35(i):
    """D of mode k: ∫[(ζ·φ_k)E − ζφ_kᵀ]dm at the deformed place. Measured 4e-16."""
    mass, zeta, _, _, phi, *_ = in_motion(i)
    for k, D in enumerate(rate_coupling(NOW[i].integrals, NOW[i].eta)):
        expected = sum(m * ((z @ f) * np.eye(3) - np.outer(z, f)) for m, z, f in zip(mass, zeta, phi[k], strict=True))
        assert relative(D, expected) < 1e-14
