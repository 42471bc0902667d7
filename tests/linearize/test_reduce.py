"""Linear models in independent coordinates: textbook frequencies, spinning bodies, loops against minimal coordinates, orbits."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.linearize.reduce import NotLinearizable, full, linearized
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.environment.craft import MU, A, craft, orbit
from tests.natural.test_first_order import ARM, LOOP


def model(text, time=0.0, reduce=linearized):
    system = load_text(text) if isinstance(text, str) else text
    x, u, k, d = start(system)
    return reduce(system, ExactDerivatives(system), time, x, u, k, d)


def frequencies(linear):
    """Angular frequencies [rad/s] of the oscillations, ascending."""
    return np.array([abs(mode.pole) for mode in linear.modes if mode.pole.imag > 0.0])


SPINNER = """
name = "Spinner"
[bodies.hub]
mass = 10.0
inertia = [3.0, 3.5, 5.0]
forces_at = ["frame"]
[bodies.hub.initial]
angular_velocity = [0.0, 0.0, 0.7]
orientation = [0.3, -0.2, 0.5]
"""


def test_a_spinning_body_nutates():
    """Poles of δω: ±i Ω √((C−A)(C−B)/(AB)); of δθ̇ = δω − Ω×δθ: ±i Ω and 0. No false pole from the quaternion's length."""
    linear = model(SPINNER)
    assert len(linear.A) == 12
    spin, a, b, c = 0.7, 3.0, 3.5, 5.0
    expected = sorted([spin, spin * np.sqrt((c - a) * (c - b) / (a * b))])
    np.testing.assert_allclose(frequencies(linear), expected, rtol=1e-12)
    assert (
        max(mode.pole.real for mode in linear.modes) < 1e-7
    )  # zeros of multiplicity eight: round-off to the power 1/2
    assert {state.name for state in linear.states} >= {"hub.rotation[1]", "hub.angular_velocity[3]", "hub.position[2]"}
    torque = [signal.name for signal in linear.inputs].index("hub.torque[2]")
    speed = [state.name for state in linear.states].index("hub.angular_velocity[2]")
    assert linear.B[speed, torque] == pytest.approx(1.0 / b, rel=1e-14)


def test_against_differences_of_the_motion():
    """A and B of FlexibleSatellite-like bodies: full Jacobian against central differences of ẋ, to 1e-7 of the largest entry."""
    system = load_text(SPINNER + BOOM)
    x, u, k, d = start(system)
    exact = full(system, ExactDerivatives(system), 0.0, x, u, k, d)
    h = 1e-6
    columns = [
        (motion(system, 0.0, x + h * e, u, k, d)[0] - motion(system, 0.0, x - h * e, u, k, d)[0]) / (2.0 * h)
        for e in np.eye(len(x))
    ]
    np.testing.assert_allclose(exact.A, np.array(columns).T, atol=1e-7 * np.max(np.abs(exact.A)))


BOOM = """
[bodies.boom.beam]
length = 4.0
mass = 2.0
bending_y = 30.0
bending_z = 50.0
modes = { bending_y = 2, bending_z = 1 }
[bodies.boom]
damping = 0.01
[joints.root]
parent = "hub"
child = "boom"
kind = "revolute"
axis = "z"
stiffness = 3.0
"""

# A four-bar of rods under gravity, hinged at O and C (x = 0 and 2 m), and what it is with one coordinate: see below.
FOUR_BAR = """
name = "FourBar"
[environment]
gravity = "uniform"
acceleration = [0.0, -9.81, 0.0]
[bodies.crank]
mass = 1.0
mass_center = [0.0, -0.5, 0.0]
inertia = [0.0833, 0.0001, 0.0833]
[bodies.coupler]
mass = 2.0
mass_center = [1.0, 0.0, 0.0]
inertia = [0.0001, 0.6667, 0.6667]
[bodies.rocker]
mass = 1.0
mass_center = [0.0, -0.5, 0.0]
inertia = [0.0833, 0.0001, 0.0833]
[joints.o]
parent = "space"
child = "crank"
kind = "revolute"
axis = "z"
drive = "torque"
[joints.a]
parent = "crank"
child = "coupler"
kind = "revolute"
axis = "z"
place = [0.0, -1.0, 0.0]
[joints.c]
parent = "space"
child = "rocker"
kind = "revolute"
axis = "z"
place = [2.0, 0.0, 0.0]
[couplings.b]
kind = "revolute"
a = "coupler"
b = "rocker"
place_a = [2.0, 0.0, 0.0]
place_b = [0.0, -1.0, 0.0]
"""


def test_a_loop_has_one_degree_of_freedom():
    """A parallelogram that hangs: 2 states; (2 J_O + m l²) θ̈ = −(2 m_r l/2 + m l) g θ, the coupler moves without turning."""
    linear = model(FOUR_BAR)
    assert len(linear.A) == 2
    inertia = 2.0 * (0.0833 + 0.25) + 2.0
    np.testing.assert_allclose(frequencies(linear), [np.sqrt((2.0 * 0.5 + 2.0) * 9.81 / inertia)], rtol=1e-10)
    torque = [signal.name for signal in linear.inputs].index("o.torque")
    assert np.max(np.abs(linear.B[:, torque])) == pytest.approx(1.0 / inertia, rel=1e-10)


