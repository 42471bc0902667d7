"""A disc that rolls on its edge: steady precession in closed form, energy, and the plane tilted by an angle."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from tests.constraints.craft import balance, column, drift, run

M, R, IT, IA, G = 2.0, 0.4, 0.08, 0.16, 9.81  # mass, radius, moments of a uniform disc across and along its axis
BETA, X = 1.1, 1.5  # angle of the disc's axis from the vertical, radius of the circle that its centre runs on

DISC = """
name = "Coin"
[environment]
gravity = "uniform"
acceleration = [{gravity}]
[bodies.coin]
mass = {M}
inertia = [{IT}, {IT}, {IA}]
[bodies.coin.initial]
position = [{position}]
orientation = [0.0, {beta}, 0.0]
velocity = [{velocity}]
angular_velocity = [{omega}]
[couplings.ground]
kind = "rolling_disc"
a = "space"
b = "coin"
axis = [{normal}]
axis_b = "z"
radius = {R}
"""


def described(position, velocity, omega, gravity=(0.0, 0.0, -G), normal=(0.0, 0.0, 1.0)) -> str:
    texts = {name: ", ".join(f"{float(value)!r}" for value in values) for name, values in locals().items()}
    return DISC.format(M=M, R=R, IT=IT, IA=IA, beta=BETA, **texts)


def steady():
    """Ω and the start of a steady motion: the axis n = (sin β, 0, cos β) turns about the vertical at Ω, the disc about n at s.

    No slip at −R d, d = (−cos β, 0, sin β): s = −Ω (X/R + cos β). Torque about the centre of F = (−mΩ²X, 0, mg) = dH/dt gives
    Ω² = m g R cos β / (sin β [m R X + I_a X/R + I_t cos β]).
    """
    sine, cosine = np.sin(BETA), np.cos(BETA)
    turning = np.sqrt(M * G * R * cosine / (sine * (M * R * X + IA * X / R + IT * cosine)))
    spin = -turning * (X / R + cosine)
    across = turning * np.array([-sine, 0.0, cosine])  # Ω z in body axes
    return turning, described((X, 0.0, R * sine), (0.0, turning * X, 0.0), across + [0.0, 0.0, spin])


def test_steady_precession():
    """Centre on a circle at a constant height, axis at a constant angle, at the closed form's rate."""
    turning, text = steady()
    system, trajectory = run(text, 4.0, 41)
    place, t = column(system, trajectory, "coin.position"), trajectory.time
    circle = np.column_stack([X * np.cos(turning * t), X * np.sin(turning * t), np.full(len(t), R * np.sin(BETA))])
    assert np.max(np.abs(place - circle)) < 1e-8
    assert column(system, trajectory, "ground.force")[:, 2] == pytest.approx(M * G, rel=1e-9)


def test_wobbling_disc_keeps_its_energy():
    """Off the steady motion: no power at the contact, and the edge stays on the plane. 1e-10."""
    _, text = steady()
    system, trajectory = run(text.replace("[environment]", "[environment]", 1).replace("orientation = [0.0,", "orientation = [0.2,"), 2.0, 21)  # fmt: skip
    assert drift(balance(system, trajectory)) < 1e-10


def test_tilted_plane_is_gravity_tilted():
    """A plane of "space" whose normal leans by 0.3 rad: the same motion as on a level one under gravity that leans, turned."""
    lean, lie = 0.3, np.array([[np.cos(0.3), 0.0, np.sin(0.3)], [0.0, 1.0, 0.0], [-np.sin(0.3), 0.0, np.cos(0.3)]])
    start = (0.0, 0.0, R * np.sin(BETA)), (0.0, 0.3, 0.0), (0.0, 0.0, -0.75)
    leaning = described(*start, gravity=lie.T @ [0.0, 0.0, -G])
    level = described(lie @ start[0], lie @ start[1], start[2], normal=lie @ [0.0, 0.0, 1.0]).replace(f"{BETA}, 0.0]", f"{BETA + lean}, 0.0]")  # fmt: skip
    (first, a), (second, b) = (run(text, 1.0, 6) for text in (leaning, level))
    found, expected = column(second, b, "coin.position"), column(first, a, "coin.position") @ lie.T
    assert np.max(np.abs(found - expected)) < 1e-9


def test_a_disc_needs_its_axis():
    with pytest.raises(DescriptionError) as caught:
        load_text(steady()[1].replace('axis_b = "z"\n', ""))
    assert caught.value.problems == ["couplings.ground.axis_b is missing: a rolling_disc coupling has one"]
