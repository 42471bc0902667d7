"""Closed forms of textbooks: the reference's own numbers of the cases that are compared with formulas, evaluated again.

Each function gives the values of its case's comparisons, in their order, at the times asked for.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipj

from .orbits import MOTION
from .plain import ode, stack
from .rigid import Z, quaternion_of, turn

SIGMA = 5.670374419e-8  # Stefan and Boltzmann's constant [W/m²/K⁴]
G = 9.81


def hertz(*circular) -> list[np.ndarray]:
    """One row of frequencies, from the lowest."""
    return [np.sort(np.abs(circular))[None] / (2.0 * np.pi)]


# Heat


def absorber_steady(_times):
    flux = 0.9 * 1367.0
    back = (flux / (0.85 * SIGMA)) ** 0.25
    return [back + flux / 0.5 * np.linspace(0.0, 0.02, 6)[None]]


def radiation_to_space(times):
    """C T' = −2 ε σ T⁴."""
    cooled = (293.15**-3 + 6.0 * 0.8 * SIGMA * np.array(times) / (2700.0 * 900.0 * 0.002)) ** (-1.0 / 3.0)
    return [stack(cooled, cooled)]


def radiation_to_surroundings(times):
    """C T' = −2 ε σ (T⁴ − S⁴), solved for the time and inverted."""
    sink = 150.0
    pace = 2700.0 * 900.0 * 0.002 / (8.0 * 0.8 * SIGMA * sink**3)

    def age(T):
        return pace * (np.log((T + sink) / (T - sink)) + 2.0 * np.arctan(T / sink))

    cooled = [
        brentq(lambda T, t=t: age(T) - age(293.15) - t, sink + 1e-9, 293.15, xtol=1e-13, rtol=1e-15) for t in times
    ]
    return [stack(cooled, cooled)]


def _boom(tau: float):
    """Three bending modes driven by the moment EI α ΔT/h, ΔT = 20 K (1 − exp(−t/τ)): q'' + ω² q = ω² s (1 − exp(−t/τ))."""

    def case(times):
        t, tip, length, mass = np.array(times), np.zeros(len(times)), 6.0, 2.4
        for i in range(3):
            k = brentq(lambda k: np.cos(k) + 1.0 / np.cosh(k), i * np.pi, (i + 1) * np.pi, xtol=1e-15)
            share = (np.sinh(k) - np.sin(k)) / (np.cosh(k) + np.cos(k))
            end = np.cosh(k) - np.cos(k) - share * (np.sinh(k) - np.sin(k))
            slope = k / length * (np.sinh(k) + np.sin(k) - share * (np.cosh(k) - np.cos(k)))
            omega = (k / length) ** 2 * np.sqrt(800.0 * length / mass)
            still = 800.0 * 1.5e-5 * 20.0 / 0.02 * slope / (omega**2 * mass)
            late = np.exp(-t / tau) - np.cos(omega * t) + np.sin(omega * t) / (omega * tau)
            tip += end * still * (1.0 - np.cos(omega * t) - late / (1.0 + 1.0 / (omega * tau) ** 2))
        return [stack(-tip)]

    return case


# Bars and strings


def bar_axial(_times):
    return hertz(*(np.pi / 2.0 / 3.0 * np.sqrt(2e6 / 2.0) * np.arange(1, 20, 2)))


def shaft_torsion(_times):
    return hertz(*(np.pi / 2.0 / 3.0 * np.sqrt(500.0 / (0.02 / 3.0)) * np.arange(1, 20, 2)))


def loaded_string(_times):
    """Six masses of 0.2 kg: across with the tension 50 · 0.4 N over 1 m, along with 50 N/m."""
    across = np.sin(np.arange(1, 7) * np.pi / 14.0)
    return hertz(*(2.0 * np.sqrt(20.0 / 0.2) * across), *(2.0 * np.sqrt(50.0 / 0.2) * across))


# Bodies that turn


def _euler(start):
    """Moments 1, 2, 3; L² above 2E I₂: cn, sn, dn."""

    def case(times):
        a, c = start
        energy, square = a**2 + 3.0 * c**2, a**2 + 9.0 * c**2  # 2E and L²
        pace = np.sqrt((square - energy) / 6.0)
        sn, cn, dn, _ = ellipj(pace * np.array(times), (3.0 * energy - square) / (square - energy))
        return [stack(a * cn, np.sqrt((3.0 * energy - square) / 2.0) * sn, c * dn)]

    return case


def euler_cone(times):
    """Moments 20, 20, 30: ω turns about the axis with 0.6 rad/s, the body about L with |L|/20."""
    t, momentum = np.array(times), np.array([20.0 * 0.3, 0.0, 30.0 * 1.2])
    rates = stack(0.3 * np.cos(0.6 * t), 0.3 * np.sin(0.6 * t), np.full_like(t, 1.2))
    size = np.linalg.norm(momentum)
    return [rates, np.array([quaternion_of(turn(momentum, size / 20.0 * s) @ turn(Z, -0.6 * s)) for s in t])]


