"""The attitude controller's parts, each against a reference that knows nothing of it."""

import numpy as np
import pytest
from scipy import signal

from spacefmu.dynamics.blocks.attitude_controller import AttitudeController
from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.blocks.notch import notch, notch_coefficients
from spacefmu.dynamics.blocks.partner import partner_system
from spacefmu.dynamics.blocks.slew import impulses, shaped
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.fuse import Fused, Part, Wire, fuse
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.recording import recorded
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import Signal
from spacefmu.fmu_src import api
from tests.catalogue_fmus import system_of

FREQUENCIES, DAMPINGS = np.array([0.5, 1.3]), np.array([0.01, 0.02])


def residual(frequency, damping, modes):
    """|∫ e^(σ + iω_d)t α dt| of a mode after a bang-bang slew of 10 s; α integrated by parts, so that the rate is what is asked."""
    t = np.linspace(0.0, 16.0, 320_001)
    rate = np.array([shaped(2.0, t, 10.0, 1.0, FREQUENCIES[:modes], DAMPINGS[:modes])[1]]).ravel()
    omega = 2.0 * np.pi * frequency
    s = omega * (damping + 1j * np.sqrt(1.0 - damping**2))
    return abs(-s * np.trapezoid(np.exp(s * (t - t[-1])) * rate, t))


def test_a_shaped_slew_leaves_its_modes_at_rest():
    naive = [residual(f, z, 0) for f, z in zip(FREQUENCIES, DAMPINGS, strict=True)]
    one = [residual(f, z, 1) for f, z in zip(FREQUENCIES, DAMPINGS, strict=True)]
    both = [residual(f, z, 2) for f, z in zip(FREQUENCIES, DAMPINGS, strict=True)]
    assert one[0] < 1e-7 * naive[0]
    assert one[1] > 1e-3 * naive[1]  # the other mode has no shaper yet
    assert max(both) < 1e-7 * max(naive)
    assert sum(a for a, _ in impulses(FREQUENCIES, DAMPINGS)) == pytest.approx(1.0, abs=1e-14)
    # ZVD: the residual grows with the square of an error in frequency
    off = [residual(0.5 * (1.0 + error), 0.01, 1) for error in (0.01, 0.02)]
    assert off[1] / off[0] == pytest.approx(4.0, rel=0.2)


@pytest.mark.parametrize("profile", [1.0, 2.0])
def test_rate_is_the_derivative_of_the_angle(profile):
    t, h = 3.3, 1e-5
    ahead, behind = (shaped(profile, t + s * h, 10.0, 0.7, FREQUENCIES, DAMPINGS)[0] for s in (1, -1))
    assert (ahead - behind) / (2 * h) == pytest.approx(
        shaped(profile, t, 10.0, 0.7, FREQUENCIES, DAMPINGS)[1], rel=1e-8
    )
    assert shaped(profile, 100.0, 10.0, 0.7, FREQUENCIES, DAMPINGS) == (pytest.approx(0.7), 0.0)


def test_the_notch_is_scipy_s():
    """Coefficients by SciPy's bilinear transformation with a prewarped rate, the recursion by its lfilter; H = depth at the centre."""
    f, width, depth, T = 0.5, 0.4, 0.05, 0.1
    omega = 2 * np.pi * f
    rate = omega / (2.0 * np.tan(omega * T / 2))
    b, a = signal.bilinear([1, 2 * depth * width * omega, omega**2], [1, 2 * width * omega, omega**2], rate)
    own_b, own_a = notch_coefficients(f, width, depth, T)
    assert np.abs(np.concatenate([own_b - b, own_a - a[1:]])).max() < 1e-13
    _, response = signal.freqz(own_b, [1.0, *own_a], worN=[omega * T, 1e-6])
    assert np.abs(np.abs(response) - [depth, 1.0]).max() < 1e-6
    values, memory, found = np.random.default_rng(1).normal(size=(50, 3)), np.zeros((2, 3)), []
    for value in values:
        filtered, memory = notch((own_b, own_a), value, memory)
        found.append(filtered)
    assert np.abs(np.array(found) - signal.lfilter(b, a, values, axis=0)).max() < 1e-12


def test_shaper_and_notch_stand_at_frequencies_of_the_free_satellite():
    modes = api.linearize("FlexibleSatellite").modes
    free = sorted(mode.frequency for mode in modes if mode.damping < 0.5 and mode.frequency > 0.1)
    table = system_of("SlewController").signals
    starts = np.array(table.starts("parameters"))
    given = [
        starts[table.where("parameters", name)]
        for name in ("shaper.frequency[1]", "shaper.frequency[2]", "notch.frequency[1]")
    ]
    for frequency in given:
        assert min(abs(f - frequency) for f in free) < 1e-3
    assert abs(given[0] - 0.35) > 0.1  # the wing clamped at its root


