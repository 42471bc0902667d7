"""Burns in closed form: Tsiolkovsky with several burns, and spinning bodies that lose mass."""

import numpy as np
import pytest

from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast

from .crafts import HUB, NOZZLE, TANK, craft

POINT = ('kind = "sphere"\nradius = 0.4\noutlet = "-z"', 'kind = "point"')


def test_tsiolkovsky_with_several_burns():
    """Three burns of one thruster at its tank, with coasts between: Δv = c ln(m₀/m₁) of all that was burnt, whatever the pauses."""
    system = fast(craft(HUB, TANK, NOZZLE, a=POINT, b=("place = [-0.7, 0.1, 0.2]", "place = [0.1, 0.2, -0.3]"),
        c=("angular_velocity = [0.1, 0.2, 0.3], ", ""), d=("direction = [1.0, 0.3, 0.2]", 'direction = "x"'), e=("place = [0.1, 0.2, -0.3]", "place = [0.0, -0.01, 0.05]"),
        f=("mass_center = [0.02", "mass_center = [0.0")))  # fmt: skip
    times = np.array([0.0, 1.0, 4.0, 5.0, 8.0, 9.5, 20.0])
    on = [1500.0, 0.0, 900.0, 0.0, 2500.0, 0.0]
    x, u, _, d = evaluate.start(system)
    name = system.signals.where("inputs", "thruster.main.force")
    for t0, t1, force in zip(times[:-1], times[1:], on, strict=True):
        u[name] = force
        run = integrate(system, [t0, t1], u=u.copy(), x=x, d=d, rtol=1e-13, atol=1e-13)
        x, d = run.x[-1], run.d[-1]
    c, burnt = (
        200.0 * 9.80665,
        sum(f * (b - a) for f, a, b in zip(on, times[:-1], times[1:], strict=True)) / (200.0 * 9.80665),
    )
    m0 = 100.0 + 5.0 + 120.0
    velocity = x[system.signals.where("states", "hub.velocity[1]")]
    assert velocity - 1.0 == pytest.approx(c * np.log(m0 / (m0 - burnt)), rel=1e-12)
    assert x[system.signals.where("states", "tank.main.propellant")] == pytest.approx(120.0 - burnt, rel=1e-14)


def test_jet_damping_of_a_spinning_body(tmp_path):
    """Axisymmetric, with fixed mass centre and inertia k² per kg of propellant, and a nozzle on the axis at a distance ℓ.

    J_s ω_s is constant, and |ω_t| = |ω_t0| (J_t/J_t0)^(ℓ²/k_t² − 1): the classical solution for uniform burning, as in van der Ha and Janssens,
    "Jet-damping and misalignment effects during solid-rocket-motor burn" (J. Guidance 28, 2005); ℓ > k_t damps, ℓ < k_t does not.
    """
    for length, spin in ((1.1, 4.0), (0.3, -2.0)):
        k_t, k_s = 0.25, 0.16  # [m²] per kg
        table = tmp_path / "tank.csv"
        table.write_text("".join(f"{f}, 0, 0, 0, {k_t}, {k_t}, {k_s}, 0, 0, 0\n" for f in (0.0, 0.5, 1.0)))
        system = fast(craft(HUB, TANK, NOZZLE, a=(POINT[0], f'kind = "table"\ntable = "{table}"\noutlet_place = [0.0, 0.0, -0.1]'), b=("mass_center = [0.02, -0.01, 0.05]", ""),
            c=("inertia = [20.0, 22.0, 25.0]", "inertia = [20.0, 20.0, 25.0]"), d=("place = [0.1, 0.2, -0.3]", "place = [0.0, 0.0, 0.0]"),
            e=("place = [-0.7, 0.1, 0.2]", f"place = [0.0, 0.0, {-length}]"), f=("direction = [1.0, 0.3, 0.2]", 'direction = "z"'), g=("[0.1, 0.2, 0.3]", f"[0.1, 0.2, {spin}]"),
            h=("dry = 5.0", "")))  # fmt: skip
        u = np.array([3000.0])
        run = integrate(system, [0.0, 30.0, 60.0], u=u, rtol=1e-13, atol=1e-13)
        omega = run.x[:, system.signals.where("states", "hub.angular_velocity[1]") :][:, :3]
        mass = run.x[:, system.signals.where("states", "tank.main.propellant")]
        J_t, J_s = 20.0 + k_t * mass, 25.0 + k_s * mass
        assert mass[-1] < 30.0
        assert J_s * omega[:, 2] == pytest.approx(J_s[0] * spin, rel=1e-11)
        expected = np.hypot(0.1, 0.2) * (J_t / J_t[0]) ** (length**2 / k_t - 1.0)
        assert np.hypot(omega[:, 0], omega[:, 1]) == pytest.approx(expected, rel=1e-10)


