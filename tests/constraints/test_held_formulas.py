"""Conditions φ(q, t) = 0 held as positions (constraints/condition.py): against couplings, relations and conditions on speeds."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import balance, column, run

BEAD = """
name = "Bead"
[bodies.bead]
mass = 2.0
inertia = [0.1, 0.1, 0.1]
[joints.table]
parent = "space"
child = "bead"
kind = "general"
translations = ["x", "y"]
initial = { position = [1.0, 0.0], rate = [0.0, 0.7] }
[environment]
gravity = "uniform"
acceleration = [0.0, -1.5, 0.0]
"""
CIRCLE = '[conditions.ring]\nposition = "table.position[1]**2 + table.position[2]**2 - radius**2"\nconstants = { radius = 1.0 }\n'
GROWING = '[conditions.ring]\nposition = "sqrt(table.position[1]**2 + table.position[2]**2) - 1 - 0.2*sin(time)"\n'
ARMS = """
name = "Arms"
[bodies.hub]
mass = 50.0
inertia = [9.0, 8.0, 7.0]
initial = { angular_velocity = [0.1, -0.2, 0.15] }
[bodies.left]
mass = 3.0
mass_center = [0.4, 0.0, 0.0]
inertia = [0.02, 0.2, 0.2]
[joints.a]
parent = "hub"
child = "left"
kind = "revolute"
axis = "y"
place = [0.5, 0.0, 0.0]
initial = { position = 0.3, rate = 0.4 }
[bodies.right]
mass = 4.0
mass_center = [-0.4, 0.1, 0.0]
inertia = [0.03, 0.2, 0.2]
[joints.b]
parent = "hub"
child = "right"
kind = "revolute"
axis = "z"
place = [-0.5, 0.0, 0.0]
initial = { position = 0.15, rate = 0.2 }
"""


def names(system):
    return [state.name for state in system.signals.states]


def test_a_bead_on_a_ring_is_a_pendulum():
    """x² + y² = r² against φ̈ = −(g/r) sin φ in closed form: the energy, the place on the ring, and its reaction."""
    system, trajectory = run(BEAD + CIRCLE, 4.0)
    x = trajectory.x
    assert np.max(np.abs(np.hypot(x[:, 0], x[:, 1]) - 1.0)) < 1e-10
    energy = 0.5 * (x[:, 2] ** 2 + x[:, 3] ** 2) + 1.5 * x[:, 1]
    assert np.max(np.abs(energy - energy[0])) < 1e-8
    multiplier = column(system, trajectory, "ring.multiplier")
    centripetal = 2.0 * (x[:, 2] ** 2 + x[:, 3] ** 2) / 1.0 - 2.0 * 1.5 * x[:, 1]  # force towards the centre
    np.testing.assert_allclose(-multiplier * 2.0, centripetal, atol=1e-7)  # ∇φ = 2r


def test_a_ring_that_breathes_does_work():
    """∂φ/∂t: power −λ ∂φ/∂t is in system.work, and the energy balance holds."""
    system, trajectory = run(BEAD + GROWING, 4.0)
    assert np.ptp(column(system, trajectory, "system.work")) > 0.05
    assert np.ptp(balance(system, trajectory)) < 1e-9
    radius = np.hypot(trajectory.x[:, 0], trajectory.x[:, 1])
    np.testing.assert_allclose(radius, 1.0 + 0.2 * np.sin(trajectory.time), atol=1e-10)


def test_a_linear_formula_is_a_relation():
    relation = "[relations.gear]\nterms = { a = 1.0, b = -2.0 }\n"
    formula = '[conditions.gear]\nposition = "a.angle - 2*b.angle"\n'
    both = [load_text(ARMS + more) for more in (relation, formula)]
    rates = [motion(system, 0.0, *start(system))[0] for system in both]
    np.testing.assert_allclose(rates[0], rates[1], atol=1e-13)


def test_gradients_are_tangent_to_unit_quaternions():
    """A formula in the hub's quaternion: γ and rows against central differences along the motion, floats = symbols."""
    more = '[conditions.look]\nposition = "hub.quaternion[2]*hub.quaternion[3] + 0.1*a.angle - 0.03 - 0.01*time**2"\n'
    system = load_text(ARMS + more)
    x, u, k, d = start(system)
    rates, _, _ = motion(system, 0.2, x, u, k, d)
    quick = motion(fast(system), 0.2, x, u, k, d)[0]
    np.testing.assert_allclose(rates, quick, atol=1e-13)
    places = [names(system).index(f"hub.quaternion[{i}]") for i in (2, 3)] + [names(system).index("a.angle")]

    def phi_rate(t, x):
        q_dot = motion(system, t, x, u, k, d)[0]
        (i, j, a) = places
        return x[i] * q_dot[j] + q_dot[i] * x[j] + 0.1 * q_dot[a] - 0.02 * t

    h = 1e-5
    change = (phi_rate(0.2 + h, x + h * rates) - phi_rate(0.2 - h, x - h * rates)) / (2.0 * h)
    assert abs(change) < 1e-8  # φ̈ = 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('position = "a.angle**2"', "conditions.gear.position does not change with any motion at the start"),
        (
            'position = "a.angle"\nterms = { "a.rate" = 1.0 }',
            "conditions.gear has both terms and position, expected one of them",
        ),
        ("constants = { c = 1.0 }", "conditions.gear has neither terms nor position, expected one of them"),
        ('position = "a.angle"\ndrift = 1.0', "conditions.gear.drift"),
    ],
)
def test_refusals(text, sentence):
    with pytest.raises(DescriptionError, match=sentence.replace(".", r"\.")):
        load_text(ARMS.replace("position = 0.3", "position = 0.0") + f"[conditions.gear]\n{text}\n")