def _gyroscope(momentum: float, weight: float):
    """A w² − H w ∓ m g l = 0 with A = 0.5 + 2 · 0.3² kg m²; weight: + hanging, − upright."""
    return lambda _times: hertz(*np.roots([0.5 + 2.0 * 0.3**2, -momentum, -weight * 2.0 * G * 0.3]))


def momentum_bias(_times):
    return hertz(0.1 * 600.0 / np.sqrt(800.0 * 1200.0))


def _swing(times, amplitude: float):
    """Angle of a pendulum of 1 m let go at an amplitude: 2 asin(k cd)."""
    k = np.sin(0.5 * amplitude)
    _, cn, dn, _ = ellipj(np.sqrt(G) * np.array(times), k * k)
    return 2.0 * np.arcsin(k * cn / dn)


def pendulum_150(times):
    return [stack(_swing(times, np.radians(150.0)))]


def iftomm_pendulum(times):
    angle = _swing(times, 0.5 * np.pi)
    return [stack(-np.sin(angle), -np.cos(angle))]


def _top(fast: bool):
    """Steady precession at 30°: I₁ φ'² cos θ − I₃ ω₃ φ' + m g l = 0."""

    def case(times):
        slow, quick = np.sort(np.roots([0.0125 * np.sqrt(0.75), -0.0018 * 400.0, 0.1 * G]))
        angle = (quick if fast else slow) * np.array(times)
        return [stack(0.05 * np.sin(angle), -0.05 * np.cos(angle), np.full_like(angle, 0.1 * np.sqrt(0.75)))]

    return case


def top_nutation(times):
    """u = cos θ from rest at 0.5: u'² = β (u − u₁)(u₀ − u)(u₂ − u), so that u = u₁ + (u₀ − u₁) cd²."""
    begin, beta, spin = 0.5, 2.0 * 0.1 * G / 0.0125, 0.0018 * 150.0 / 0.0125
    low, high = np.sort(np.roots([-beta, spin**2, beta - spin**2 * begin]))
    pace = 0.5 * np.sqrt(beta * (high - low))
    _, cn, dn, _ = ellipj(pace * np.array(times), (begin - low) / (high - low))
    return [stack(0.1 * (low + (begin - low) * (cn / dn) ** 2))]


# Orbits


def debra_delp(_times):
    """Pitch: √(3 (I_y − I_x)/I_z) n; roll and yaw: λ⁴ + n² (1 + 3 k + k q) λ² + 4 n⁴ k q = 0."""
    k, q = (1500.0 - 600.0) / 1400.0, (1500.0 - 1400.0) / 600.0
    squares = [*(-np.roots([1.0, 1.0 + 3.0 * k + k * q, 4.0 * k * q])), 3.0 * (1400.0 - 600.0) / 1500.0]
    rates = MOTION * np.sqrt(np.sort(np.real(squares)))
    return [stack(np.zeros(3), rates).reshape(1, -1)]


def dumbbell_periods(_times):
    return hertz(np.sqrt(3.0) * MOTION, 2.0 * MOTION)


def clohessy_wiltshire(times):
    t, (x, y, z), (u, v, w) = np.array(times), (100.0, 200.0, 50.0), (0.02, -2.0 * MOTION * 100.0, 0.05)
    s, c = np.sin(MOTION * t), np.cos(MOTION * t)
    return [
        stack(
            (4.0 - 3.0 * c) * x + s / MOTION * u + 2.0 / MOTION * (1.0 - c) * v,
            6.0 * (s - MOTION * t) * x + y - 2.0 / MOTION * (1.0 - c) * u + (4.0 * s / MOTION - 3.0 * t) * v,
            c * z + s / MOTION * w,
        )
    ]


def _libration(degrees: float):
    """sin θ = k sn(√3 n t, k)."""

    def case(times):
        k = np.sin(np.radians(degrees))
        angle = np.arcsin(k * ellipj(np.sqrt(3.0) * MOTION * np.array(times), k * k)[0])
        return [stack(5.0 * np.cos(angle), 5.0 * np.sin(angle))]

    return case


def _reeled(start: float, degrees: float):
    """l = l₀ exp(−(3/4) n sin 2θ t) at the constant angle θ."""
    angle = np.radians(degrees)

    def case(times):
        half = 0.5 * start * np.exp(-0.75 * MOTION * np.sin(2.0 * angle) * np.array(times))
        return [stack(half * np.cos(angle), half * np.sin(angle))]

    return case


# Equations that are solved, not formulas