ALONG = (("place = [-0.7, 0.1, 0.2]", "place = [0.0, 0.0, 0.0]"), ("direction = [1.0, 0.3, 0.2]", 'direction = "x"'))


def test_blow_down_in_closed_form(tmp_path):
    """Thrust in proportion to the fill, at one Isp: ṁ = −F f/c, so m = m₀ exp(−F t/(c capacity)), and Δv = c ln of the masses."""
    table = tmp_path / "blow_down.csv"
    table.write_text("".join(f"{f}, {800.0 * f}, 200.0\n" for f in (0.0, 0.3, 0.6, 1.0)))
    system = fast(craft(HUB, TANK, NOZZLE, a=POINT, b=("isp = 200.0", f'blow_down = "{table}"\nmaximum = 800.0\nrise_time = 1e-3'), c=ALONG[0], d=ALONG[1],
        e=("place = [0.1, 0.2, -0.3]", "place = [0.0, 0.0, 0.0]"), f=("mass_center = [0.02, -0.01, 0.05]", ""), g=("angular_velocity = [0.1, 0.2, 0.3], ", "")))  # fmt: skip
    x, _, _, d = evaluate.start(system)
    names = [entry.name for entry in system.signals.states]
    x[names.index("thruster.main.thrust")] = 800.0  # it has risen
    run = integrate(system, [0.0, 20.0, 50.0], u=np.array([800.0]), x=x, d=d, rtol=1e-12, atol=1e-12)
    c = 200.0 * 9.80665
    m = run.x[:, names.index("tank.main.propellant")]
    assert m == pytest.approx(120.0 * np.exp(-800.0 * np.array([0.0, 20.0, 50.0]) / (c * 200.0)), rel=1e-11)
    assert run.x[:, names.index("hub.velocity[1]")] - 1.0 == pytest.approx(
        c * np.log(225.0 / (105.0 + m)), rel=1e-10, abs=1e-12
    )


def test_the_shortest_pulse_burns_its_impulse():
    """A command of 0.01 s of any size, on/off with a shortest pulse of 0.05 s: 100 N for 0.05 s, and the propellant of that impulse."""
    system = fast(
        craft(HUB, TANK, NOZZLE, a=("isp = 200.0", "isp = 200.0\nmaximum = 100.0\nminimum_pulse = 0.05\non_off = true"))
    )
    name = system.signals.where("states", "tank.main.propellant")
    x, _, _, d = evaluate.start(system)
    for t0, t1, force in ((0.0, 0.01, 0.2), (0.01, 1.0, 0.0)):
        x, d = evaluate.settle(system, t0, x, np.array([force]), evaluate.start(system)[2], d)
        run = integrate(system, [t0, t1], u=np.array([force]), x=x, d=d)
        x, d = run.x[-1], run.d[-1]
    assert 120.0 - x[name] == pytest.approx(100.0 * 0.05 / (200.0 * 9.80665), rel=1e-10)
