"""The built-in cantilever beam: textbook roots, orthogonality, finite elements, and a free hub with a beam."""

import numpy as np
import pytest

from spacefmu.dynamics.bodies.beam import Beam, beam_body, bending_roots, bending_shape, rod_roots
from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api
from tests.compare import relative
from tests.papers.beam_theory import finite_element_cantilever, hub_and_cantilever_roots

# R. D. Blevins, Formulas for Natural Frequency and Mode Shape (1979), table 8-1
CANTILEVER = [1.87510407, 4.69409113, 7.85475744, 10.99554073, 14.13716839]
CLAMPED_PINNED = [3.92660231, 7.06858275, 10.21017612]
CLAMPED_SLIDING = [2.36502037, 5.49780392, 8.63937983]
CLAMPED_CLAMPED = [4.73004074, 7.85320462, 10.99560784]
TIP = [(0.0, 0.0), (1.0, 0.0), (0.3, 0.05), (0.0, 0.2), (20.0, 3.0)]  # m/(ρL), J/(ρL³)


def test_bending_roots_of_the_plain_cantilever():
    """Blevins' eight decimals."""
    assert np.allclose(bending_roots(5), CANTILEVER, rtol=0.0, atol=6e-9)


def test_bending_roots_with_a_tip_mass_equal_to_the_beam():
    """Laura, Pombo & Susemihl, J. Sound Vib. 37 (1974) 161, mass ratio 1: 1.2479, 4.0311, 7.1341."""
    assert np.allclose(bending_roots(3, 1.0), [1.2479, 4.0311, 7.1341], rtol=0.0, atol=6e-5)


def test_bending_roots_with_extreme_tips():
    """Textbook limits: a heavy tip is a pin, a stubborn tip a slider, both a clamp; the first root then is β⁴ = 3/M."""
    huge = 1e9
    assert np.allclose(bending_roots(4, huge)[1:], CLAMPED_PINNED, rtol=0.0, atol=1e-8)
    assert np.allclose(bending_roots(4, 0.0, huge)[1:], CLAMPED_SLIDING, rtol=0.0, atol=1e-8)
    assert np.allclose(bending_roots(5, 1e4, 1e4)[2:], CLAMPED_CLAMPED, rtol=0.0, atol=3e-4)  # 1/1e4 left of the limit
    assert bending_roots(1, 1e4)[0] ** 4 == pytest.approx(
        3.0 / 1e4, rel=1e-4
    )  # 33/140 of the beam's mass left out: 2.4e-5


@pytest.mark.parametrize("mass, inertia", TIP)
def test_bending_roots_against_finite_elements(mass, inertia):
    """40 Hermite elements, first four roots. Measured 2e-6 relative, the elements' own error."""
    expected, _ = finite_element_cantilever(40, mass, inertia)
    assert relative(bending_roots(4, mass, inertia), expected) < 5e-6


def test_rod_roots():
    """(n − ½)π without a tip; β tan β = 1 with R = 1: Abramowitz & Stegun, table 4.20: 0.86033, 3.42562, 6.43730."""
    assert np.allclose(rod_roots(4), np.pi * (np.arange(4) + 0.5), rtol=0.0, atol=1e-14)
    assert np.allclose(rod_roots(3, 1.0), [0.86033, 3.42562, 6.43730], rtol=0.0, atol=6e-6)


@pytest.mark.parametrize("mass, inertia", TIP)
def test_bending_shapes(mass, inertia):
    """Clamped at the root, and the slope is the derivative of the shape: 8 modes. Measured 3e-15 at the root."""
    h = 1e-4
    for beta in bending_roots(8, mass, inertia):
        s = np.array([0.0, 0.37 - h, 0.37 + h, 1.0])
        w, slope = bending_shape(beta, inertia, s)
        middle = bending_shape(beta, inertia, np.array([0.37]))[1][0]
        assert abs(w[0]) < 1e-12
        assert abs(slope[0]) < 1e-11
        assert (w[2] - w[1]) / (2.0 * h) == pytest.approx(
            middle, abs=h * h * (1.0 + beta) ** 3
        )  # the difference quotient's own error


