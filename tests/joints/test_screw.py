"""Screw joints from descriptions, against closed forms: (J + m h²) θ̈ = τ − c θ̇ − k θ − m g h, h = pitch/2π, the mass centre on the axis."""

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast

MASS, SPIN, PITCH, GRAVITY = 3.0, 0.02, -0.5, 9.81  # kg, kg m², m (a left-handed thread), m/s²
LEAD = PITCH / (2.0 * np.pi)
TEXT = f"""
name = "Nut"

[environment]
gravity = "uniform"
acceleration = [0.0, 0.0, {-GRAVITY}]

[bodies.nut]
mass = {MASS}
mass_center = [0.0, 0.0, 0.1]
inertia = [0.03, 0.03, {SPIN}]

[joints.spindle]
parent = "space"
child = "nut"
kind = "screw"
axis = "z"
pitch = {PITCH}
stiffness = 0.3
damping = 0.05
drive = "torque"
reaction = true
initial = {{ position = 0.4, rate = 1.5 }}
"""


def test_its_acceleration_is_the_closed_form():
    system = load_text(TEXT)
    x, u, k, d = start(system)
    u[system.signals.where("inputs", "spindle.torque")] = torque = 0.7
    x_dot, y, _ = motion(system, 0.0, x, u, k, d)
    expected = (torque - 0.05 * 1.5 - 0.3 * 0.4 - MASS * GRAVITY * LEAD) / (SPIN + MASS * LEAD**2)
    assert x_dot[system.signals.where("states", "spindle.rate")] == pytest.approx(expected, rel=1e-12)
    where = y[system.signals.where("outputs", "nut.position")]
    np.testing.assert_allclose(where, [0.0, 0.0, LEAD * 0.4], atol=1e-15)


def test_it_swings_as_the_closed_form_and_keeps_its_energy():
    """Free of damping it swings about θ₀ = −m g h/k at ω = √(k/(J + m h²)); 20 s in compiled steps."""
    system = load_text(TEXT.replace("damping = 0.05\n", ""))
    times = np.linspace(0.0, 20.0, 41)
    run = integrate(fast(system), times)
    omega, rest = np.sqrt(0.3 / (SPIN + MASS * LEAD**2)), -MASS * GRAVITY * LEAD / 0.3
    expected = rest + (0.4 - rest) * np.cos(omega * times) + 1.5 / omega * np.sin(omega * times)
    found = run.x[:, system.signals.where("states", "spindle.angle")]
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.max(np.abs(expected)))
    energy = sum(
        run.y[:, system.signals.where("outputs", f"system.{kind}_energy")] for kind in ("kinetic", "potential")
    )
    np.testing.assert_allclose(energy, energy[0], rtol=0.0, atol=1e-10 * np.max(np.abs(energy)))


def test_natural_coordinates_refuse_it_by_name():
    with pytest.raises(DescriptionError, match="joint spindle can't be made of shared points and vectors"):
        load_text(TEXT.replace('name = "Nut"', 'name = "Nut"\nformulation = "natural"'))
