"""Slosh by Ritz's method: closed forms of the cylinder, and the sphere's frequencies of the literature."""

import numpy as np
import pytest
from scipy import special

from spacefmu.dynamics.tanks.slosh_modes import slosh_modes

ROOTS = (1.841183781340659, 5.331442773525033, 8.536316366346286)  # of J1'


@pytest.mark.parametrize("depth", [0.3, 1.0, 2.4])
def test_cylinder_as_in_the_handbook(depth):
    """SP-106 and Dodge: λ = ξ tanh(ξh/R)/R, m/m_liquid = 2 tanh(ξh/R)/((ξh/R)(ξ² − 1)), above the mass centre by h/2 − (2R/ξ) tanh(ξh/2R)."""
    R = 0.8
    for (mass, length, height), xi in zip(slosh_modes(lambda z: 0.0 * z + R, 0.0, depth, 2), ROOTS, strict=False):
        deep = np.tanh(xi * depth / R)
        assert length == pytest.approx(R / (xi * deep), rel=5e-4)
        assert mass == pytest.approx(np.pi * R**2 * depth * 2.0 * deep / (xi * depth / R * (xi**2 - 1.0)), rel=5e-4)
        assert height == pytest.approx(depth - 2.0 * R / xi * np.tanh(xi * depth / (2.0 * R)), abs=2e-3 * R)


@pytest.mark.parametrize("depth", [0.3, 1.0])
def test_handbook_by_quadrature(depth):
    """The same closed forms from the exact mode J1(ξr/R) cosh(ξz/R) by quadrature, without the handbook: roots of J1', L, m = X²/∫|∇Φ|², z = Y/X."""
    R, (nodes, weights) = 0.8, np.polynomial.legendre.leggauss(40)
    assert np.array(ROOTS) == pytest.approx(special.jnp_zeros(1, 3), rel=1e-13)
    r, z = 0.5 * R * (nodes + 1.0)[:, None], 0.5 * depth * (nodes + 1.0)[None, :]
    area = np.pi * np.outer(0.5 * R * weights, 0.5 * depth * weights) * r  # ∫cos²θ dθ = π
    for xi in ROOTS[:2]:
        k = xi / R
        phi, radial = special.jv(1, k * r) * np.cosh(k * z), k * special.jvp(1, k * r) * np.cosh(k * z)
        axial = k * special.jv(1, k * r) * np.sinh(k * z)
        energy = np.sum(area * (radial**2 + (phi / r) ** 2 + axial**2))
        surface = np.pi * np.sum(0.5 * R * weights * r[:, 0] * (special.jv(1, k * r[:, 0]) * np.cosh(k * depth)) ** 2)
        X, Y = np.sum(area * (radial + phi / r)), np.sum(area * (z * (radial + phi / r) - r * axial))
        deep = np.tanh(k * depth)
        assert surface / energy == pytest.approx(R / (xi * deep), rel=1e-10)
        assert X**2 / energy == pytest.approx(np.pi * R**3 * 2.0 * deep / (xi * (xi**2 - 1.0)), rel=1e-10)
        height = Y / X
        assert height == pytest.approx(depth - 2.0 * R / xi * np.tanh(0.5 * k * depth), rel=1e-10)


# McIver, J. Fluid Mech. 201 (1989): ω²R/g of the first antisymmetric mode in a sphere over the depth over the radius. Typed from memory;
# test_sphere_by_harmonics computes all nine anew.
MCIVER = {
    0.2: 1.0723,
    0.4: 1.1583,
    0.6: 1.2625,
    0.8: 1.3924,
    1.0: 1.5602,
    1.2: 1.7882,
    1.4: 2.1232,
    1.6: 2.6864,
    1.8: 3.9595,
}


@pytest.mark.parametrize(("depth", "frequency"), MCIVER.items())
def test_sphere_as_in_the_literature(depth, frequency):
    (_, length, _), *_ = slosh_modes(lambda z: np.sqrt(np.maximum(1.0 - z * z, 0.0)), -1.0, depth - 1.0, 1)
    assert 1.0 / length == pytest.approx(frequency, rel=5e-4)


def harmonics(r, z, count):
    """ρᵏ P_k¹(z/ρ) for k = 1 … count, which times cos θ solve Laplace's equation, and their slopes over r and z: each (points, count).

    k H_{k+1} = (2k + 1) z H_k − (k + 1) ρ² H_{k−1}, from H_1 = r and H_2 = 3 r z.
    """
    rr = r * r + z * z
    H, R, Z = [r, 3.0 * r * z], [1.0 + 0.0 * r, 3.0 * z], [0.0 * r, 3.0 * r]
    for k in range(2, count):
        a, b = (2 * k + 1) / k, (k + 1) / k
        R.append(a * z * R[-1] - b * (rr * R[-2] + 2.0 * r * H[-2]))
        Z.append(a * (H[-1] + z * Z[-1]) - b * (rr * Z[-2] + 2.0 * z * H[-2]))
        H.append(a * z * H[-1] - b * rr * H[-2])
    return (np.array(each).T for each in (H, R, Z))


def first_frequency(depth, count=40):
    """ω²R/g in a unit sphere by Trefftz's method: λ = ∮Φ ∂Φ/∂n dS / ∫_surface Φ²dS over functions that solve Laplace's equation; no volume integral."""
    x, w = np.polynomial.legendre.leggauss(2 * count)
    level = depth - 1.0
    wide, opening = np.sqrt(1.0 - level**2), np.arccos(-level)
    angle = 0.5 * (x + 1.0) * opening
    r, z = np.sin(angle), -np.cos(angle)
    H, R, Z = harmonics(r, z, count)
    A = (H * (0.5 * opening * w * r)[:, None]).T @ (R * r[:, None] + Z * z[:, None])
    r = 0.5 * (x + 1.0) * wide
    H, _, Z = harmonics(r, level + 0.0 * r, count)
    weighted = H * (0.5 * wide * w * r)[:, None]
    A, B = A + weighted.T @ Z, weighted.T @ H
    size = 1.0 / np.sqrt(np.diag(A))
    A, B = 0.5 * (A + A.T) * np.outer(size, size), B * np.outer(size, size)
    energies, modes = np.linalg.eigh(A)
    kept = energies > 1e-13 * energies[-1]
    T = modes[:, kept] / np.sqrt(energies[kept])
    return 1.0 / np.linalg.eigvalsh(T.T @ B @ T)[-1]


@pytest.mark.parametrize(("depth", "frequency"), MCIVER.items())
def test_sphere_by_harmonics(depth, frequency):
    """Another method, with another set of functions, gives McIver's values to the printed digits (at 1.8, where it converges slowly, to 1e-4)."""
    assert first_frequency(depth) == pytest.approx(frequency, abs=6e-5 if depth < 1.7 else 4e-4)


def test_a_little_liquid_in_a_sphere_is_a_pendulum_of_the_radius():
    """As the fill vanishes all of it swings about the centre."""
    depth, R = 0.02, 1.0
    (mass, length, height), *_ = slosh_modes(lambda z: np.sqrt(np.maximum(R * R - z * z, 0.0)), -R, depth - R, 1)
    assert length == pytest.approx(R, rel=0.01)
    assert mass == pytest.approx(np.pi * depth**2 * (R - depth / 3.0), rel=0.02)
    assert height == pytest.approx(-R, abs=0.02)