def iftomm_governor(times):
    """Shaft φ, rod's angle a, slider s; I(a) φ' is constant. Radau, since its couplers are stiff."""
    mass, far, across, along = 5.3, 0.9716981132075473, 0.09575721698113207, 5e-6

    def turning(a):
        """Inertia about the shaft, and its derivative by a."""
        radius, sine, cosine = 0.05 + far * np.sin(a), np.sin(a), np.cos(a)
        inertia = 0.005 + along + 2.0 * (mass * radius**2 + across * sine**2 + along * cosine**2)
        return inertia, 2.0 * (2.0 * mass * radius * far * cosine + 2.0 * (across - along) * sine * cosine)

    momentum = turning(np.pi / 3.0)[0] * 2.0 * np.pi

    def rates(t, y):
        _phi, a, s, va, vs = y
        inertia, slope = turning(a)
        out, up = 0.5 * np.sin(a), 1.0 - 0.5 * np.cos(a) - s
        length = np.hypot(out, up)
        by_a, by_s = (out * 0.5 * np.cos(a) + up * 0.5 * np.sin(a)) / length, -up / length
        pull = 2.0 * (8e5 * (length - 0.5) + 4e4 * (by_a * va + by_s * vs))
        spin = momentum / inertia
        moment = 0.5 * spin**2 * slope - 2.0 * mass * G * far * np.sin(a) - pull * by_a
        return [spin, va, vs, moment / (2.0 * (mass * far**2 + across)), -pull * by_s / 3.0 - G]

    start = [0.0, np.pi / 3.0, 0.5, 0.0, 0.0]
    with np.errstate(over="ignore"):  # in SciPy's differences for the Jacobian
        y = solve_ivp(rates, (0.0, times[-1]), start, "Radau", times, rtol=1e-10, atol=1e-12).y
    return [stack(y[2]), stack(y[1]), stack(y[0])]


def generalized_jacobian(times):
    """Base and two links of 1 m float; momenta are zero and the hand moves as given: three rates of absolute angles by three equations."""
    masses, inertias = np.array([40.0, 4.0, 3.0]), np.array([6.667, 0.333, 0.25])
    ways = np.array(
        [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 1.0, 0.5]]
    )  # of mass centres along the bodies' axes, from the base's
    relative = ways - masses @ ways / masses.sum()  # from the mass centre of all, which rests
    hand = np.array([0.5, 1.0, 1.0]) - masses @ ways / masses.sum()

    def matrix(angles):
        """Rows: angular momentum, velocity of the hand; of the rates of the three angles."""
        e = np.array([np.cos(angles), np.sin(angles)])
        turned = np.array([-e[1], e[0]])
        places = relative @ e.T  # of mass centres, from that of all
        spin = inertias + np.einsum("i,ik,ij,kj->j", masses, places, relative, e)
        return np.vstack([spin, hand * turned])

    def rates(t, angles):
        speed = 0.5 * np.cos(0.5 * t) * np.array([0.0, -0.3, 0.2])
        return np.linalg.solve(matrix(angles), speed)

    y = ode(rates, np.array([0.0, np.pi / 6.0, np.pi / 2.0]), times)
    joints = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])  # absolute angles by base and joints

    def smallest(angles):
        by = matrix(angles) @ joints
        return np.linalg.svd(by[1:, 1:] - np.outer(by[1:, 0], by[0, 1:]) / by[0, 0], compute_uv=False)[-1]

    return [stack(y[:, 0], y[:, 1] - y[:, 0], y[:, 2] - y[:, 1]), stack([smallest(each) for each in y])]


CASES = {
    **{f"flexible/{each.__name__}": each for each in (absorber_steady, radiation_to_space, radiation_to_surroundings)},
    **{f"flexible/{each.__name__}": each for each in (bar_axial, shaft_torsion)},
    "flexible/thermal_boom_slow": _boom(8.0),
    "flexible/thermal_boom_snap": _boom(0.05),
    **{f"multibody/{each.__name__}": each for each in (loaded_string, euler_cone, momentum_bias, pendulum_150)},
    **{f"multibody/{each.__name__}": each for each in (top_nutation, iftomm_pendulum, iftomm_governor)},
    "multibody/generalized_jacobian": generalized_jacobian,
    "multibody/euler_asymmetric": _euler((0.6, 0.8)),
    "multibody/euler_flip": _euler((0.8659388012440602, 0.5)),
    "multibody/gyroscope_hanging": _gyroscope(2.0, 1.0),
    "multibody/gyroscope_upright": _gyroscope(8.0, -1.0),
    "multibody/top_fast": _top(True),
    "multibody/top_slow": _top(False),
    **{f"orbit/{each.__name__}": each for each in (debra_delp, dumbbell_periods, clohessy_wiltshire)},
    **{f"orbit/dumbbell_libration_{degrees}": _libration(degrees) for degrees in (20, 45, 60)},
    "orbit/tether_deployment": _reeled(10.0, -30.0),
    "orbit/tether_retrieval": _reeled(80.0, 30.0),
}