def test_a_loop_in_motion():
    """Off equilibrium and moving: A of the loop equals the variation of its own one-coordinate motion, by differences along the manifold."""
    text = FOUR_BAR.replace("place = [2.0, 0.0, 0.0]\n[coup", "place = [2.2, -0.1, 0.0]\n[coup").replace(
        'drive = "torque"', 'drive = "torque"\ninitial = { position = 0.6, rate = 1.3 }'
    )
    system = load_text(text)
    x, u, k, d = start(system)
    linear = linearized(system, ExactDerivatives(system), 0.0, x, u, k, d)
    names = [state.name for state in linear.states]
    assert len(names) == 2
    index = [system.signals.where("states", name) for name in names]
    others = [i for i in range(len(x)) if i not in index]
    derivatives = ExactDerivatives(system)

    def rates(shift):
        """Rates of the chosen states with these moved by shift (2,) and the others put back onto the manifold by Newton's method."""
        moved = x.copy()
        moved[index] = x[index] + shift
        for _ in range(6):
            at = derivatives(0.0, moved, u, k, d)
            moved[others] = moved[others] - np.linalg.lstsq(at.R[:, others], at.residual)[0]
        assert np.max(np.abs(at.residual)) < 1e-13
        return motion(system, 0.0, moved, u, k, d)[0][index]

    h = 1e-5
    found = np.array([(rates(h * e) - rates(-h * e)) / (2.0 * h) for e in np.eye(2)]).T
    np.testing.assert_allclose(linear.A, found, atol=1e-6 * np.max(np.abs(found)))
    np.testing.assert_allclose(linear.x_dot, rates(np.zeros(2)), rtol=1e-12)


def test_a_dead_centre_is_refused():
    """The parallelogram stretched flat: crank and coupler in line, where the constraints lose rank."""
    flat = FOUR_BAR.replace("mass_center = [0.0, -0.5, 0.0]", "mass_center = [0.5, 0.0, 0.0]").replace(
        "place = [0.0, -1.0, 0.0]", "place = [1.0, 0.0, 0.0]").replace("place_b = [0.0, -1.0, 0.0]", "place_b = [1.0, 0.0, 0.0]")  # fmt: skip
    with pytest.raises(NotLinearizable, match="lose rank"):
        model(flat)


def test_libration_on_a_circular_orbit():
    """Pitch n√(3(I_roll − I_yaw)/I_pitch), and the roll–yaw quartic (Hughes, section 9.3); a constant A. x is yaw, y roll, z pitch."""
    yaw, roll, pitch = 40.0, 90.0, 100.0
    text = f"[bodies.hub]\nmass = 50.0\ninertia = [{yaw}, {roll}, {pitch}]\n"
    linear = model(craft(orbit(inclination=0.5), text))
    n = np.sqrt(MU / A**3)
    k_roll, k_yaw = (pitch - yaw) / roll, (pitch - roll) / yaw
    # s⁴ + (1 + 3k_R + k_R k_Y) n² s² + 4 k_R k_Y n⁴ = 0
    b, c = 1.0 + 3.0 * k_roll + k_roll * k_yaw, 4.0 * k_roll * k_yaw
    roots = [np.sqrt((b + sign * np.sqrt(b * b - 4.0 * c)) / 2.0) for sign in (-1.0, 1.0)]
    expected = sorted([n, n, n * np.sqrt(3.0 * (roll - yaw) / pitch), *(n * root for root in roots)])
    found = frequencies(linear)  # with the orbit's own: n twice, along and across the track
    np.testing.assert_allclose(found, expected, rtol=2e-6)  # size over radius, (m/7e6 m)² and the double root
    assert not linear.time_varying
    assert np.max(np.abs(linear.x_dot)) < 1e-11


def test_an_elliptic_orbit_is_time_varying():
    linear = model(craft(orbit(eccentricity=0.08), "[bodies.hub]\nmass = 50.0\ninertia = [40.0, 90.0, 100.0]\n"))
    assert linear.time_varying


def test_wheels_and_cables():
    """A taut cable takes one degree of freedom (two states), a wheel adds its speed; slack ones take none."""
    text = """
name = "Pair"
[bodies.a]
mass = 2.0
inertia = [1.0, 1.0, 1.0]
[bodies.b]
mass = 3.0
inertia = [1.0, 2.0, 2.0]
[bodies.b.initial]
position = [{distance}, 0.0, 0.0]
velocity = [0.0, {speed}, 0.0]
[wheels.x]
body = "a"
axis = "x"
spin_inertia = 0.1
[cables.line]
a = "a"
b = "b"
length = 5.0
"""
    assert len(model(text.format(distance=5.0, speed=0.5)).A) == 23
    assert len(model(text.format(distance=4.0, speed=0.0)).A) == 25


@pytest.mark.parametrize("text", [ARM, LOOP], ids=["tree", "loop"])
def test_natural_coordinates_have_the_poles_of_the_tree(text):
    """Points and vectors instead of angles, at rest on springs: as many states, the same frequencies, the same answer to a torque."""
    sprung = text.replace('axis = "z"\n', 'axis = "z"\nstiffness = 7.0\ndrive = "torque"\n', 1)
    sprung = sprung.replace("initial = { position =", "rest = 0.3\ninitial = { position =", 1).replace(
        "position = 1.5", "position = 0.3", 1
    )
    natural, tree = model(sprung), model(sprung.replace('formulation = "natural"', ""))
    assert len(natural.A) == len(tree.A)
    np.testing.assert_allclose(frequencies(natural), frequencies(tree), rtol=1e-8)
    assert len(frequencies(tree)) == 1
    driven = next(state.name for state in tree.states if state.name in ("shoulder.rate", "a.rate"))
    answers = [linear.B[[state.name for state in linear.states].index(driven), 0] for linear in (natural, tree)]
    assert answers[0] == pytest.approx(answers[1], rel=1e-9)
