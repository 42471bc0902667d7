"""A tether with mass that leaves its reel, against closed forms, a rigid rod in orbit, and the massless tether."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import column
from tests.tether.craft import craft

HEAVY = """
name = "Between"
[bodies.wall]
mass = 1e9
inertia = [1e9, 1e9, 1e9]
[bodies.cart]
mass = 1e9
inertia = [1e9, 1e9, 1e9]
initial = {{ position = [{distance}, 0.0, 0.0], velocity = [{speed}, 0.0, 0.0] }}
[cables.line]
kind = "deployed"
a = "wall"
b = "cart"
length = {length}
full_length = 30.0
least_length = {least}
mass = 0.6
beads = {beads}
stiffness = 50.0
reel = {{ rate = {rate} }}
"""
EA, RHO = 50.0 * 30.0, 0.6 / 30.0


def heavy(beads: int, length: float, rate: float, strain: float) -> str:
    """Between two bodies that nothing moves, the second of which goes away as fast as the material."""
    stretched = 1.0 + strain
    return HEAVY.format(
        distance=length * stretched, speed=rate * stretched, length=length, rate=rate, beads=beads, least=1.2 * 30.0 / (beads + 1)
    )  # fmt: skip


def test_material_that_leaves_pushes_its_host_back():
    """At constant speed without tension nothing accelerates but the material at the outlet: ρL̇² on the host, and the drum needs no power."""
    system = load_text(heavy(4, 14.0, 3.0, 0.0))
    x, u, k, d = start(system)
    rates, y, _ = motion(system, 0.0, x, u, k, d)
    (at,) = system.signals.where("states", "wall.velocity")[:1]
    mass = 1e9 + 0.6 - 14.0 * RHO
    assert rates[at] * mass == pytest.approx(-RHO * 3.0**2, rel=1e-6)
    assert y[system.signals.where("outputs", "line.reel_power")] == pytest.approx(0.0, abs=1e-9)


def drum(beads: int, length: float, rate: float, strain: float, keys: str, drum_rate: float | None = None) -> str:
    """The same with a drum of 0.3 kg that the tether turns."""
    text = heavy(beads, length, rate, strain).replace("stiffness = 50.0", keys)
    return text.replace(
        f"reel = {{ rate = {rate} }}",
        f"reel = {{ rate = {rate if drum_rate is None else drum_rate}, drum_mass = 0.3, brake = true }}",
    )


def test_a_drum_without_tension_keeps_its_rate():
    """All material has one speed, over births: nothing accelerates, and the drive does no work."""
    system = load_text(drum(4, 14.0, 3.0, 0.0, "stiffness = 50.0"))
    run = integrate(fast(system), np.linspace(0.0, 3.0, 4))
    assert column(system, run, "line.beads_out")[-1] == 3
    np.testing.assert_allclose(column(system, run, "line.reel.rate"), 3.0, rtol=1e-9)
    np.testing.assert_allclose(column(system, run, "line.reel_power"), 0.0, atol=1e-9)


def test_what_a_brake_takes():
    """The drive's power is its force times the rate: measured 7e-9 W of 60 W on a body of 1e9 kg; what that one accelerates is left out of the drum's equation."""
    system = load_text(drum(4, 14.0, 3.0, 0.02, "stiffness = 50.0\ndamping = 2.0"))
    run = integrate(fast(system), np.linspace(0.0, 3.0, 7), u=np.array([20.0]))
    rate, power = column(system, run, "line.reel.rate"), column(system, run, "line.reel_power")
    assert np.ptp(rate) > 0.05
    np.testing.assert_allclose(power, -20.0 * rate, atol=1e-6)


@pytest.mark.parametrize(("keys", "bar"), [("stiffness = 500.0\ndamping = 20.0", 2.5e-5), ("stiffness = 5000.0\ndamping = 60.0", 1e-5)])  # fmt: skip
def test_a_mass_that_draws_the_tether_off_a_drum(keys, bar):
    """Angular momentum about the drum's axis over its radius, M v + Σ m v + (J + m_s) L̇, stays, by the order of the strain. Measured: 1.5e-5, 5e-6; the body pulls the tether taut and
    loses a tenth of its speed."""
    text = drum(4, 14.0, 3.0, 0.0, keys, drum_rate=2.0)
    system = load_text(
        text.replace("mass = 1e9\ninertia = [1e9, 1e9, 1e9]\ninitial", "mass = 2.0\ninertia = [1.0, 1.0, 1.0]\ninitial")
    )
    run = integrate(fast(system), np.linspace(0.0, 2.0, 5), rtol=1e-9, atol=1e-9)
    speed, rate, length, outlet, out = (
        column(system, run, name).reshape(5, -1)[:, 0]
        for name in ("cart.velocity", "line.reel.rate", "line.reel.length", "line.reel.outlet_length", "line.beads_out")
    )
    place, velocity = (
        run.x[:, system.signals.where("states", f"line.bead_{what}")].reshape(5, 4, 3)[:, :, 0]
        for what in ("position", "velocity")
    )
    h, first = 6.0, 4 - out.astype(int)
    bead = velocity[np.arange(5), first]
    leaves = rate / outlet * place[np.arange(5), first]
    is_out = np.arange(4) >= first[:, None]
    moved = h * np.sum(velocity * is_out, axis=1) + 0.5 * h * leaves + 0.5 * (outlet - h) * (leaves + bead)
    total = 2.0 * speed + (0.3 + 0.6 - RHO * length) * rate + RHO * moved
    assert speed[-1] < 2.75
    assert out[-1] > out[0]
    np.testing.assert_allclose(total, total[0], rtol=bar)


def balazs(z, n, c, v):
    """f of w = f(ct + x) − f(ct − x): zero at x = 0 and at x = vt."""
    return np.sin(2.0 * np.pi * n * np.log(z) / np.log((c + v) / (c - v)))


def moving_string(beads: int) -> float:
    """Largest error over the amplitude, of a string whose end moves, from 12 m to 20 m.

    Balazs, J. Math. Anal. Appl. 3 (1961) 472: with the material at rest w = f(ct + x) − f(ct − x), x from the second end.
    """
    strain, rate, length = 0.02, 4.0, 12.0
    c, v = np.sqrt(EA * strain * (1.0 + strain) / RHO), rate * (1.0 + strain)
    begin = length / rate
    system = load_text(heavy(beads, length, rate, strain))
    x, _, _, d = start(system)
    places, speeds = (
        np.array(system.signals.where("states", f"line.bead_{what}")) for what in ("position", "velocity")
    )
    h, N, size = 30.0 / (beads + 1), beads, 1e-5
    from_b = (N - np.arange(N) - 0.5) * h * (1.0 + strain)

    def wave(t):
        return size * (balazs(c * t + from_b, 1, c, v) - balazs(c * t - from_b, 1, c, v))

    out = int(d[system.signals.where("discretes", "line.beads_out")])
    is_out = np.arange(N) >= N - out
    x[places[1::3]] = np.where(is_out, wave(begin), 0.0)
    x[speeds[1::3]] = np.where(is_out, (wave(begin + 1e-6) - wave(begin - 1e-6)) / 2e-6, 0.0)
    end = 20.0 / rate
    waving = replace(fast(system), initialize=lambda *_: (x, d))
    run = integrate(waving, np.array([0.0, end - begin]), rtol=1e-9, atol=1e-12)
    out = int(run.d[-1, system.signals.where("discretes", "line.beads_out")])
    is_out = np.arange(N) >= N - out
    found, wanted = run.x[-1, places[1::3]], wave(end)
    return float(np.max(np.abs(found - wanted)[is_out]) / (2.0 * size))


def test_string_with_a_moving_end():
    """The first wave on a string that grows from 12 m to 20 m at 0.1 of its wave speed. Measured: 7 beads 0.23, 15 beads 0.090, by dispersion over three periods."""
    coarse, fine = moving_string(7), moving_string(15)
    assert fine < 0.1
    assert fine < 0.45 * coarse


ORBIT = """
name = "Retrieval"
[environment]
frame = "orbit"
gravity = "central"
orbit = {{ semi_major_axis = {radius} }}
[bodies.station]
mass = 1e8
inertia = [1e9, 1e9, 1e9]
[bodies.probe]
mass = 60.0
inertia = [1.0, 1.0, 1.0]
initial = {{ position = {position}, velocity = {velocity} }}
[cables.line]
kind = "deployed"
a = "station"
b = "probe"
length = {length}
full_length = 12000.0
least_length = 3000.0
mass = 24.0
beads = 5
stiffness = 0.4
damping = 1.0
reel = {{ rate = {rate} }}
"""


def rod(t, state, n, c, length):
    """Rates of in-plane angle, out-of-plane angle and their rates, of a straight tether below a heavy station, of ρ = 2 g/m with 60 kg at its end, L = L₀ exp(−ct).

    About the station the moment of inertia is I = (m + ρL/3)L², and material that moves along it at L̇ has İ = 2(m + ρL/2)L L̇ of it:
    Kalaghan et al. (1978), as Misra and Modi print it (Acta Astronautica 1986)."""
    theta, phi, theta_rate, phi_rate = state
    out = 0.002 * length * np.exp(-c * t)
    kappa = (60.0 + out / 2.0) / (60.0 + out / 3.0)
    turning = theta_rate + n
    return [
        theta_rate,
        phi_rate,
        2.0 * kappa * c * turning
        + 2.0 * turning * phi_rate * np.tan(phi)
        - 3.0 * n * n * np.sin(theta) * np.cos(theta),
        2.0 * kappa * c * phi_rate - (turning**2 + 3.0 * n * n * np.cos(theta) ** 2) * np.sin(phi) * np.cos(phi),
    ]


@pytest.mark.ci
def test_retrieval_makes_libration_grow():
    """Out of the plane by exp(κct), κ = 1.05 to 1.03, as of a rigid rod; c = 0.25 n, from 10 km to 6 km."""
    radius, length, theta, phi = 6.778e6, 10000.0, 0.15, 0.02
    n = np.sqrt(3.986004418e14 / radius**3)
    c = 0.25 * n
    stop = np.log(10.0 / 6.0) / c
    strain = 3.0 * n * n * length * 71.0 / 4800.0
    along = np.array([np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)])
    place = length * (1.0 + strain) * along
    text = ORBIT.format(
        radius=radius, position=place.tolist(), velocity=(-c * place).tolist(), length=length, rate=-c * length
    )
    system = load_text(text)
    times = np.linspace(0.0, stop, 9)
    run = integrate(fast(system), times, u=lambda t: [c * c * length * np.exp(-c * t)], rtol=1e-8, atol=1e-8)
    r = column(system, run, "probe.position") - column(system, run, "station.position")
    angles = np.array([np.arctan2(r[:, 1], r[:, 0]), np.arcsin(r[:, 2] / np.linalg.norm(r, axis=1))])
    wanted = solve_ivp(
        rod, (0.0, stop), [theta, phi, 0.0, 0.0], t_eval=times, args=(n, c, length), rtol=1e-10, atol=1e-12
    ).y[:2]
    assert column(system, run, "line.beads_out")[-1] < column(system, run, "line.beads_out")[0]
    assert np.ptp(wanted[1]) > 2.3 * phi
    assert np.abs(angles - wanted)[0].max() < 0.01 * np.abs(wanted[0]).max()
    assert np.abs(angles - wanted)[1].max() < 0.01 * np.abs(wanted[1]).max()


def test_without_mass_it_is_the_reeled_elastic_cable():
    """The probe's path tends to that on a massless cable with the stiffness of what is out, with its mass. Measured: 7.5 mm with 0.4 kg, 0.8 mm with 0.1 kg, of a way of 16 m; here the
    stiffness follows the length, there it does not."""

    def path(text):
        system = load_text(text)
        run = integrate(fast(system), np.array([0.0, 4.0]), rtol=1e-9, atol=1e-9)
        return column(system, run, "probe.position")[-1]

    at = {"distance": 25.4, "velocity": (-0.5, 4.0, 1.0), "rate": -0.5}
    whole = craft(mass=0.01, **at)
    begin = whole.index('kind = "deployed"')
    keys = 'kind = "elastic"\na = "hub"\nplace_a = [0.2, 0.1, 0.0]\nb = "probe"\nplace_b = [-0.1, 0.0, 0.05]\nlength = 25.0\nstiffness = {k}\ndamping = {c}\n'
    massless = whole[:begin] + keys.format(k=50.0 * 60.0 / 24.0, c=0.4 * 60.0 / 24.0) + "reel = { rate = -0.5 }\n"
    wanted = path(massless)
    errors = [np.abs(path(craft(mass=mass, **at)) - wanted).max() for mass in (0.4, 0.1)]
    assert errors[1] < 1e-3 < errors[0] < 0.01