@pytest.mark.parametrize("mass, inertia", TIP)
def test_bending_modes_are_orthogonal(mass, inertia):
    """∫w_i w_j ds + M w_i w_j(1) + I w_i' w_j'(1) = 0 for i ≠ j, by Gauss quadrature of 100 points. Measured 9e-15."""
    s, weight = np.polynomial.legendre.leggauss(100)
    s, weight = (s + 1.0) / 2.0, weight / 2.0
    betas = bending_roots(8, mass, inertia)
    along = np.array([bending_shape(beta, inertia, s)[0] for beta in betas])
    tip = np.array([np.ravel(bending_shape(beta, inertia, np.ones(1))) for beta in betas])
    gram = (along * weight) @ along.T + mass * np.outer(tip[:, 0], tip[:, 0]) + inertia * np.outer(tip[:, 1], tip[:, 1])
    size = np.sqrt(np.diag(gram))
    assert relative(gram / np.outer(size, size), np.eye(8)) < 1e-12


LENGTH, DENSITY, EI_Y, EI_Z = 4.0, 2.5, 300.0, 700.0


def body(modes, **more):
    beam = Beam(
        LENGTH, DENSITY, bending_y=EI_Y, bending_z=EI_Z, torsion=90.0, axial=5e4, section_inertia=(0.1, 0.2), **more
    )
    return beam_body("beam", beam, modes, 0.0, {"tip": 1.0})


@pytest.mark.parametrize("kind, stiffness", [("bending_y", EI_Y), ("bending_z", EI_Z)])
def test_bending_frequencies_and_masses(kind, stiffness):
    """f = β²/2π √(EI/ρL⁴); modal masses and participation ∫φ dm against finite elements. Measured 8e-7."""
    beam = body({kind: 4})
    betas, shares = finite_element_cantilever(60)
    assert relative(beam.frequencies, betas**2 * np.sqrt(stiffness / (DENSITY * LENGTH**4)) / (2 * np.pi)) < 2e-6
    axis = {"bending_y": 1, "bending_z": 2}[kind]
    effective = beam.integrals_at_build.s1[axis] ** 2 / np.diag(beam.integrals_at_build.modal_mass) / (DENSITY * LENGTH)
    assert relative(effective, shares) < 2e-6


def test_effective_masses_of_many_modes():
    """Σ(∫φdm)²/μ tends to the mass: 0.613, 0.188, 0.065, 0.033 … (any text on modal analysis); 20 modes: 98 %."""
    beam = body({"bending_y": 20})
    effective = (
        beam.integrals_at_build.s1[1] ** 2 / np.diag(beam.integrals_at_build.modal_mass) / beam.integrals_at_build.mass
    )
    assert np.allclose(effective[:4], [0.613, 0.188, 0.065, 0.033], rtol=0.0, atol=6e-4)
    assert 0.978 < effective.sum() < 1.0


@pytest.mark.parametrize("tip", [{}, {"tip_mass": 3.0, "tip_inertia": (0.5, 0.2, 0.3)}])
def test_static_deflection(tip):
    """A force at the tip: Σφ²/(μΩ²) = L³/3EI, a moment: Σψ²/(μΩ²) = L/EI (Euler–Bernoulli). Measured, 20 modes: 5e-6 and 2 %; with the tip body 1e-8 and 2e-8.

    Holds with a tip body too: statics know no mass. The tip's inertia makes the moment's series converge faster.
    """
    beam = body({"bending_y": 20}, **tip)
    flexibility = 1.0 / (np.diag(beam.integrals_at_build.modal_mass) * (2 * np.pi * beam.frequencies) ** 2)
    shape, turn = beam.nodes["tip"].shape[1], beam.nodes["tip"].turn[2]
    assert np.sum(shape**2 * flexibility) == pytest.approx(LENGTH**3 / (3 * EI_Y), rel=1e-5)
    assert np.sum(turn**2 * flexibility) == pytest.approx(LENGTH / EI_Y, rel=0.03)


def test_torsion_and_axial():
    """f = (n − ½)/2 √(GJ/I_p)/L and √(EA/ρ)/L; half the beam's inertia and mass are modal (∫sin² = ½). Measured 2e-16."""
    n = np.array([0.5, 1.5, 2.5])
    torsion, axial = body({"torsion": 3}), body({"axial": 3})
    assert relative(torsion.frequencies, n / 2 * np.sqrt(90.0 / 0.3) / LENGTH) < 1e-13
    assert relative(np.diag(torsion.integrals_at_build.modal_mass), np.full(3, 0.5 * 0.3 * LENGTH)) < 1e-12
    assert relative(axial.frequencies, n / 2 * np.sqrt(5e4 / DENSITY) / LENGTH) < 1e-13
    assert relative(np.diag(axial.integrals_at_build.modal_mass), np.full(3, 0.5 * DENSITY * LENGTH)) < 1e-12


