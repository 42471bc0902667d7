"""The cantilever plate: textbook frequencies, convergence to a beam, stiffening in all rows."""

import numpy as np
import pytest
from scipy.linalg import eigvals

from spacefmu.dynamics.bodies.equations import bias
from spacefmu.dynamics.bodies.plate import Plate, isotropic, plate_body
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from tests.laws.balance import assert_laws

# ω L² √(ρh/D) of a square cantilever plate, ν = 0.3. Leissa (J. Sound Vib. 31, 1973) gives upper bounds 3.4917, 8.5246,
# 21.429, 27.331, 31.111, 54.443 by the Ritz method with beam functions, at most 0.6 % above the converged values.
LEISSA = np.array([3.4917, 8.5246, 21.429, 27.331, 31.111, 54.443])


def unit(width=1.0, modes=6, poisson=0.3, **more):
    return plate_body("plate", Plate(1.0, width, width, isotropic(1.0, poisson)), modes, {"tip": (1.0, 0.0)}, **more)


def test_square_plate_frequencies():
    """Below Leissa's upper bounds and within 0.7 % of them (measured 0.58 % at most, the first)."""
    found = 2.0 * np.pi * unit().frequencies
    assert np.all(found < LEISSA)
    assert np.allclose(found, LEISSA, rtol=7e-3)


def test_narrow_plate_is_a_beam():
    """ν = 0, width L/20: first bending frequencies of the cantilever beam, β₁² = 3.5160 and β₂² = 22.034, to 1e-4."""
    found = 2.0 * np.pi * unit(0.05, 2, 0.0).frequencies
    assert np.allclose(found, [3.51602, 22.0345], rtol=1e-4)


def test_modes_are_orthogonal_and_nodes_fit():
    """Off-diagonal modal mass 1e-10 (measured 7e-16); the tip node moves as the first mode's largest value, 1."""
    body = unit()
    size = np.sqrt(np.diag(body.integrals_at_build.modal_mass))
    assert np.max(np.abs(body.integrals_at_build.modal_mass / np.outer(size, size) - np.eye(6))) < 1e-10
    assert body.integrals_at_build.mass == pytest.approx(1.0, rel=1e-12)
    assert body.nodes["tip"].shape[2, 0] == pytest.approx(
        1.0, abs=0.01
    )  # anticlastic: corners and middle differ slightly


def test_many_points_are_asked_for_at_once():
    """`near` of all points together gives the nodes at each of them; a point beside the plate gets the nearest place."""
    body = unit(axes=np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    inside = np.array([[0.0, 0.31, -0.2], [0.0, 1.0, 0.5], [0.0, 0.0, 0.0]])
    places, moved, turned = body.nodes.near(np.vstack([inside, [0.2, 1.3, 0.1]]))
    assert places == pytest.approx(np.vstack([inside, [0.0, 1.0, 0.1]]), abs=1e-12)
    for i, point in enumerate(inside):
        node = body.nodes.at(point)
        assert np.allclose(moved[:, i].T, node.shape, rtol=0.0, atol=1e-12)
        assert np.allclose(turned[:, i].T, node.turn, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("speed, flap", [(2.0, 4.137), (6.0, 7.360), (12.0, 13.17)])
def test_spinning_narrow_plate_is_a_spinning_beam(speed, flap):
    """ν = 0, width L/20, spinning about its normal: bending out of the plane of rotation is the beam's flap, to 0.5 % (measured 0.04 %)."""
    body = unit(0.05, 6, 0.0)
    n, omega = body.modes, np.array([0.0, 0.0, speed])
    rest = bias(body.integrals_at_build, omega, np.zeros(n), np.zeros(n))[6:]
    columns = [bias(body.integrals_at_build, omega, e, np.zeros(n))[6:] - rest for e in np.eye(n)]
    angular = 2.0 * np.pi * body.frequencies
    stiffness = np.diag(np.diag(body.integrals_at_build.modal_mass) * angular**2) + np.array(columns).T
    assert np.sqrt(np.min(np.real(eigvals(stiffness, body.integrals_at_build.modal_mass)))) == pytest.approx(
        flap, rel=5e-3
    )


SPINNER = """
name = "PlateSpinner"
[bodies.hub]
mass = 20.0
inertia = [3.0, 4.0, 5.0]
initial = { velocity = [0.1, 0.0, -0.05], angular_velocity = [0.3, -0.2, 1.0] }
[bodies.panel]
nodes = { corner = [1.0, 0.5] }
initial = { amplitudes = [0.1, 0.05, -0.02] }
[bodies.panel.plate]
length = 2.0
width = 1.2
mass = 3.0
bending = 12.0
modes = 3
[joints.root]
parent = "hub"
child = "panel"
kind = "revolute"
axis = "y"
place = [0.4, 0.0, 0.1]
[bodies.load]
mass = 0.3
inertia = [0.05, 0.05, 0.05]
[joints.corner]
parent = "panel.corner"
child = "load"
kind = "revolute"
axis = "x"
"""


def test_energy_and_momentum_of_a_stiffened_plate():
    """A tumbling hub with a hinged plate that carries a body on its corner, stiffening on: 1e-10 asked (measured 6e-14)."""
    system = fast(load_text(SPINNER))
    run = integrate(system, np.linspace(0.0, 5.0, 6))
    assert np.abs(run.x[:, system.signals.where("states", "panel.mode[1].amplitude")]).max() > 0.05
    assert_laws(system, run)
