"""[stroe] 3: two bodies on a cable about a circular orbit. The paper's planar equations (corrected), and the general engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import approx_fprime

from spacefmu.dynamics.description import load, load_text
from spacefmu.dynamics.environment.planet import MU_EARTH
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.tether.stroe_pair import Body, TetheredPair, accelerations, constraint, curvature, gradient
from tests.constraints.craft import column, drift, run

RADIUS = 10.5e6
N = np.sqrt(MU_EARTH / RADIUS**3)
PAIR = TetheredPair(
    Body(5000.0, 291666.667, 250000.0, 291666.667),
    Body(20000.0, 4666666.667, 4000000.0, 4666666.667),
    10.0,
    20.0,
    500.0,
    N,
)
CATALOGUE = Path("fmu_src/catalogue/TetheredPair.toml")


def test_gradient_and_curvature_belong_to_the_constraint():
    """∂Φ/∂q and q̇ᵀΦ''q̇ against differences of Φ, [stroe] (40)."""
    rng = np.random.default_rng(4)
    q = np.array([424.0, 3.0, 0.2, 106.0, 0.1, -0.3])
    q_dot = rng.normal(size=6) * np.array([1.0, 0.01, 0.1, 1.0, 0.01, 0.1])
    np.testing.assert_allclose(
        gradient(PAIR, q), approx_fprime(q, lambda s: constraint(PAIR, s), 1e-6), rtol=1e-4, atol=0.5
    )  # measured 0.04
    h = 1e-3
    second = (constraint(PAIR, q + h * q_dot) - 2.0 * constraint(PAIR, q) + constraint(PAIR, q - h * q_dot)) / h**2
    np.testing.assert_allclose(curvature(PAIR, q, q_dot), second, rtol=1e-5)  # measured 4e-07


def frequency(times, angle):
    """Of a small oscillation about zero, from its upward crossings (linear between samples far denser than it needs)."""
    up = np.flatnonzero((angle[:-1] < 0.0) & (angle[1:] >= 0.0))
    crossings = times[up] - angle[up] * (times[up + 1] - times[up]) / (angle[up + 1] - angle[up])
    return 2.0 * np.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])


def test_small_libration_of_the_papers_equations():
    """Point masses (attachments at the mass centres): √3 n in the plane, to four digits."""
    points = TetheredPair(Body(5000.0, 1.0, 1.0, 1.0), Body(20000.0, 1.0, 1.0, 1.0), 0.0, 0.0, 530.0, N)
    angle = 1e-3
    start = np.array([424.0, np.pi + angle, 0.0, 106.0, angle, 0.0, *np.zeros(6)])

    def rates(t, s):
        return np.concatenate([s[6:], accelerations(points, s[:6], s[6:])[0]])

    times = np.linspace(0.0, 40000.0, 40001)
    found = solve_ivp(rates, (0.0, 40000.0), start, "DOP853", times, rtol=1e-11, atol=1e-12)
    assert abs(frequency(times, found.y[4]) / (np.sqrt(3.0) * N) - 1.0) < 1e-4  # measured 3e-07


POINTS = f"""
name = "Points"
[environment]
frame = "orbit"
gravity = "central"
orbit = {{ semi_major_axis = {RADIUS} }}
[bodies.low]
mass = 5000.0
inertia = [0.0, 0.0, 0.0]
[bodies.high]
mass = 20000.0
inertia = [0.0, 0.0, 0.0]
[joints.l]
parent = "space"
child = "low"
kind = "general"
translations = ["x", "y", "z"]
initial = {{ position = [-424.0, -0.00424, -0.00424] }}
[joints.h]
parent = "space"
child = "high"
kind = "general"
translations = ["x", "y", "z"]
initial = {{ position = [106.0, 0.00106, 0.00106] }}
[cables.tether]
a = "low"
b = "high"
length = 530.0
"""


def test_small_librations_of_the_engine():
    """Two point masses, general engine: √3 n in the plane, 2 n out of it, to four digits.

    From rest at 1e-5 rad (they couple at second order) both angles are A cos ωt: ω from their values near a quarter of the period.
    """
    system, trajectory = run(POINTS, 1400.0, 2, rtol=1e-11, atol=1e-11)
    line = (
        trajectory.x[:, system.signals.where("states", "h.position")]
        - trajectory.x[:, system.signals.where("states", "l.position")]
    )
    in_plane, out_of_plane = np.arccos(line[1, 1:] / line[0, 1:]) / 1400.0
    assert abs(in_plane / (np.sqrt(3.0) * N) - 1.0) < 1e-4  # measured 3e-05
    assert abs(out_of_plane / (2.0 * N) - 1.0) < 1e-4  # measured 2e-05


def test_papers_equations_agree_with_the_engine():
    """Accelerations of the catalogue's TetheredPair, engine against (42): they differ by the finite-size terms, ρ/r_v = 4e-5.

    At its start and with the bodies turned. They nearly cancel, so they are judged by the size of the terms of (42).
    """
    system = load_text(
        CATALOGUE.read_text().replace('orientation = [0.0, 0.0, "70 deg"]', 'orientation = [0.0, 0.0, "62 deg"]', 1)
    )
    x, u, k, d = start(system)
    x_dot, y, _ = motion(system, 0.0, x, u, k, d)
    table = system.signals

    def of(name, values=x):
        return values[table.where("states", name)]

    polar, speeds, expected_from = [], [], []
    for body in ("first", "second"):
        (px, py, _), (vx, vy, _), quaternion = of(f"{body}.position"), of(f"{body}.velocity"), of(f"{body}.quaternion")
        rho, theta = np.hypot(px, py), np.arctan2(py, px)
        phi = 2.0 * np.arctan2(quaternion[3], quaternion[0])
        polar += [rho, theta, phi]
        rho_dot, theta_dot = (px * vx + py * vy) / rho, (px * vy - py * vx) / rho**2
        speeds += [rho_dot, theta_dot, of(f"{body}.angular_velocity")[2]]
        ax, ay, _ = of(f"{body}.velocity", x_dot)
        expected_from += [
            (px * ax + py * ay) / rho + rho * theta_dot**2,
            (px * ay - py * ax) / rho**2 - 2.0 * rho_dot * theta_dot / rho,
            of(f"{body}.angular_velocity", x_dot)[2],
        ]
    found, tension = accelerations(PAIR, np.array(polar), np.array(speeds))
    scale = N * N * np.array([424.0, 1.0, 1.0, 106.0, 1.0, 1.0])  # of the terms of (42), which nearly cancel
    np.testing.assert_allclose(
        found / scale, np.array(expected_from) / scale, atol=1e-3
    )  # measured 3.7e-4, in the φ rows, where the cable's torque is 26 n²
    np.testing.assert_allclose(tension, y[table.where("outputs", "tether.tension")], rtol=3e-4)  # measured 0.0001


def test_large_libration_goes_slack():
    """The catalogue's start, 70° from the vertical: the cable goes slack, and the Jacobi integral plus what was lost stays.

    Librations below about 66° stay taut (T ∝ (1 + θ̇/n)² − 1 + 3 cos²θ > 0).
    """
    system, trajectory = run(load(CATALOGUE), 2000.0, 21, rtol=1e-9, atol=1e-9)
    names = [signal.name for signal in system.signals.discretes]
    assert trajectory.d[0, names.index("tether.taut")] == 1.0
    assert 0.0 in trajectory.d[:, names.index("tether.taut")]
    jacobi = trajectory.y[:, system.signals.where("outputs", "system.jacobi_integral")]
    lost = trajectory.x[:, system.signals.where("states", "system.dissipated_energy")]
    assert np.max(np.abs(jacobi + lost - jacobi[0])) < 1e-5  # measured 6e-08


def test_libration_in_space():
    """The catalogue's cylinders, 20° from the vertical in the plane and swung out of it: the Jacobi integral stays, the cable taut."""
    first, second = (f"position = [{r * np.cos(np.pi / 9)}, {r * np.sin(np.pi / 9)}, 0.0]" for r in (-424.0, 106.0))
    swing = 0.6 * N * 530.0  # relative velocity along z: an amplitude of 0.3 rad at 2 n
    text = (
        CATALOGUE.read_text()
        .replace('"70 deg"', '"20 deg"')
        .replace("position = [-145.016541, -398.429671, 0.0]", f"{first}\nvelocity = [0.0, 0.0, {-0.8 * swing}]")
        .replace("position = [36.254135, 99.607418, 0.0]", f"{second}\nvelocity = [0.0, 0.0, {0.2 * swing}]")
    )
    system, trajectory = run(text, 6000.0, 61, rtol=1e-11, atol=1e-11)
    line = column(system, trajectory, "second.position") - column(system, trajectory, "first.position")
    out_of_plane = np.degrees(np.arcsin(line[:, 2] / np.linalg.norm(line, axis=1)))
    assert np.ptp(np.degrees(np.arctan2(line[:, 1], line[:, 0]))) > 35.0  # measured 40
    assert np.ptp(out_of_plane) > 30.0  # measured 36
    assert not trajectory.events
    assert drift(column(system, trajectory, "tether.length")) < 1e-9  # measured 5e-11 m of 500 m
    jacobi, kinetic = (column(system, trajectory, f"system.{name}") for name in ("jacobi_integral", "kinetic_energy"))
    assert drift(jacobi) < 1e-10 * np.max(kinetic)  # measured 4e-13