def test_rigid_part_of_the_integrals():
    """Mass, first moment and inertia of the undeformed beam with its tip body. Measured 3e-16."""
    beam = body({"bending_y": 1}, tip_mass=3.0, tip_inertia=(0.5, 0.2, 0.3)).integrals_at_build
    mass = DENSITY * LENGTH
    assert relative(beam.mass, mass + 3.0) < 1e-14
    assert relative(beam.first, [mass * LENGTH / 2 + 3.0 * LENGTH, 0.0, 0.0]) < 1e-14
    across = mass * LENGTH**2 / 3 + 3.0 * LENGTH**2
    assert (
        relative(beam.inertia, np.diag([0.3 * LENGTH + 0.5, across + 0.1 * LENGTH + 0.2, across + 0.2 * LENGTH + 0.3]))
        < 1e-14
    )


HUB = """
name = "HubBeam"
[bodies.hub]
mass = {mass}
inertia = [{inertia}, {inertia}, {inertia}]
[bodies.beam]
[bodies.beam.beam]
length = 4.0
mass = 10.0
bending_y = 300.0
modes = {{ bending_y = {modes} }}
[joints.root]
parent = "hub"
child = "beam"
place = [{offset}, 0.0, 0.0]
kind = "fixed"
"""


def test_integrals_of_orthogonal_shapes_are_zero_not_round_off():
    """Both planes bend in the same shapes: ∫φ_μ φ_k dm is the beam's quarter or nothing, and h⁴, without its part of H, is antisymmetric."""
    beam = Beam(8.0, 5.0, bending_y=5e3, bending_z=5e4)
    body = beam_body("beam", beam, {"bending_y": 6, "bending_z": 6}, 0.0, {}).integrals_at_build
    x, y, z = (body.h5[:, :, i, i] for i in range(3))
    assert np.count_nonzero(body.h4) == np.count_nonzero(x) == 12
    assert np.allclose(x, 10.0 * np.eye(12), rtol=0.0, atol=1e-12)
    assert np.array_equal(body.h4, -np.swapaxes(body.h4, 0, 1))
    assert np.count_nonzero(y) == np.count_nonzero(z) == 2 * 6 * 6  # foreshortening couples within a plane


def hub_frequencies(mass, inertia, offset, modes):
    """Angular frequencies of the elastic modes of the description's System, by its linear model at rest."""
    system = load_text(HUB.format(mass=mass, inertia=inertia, offset=offset, modes=modes))
    found = [abs(mode.pole) for mode in api.linearize(system).modes]
    return np.array([omega for omega in found if omega > 0.1])


@pytest.mark.parametrize("mass, inertia, offset", [(40.0, 12.0, 0.5), (4.0, 2.0, 0.0), (5.0, 0.5, 1.0)])
def test_free_hub_with_cantilever(mass, inertia, offset):
    """Clamped modes converge to the exact frequencies of the free system as their number grows, from above (Rayleigh).

    Measured errors of the first frequency with 1, 2, 4, 8 modes: 1.3e-2, 2.9e-4, 6.4e-6, 1.5e-7 (heavy hub),
    7.0e-2, 3.5e-4, 7.1e-7, 2.7e-8 (light hub), 8.2e-2, 1.2e-3, 2.6e-5, 5.8e-7 (light hub, beam 1 m outside).
    """
    exact = hub_and_cantilever_roots(2, mass / 10.0, inertia / (10.0 * 16.0), offset / 4.0) ** 2 * np.sqrt(
        300.0 / (2.5 * 4.0**4)
    )
    found = [hub_frequencies(mass, inertia, offset, modes) for modes in (1, 2, 4, 8)]
    errors = np.array([frequencies[0] / exact[0] - 1.0 for frequencies in found])
    assert np.all(errors > 0.0)
    assert np.all(errors[1:] < 0.1 * errors[:-1])
    assert errors[-1] < 1e-6
    assert found[-1][1] == pytest.approx(exact[1], rel=1e-4)