RIGID = load_text("""
name = "Rigid"
[bodies.hub]
mass = 10.0
inertia = [10.0, 20.0, 15.0]
forces_at = ["frame"]
""")


class Adder(Block):
    """A torque and 0.1 N m."""

    inputs = (Signal("a", "torque", "N.m"),)
    outputs = (Signal("sum", "torque", "N.m"),)

    def results(self, now):
        return {"sum": now.a + 0.1}


def loop(**more):
    """A rigid body under the controller, and a constant torque about z."""
    controller = partner_system(
        AttitudeController(name="C", sample_time=0.1, stiffness=(4.0, 8.0, 6.0), damping=(9.0, 18.0, 14.0), **more)
    )
    names = [("plant", f"hub.quaternion[{i}]", f"quaternion[{i}]") for i in (1, 2, 3, 4)]
    names += [("plant", f"hub.angular_velocity[{i}]", f"angular_velocity[{i}]") for i in (1, 2, 3)]
    wires = [Wire((unit, source), ("controller", target)) for unit, source, target in names]
    wires += [Wire(("controller", f"torque[{i}]"), ("plant", f"hub.torque[{i}]")) for i in (1, 2)]
    wires += [Wire(("controller", "torque[3]"), ("adder", "a")), Wire(("adder", "sum"), ("plant", "hub.torque[3]"))]
    systems = {"plant": RIGID, "controller": controller, "adder": Adder().system()}
    parts = tuple(Part(name, system.made_by) for name, system in systems.items())
    return fuse(Fused("Loop", parts, tuple(wires), {"stop": 1.0, "step": 0.1, "tolerance": 1e-8}), systems)


def test_torque_is_the_law_and_stays_within_its_limit():
    """By hand, at a small attitude error without a slew: T = −2 K q_v − D ω − K_i I."""
    controller = partner_system(
        AttitudeController(
            name="C",
            sample_time=0.1,
            stiffness=(4.0, 8.0, 6.0),
            damping=(9.0, 18.0, 14.0),
            integral=(1.0, 2.0, 3.0),
            torque_limit=0.5,
        )
    )
    half = 0.01
    u = np.array([np.cos(half), np.sin(half), 0.0, 0.0, 0.001, 0.02, 0.04])
    x, _, k, d = evaluate.start(controller, u=u)
    torque = evaluate.motion(controller, 0.0, x, u, k, d)[1][:3]
    assert torque == pytest.approx([-4.0 * 2 * np.sin(half) - 9.0 * 0.001, -18.0 * 0.02, -0.5], abs=1e-15)
    integral = d[controller.signals.where("discretes", "error_integral")]
    assert integral == pytest.approx([0.1 * 2 * np.sin(half), 0.0, 0.0], abs=1e-15)
    _, d = evaluate.settle(controller, 0.1, x, u, k, d)  # the second sample feels the integral
    assert d[controller.signals.where("discretes", "held_torque")][0] == pytest.approx(
        torque[0] - integral[0], abs=1e-15
    )


def test_a_quaternion_of_zeros_is_no_attitude():
    controller = system_of("SlewController")
    u = np.zeros(7)
    x, _, k, d = evaluate.start(controller, u=u)
    y = evaluate.motion(controller, 0.0, x, u, k, d)[1]
    assert np.all(np.isfinite(y))
    assert np.all(y[:3] == 0.0)
    assert y[controller.signals.where("outputs", "attitude_valid")] == 0.0


@pytest.mark.parametrize(("gain", "left"), [(0.0, 0.1 / 6.0), (0.8, 0.0)])
def test_the_integral_removes_what_a_constant_torque_leaves(gain, left):
    """0.1 N m about z: the proportional part alone settles at 0.1/K, the integral at nothing."""
    closed = recorded(loop(integral=(0.0, 0.0, gain)))
    run = integrate(closed, np.linspace(0.0, 60.0, 4), rtol=1e-9, atol=1e-9)
    error = run.y[-1, closed.signals.where("outputs", "controller.error[3]")]
    assert error == pytest.approx(left, abs=1e-5)


def test_what_the_first_sample_changes_is_not_declared_exact():
    """FMI 2.0, 2.2.7: an exact value is still what was set after initialization, at which the first sample is taken."""
    controller = system_of("SlewController")
    table = controller.signals
    u = np.array(table.starts("inputs"))
    u[table.where("inputs", "quaternion[2]")] = 0.001  # the torque is below its limit, where the integral goes on
    given = np.array(table.starts("discretes"))
    _, _, _, d = evaluate.start(controller, u=u, d=given)
    changed = {s.name for s, a, b in zip(table.discretes, given, d, strict=True) if a != b}
    assert {"notch.memory[1,1,1]", "error_integral[1]"} <= changed
    assert changed <= {s.name for s in table.discretes if s.calculated}
