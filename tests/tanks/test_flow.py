"""Mass that leaves: craft and exhaust keep their momenta at any state and at events; beads through a tube; spinning bodies in closed form."""

import numpy as np
import pytest

from spacefmu.dynamics.algebra.dual import duals, rates_of
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast

from .crafts import ARM, HUB, NOZZLE, ON_ARM, SECOND, TANK, craft

COUPLING = """
[bodies.far]
mass = 7.0
inertia = [1.0, 1.0, 1.0]
[joints.reach]
parent = "arm"
child = "far"
kind = "spherical"
place = [0.8, 0.0, 0.0]
[couplings.loop]
kind = "spherical"
a = "hub"
b = "far"
place_a = [1.5, 0.4, 0.2]
place_b = [0.5, 0.1, 0.0]
"""


def thrusts(system, **values):
    u = np.array(system.signals.starts("inputs"))
    for name, value in values.items():
        u[system.signals.where("inputs", f"thruster.{name}.force")] = value
    return u


def somewhere(system, seed, u):
    """A state away from the start, with its constants and discrete states."""
    x, _, k, d = evaluate.start(system, u=u)
    states = system.signals.layouts["states"]
    noise = np.random.default_rng(seed).normal(size=x.size) * 0.3
    for part in ("coordinates", "speeds"):
        x[states[part]] += noise[states[part]]
    return evaluate.project(system, 0.0, x, u, k, d), k, d


@pytest.mark.parametrize("parts", [(HUB, TANK, NOZZLE), (HUB, ARM, TANK, SECOND, NOZZLE, ON_ARM)])
@pytest.mark.parametrize("seed", range(4))
def test_momenta_and_energy_balance_at_any_state(parts, seed):
    """Rates of momentum and angular momentum of craft plus exhaust vanish, and energy is what propulsion supplies; exact rates, by dual numbers.

    Lines through a universal joint, two tanks in shares, thrust that rises."""
    system = craft(*parts)
    u = thrusts(system, main=300.0) + 700.0 * (len(system.signals.inputs) > 1) * np.arange(system.nu)
    x, k, d = somewhere(system, seed, u)
    none = np.zeros(0)
    x_dot = evaluate.motion(system, 0.0, x, u, k, d)[0]
    y_dot = rates_of(system.motion.finish(0.0, duals(x, x_dot), u, k, d, none, none, none)[1])
    rate = {entry.name: y_dot[i] for i, entry in enumerate(system.signals.outputs)}
    own = {entry.name: x_dot[i] for i, entry in enumerate(system.signals.states)}
    size = np.linalg.norm([own[f"propulsion.exhaust_momentum[{i}]"] for i in (1, 2, 3)])
    assert size > 100.0
    for i in (1, 2, 3):
        assert abs(rate[f"propulsion.momentum[{i}]"]) < 1e-12 * size
        assert abs(rate[f"propulsion.angular_momentum[{i}]"]) < 1e-12 * size
    gained = rate["system.kinetic_energy"] + own["propulsion.exhaust_energy"]
    assert gained == pytest.approx(own["propulsion.supplied_energy"], rel=1e-13)


@pytest.mark.parametrize("parts", [(HUB, ARM, TANK, SECOND, NOZZLE, ON_ARM), (HUB, ARM, COUPLING, TANK, NOZZLE)])
def test_a_flow_that_starts_takes_its_momentum_from_the_craft(parts):
    """Opening a valve jumps speeds by −p/m; the sum of all momenta stays, couplings stay closed, and the energy is booked. By recursion and by multipliers."""
    system = craft(*parts)
    off, on = thrusts(system), thrusts(system, main=5000.0)
    x, _, k, d = evaluate.start(system, u=off)
    y = evaluate.motion(system, 0.0, x, off, k, d)[1]
    x_new, d_new = evaluate.settle(system, 0.0, x, on, k, d)
    y_new = evaluate.motion(system, 0.0, x_new, on, k, d_new)[1]
    moved = np.abs(x_new - x)[system.signals.layouts["states"]["speeds"]].max()
    assert moved > 1e-3
    names = [entry.name for entry in system.signals.outputs]
    for i, name in enumerate(names):
        if name.startswith(("propulsion.", "system.momentum")):
            assert y_new[i] == pytest.approx(y[i], abs=1e-11), name
    energy = names.index("system.kinetic_energy")
    supplied = system.signals.where("states", "propulsion.supplied_energy")
    assert y_new[energy] - y[energy] == pytest.approx(x_new[supplied] - x[supplied], rel=1e-9)
    x_back, _ = evaluate.settle(system, 0.0, x_new, off, k, d_new)
    assert x_back == pytest.approx(x, abs=1e-12)


def test_an_empty_tank_ends_the_thrust_at_a_located_event():
    """At the instant (propellant − residual)/flow; from then on nothing burns, whatever is asked for, and all momenta are as before."""
    system = fast(craft(HUB, TANK, NOZZLE, a=("propellant = 120.0", "propellant = 7.0\nresidual = 2.0")))
    u, flow = thrusts(system, main=2000.0), 2000.0 / (200.0 * 9.80665)
    run = integrate(system, np.linspace(0.0, 8.0, 9), u=u)
    assert run.events == pytest.approx([5.0 / flow], abs=1e-9)
    propellant = run.x[:, system.signals.where("states", "tank.main.propellant")]
    assert propellant[-3:] == pytest.approx(2.0, abs=1e-9)
    assert run.y[-1, system.signals.where("outputs", "thruster.main.given_force")] == 0.0
    for name in ("momentum", "angular_momentum"):
        total = run.y[:, system.signals.where("outputs", f"propulsion.{name}")]
        left = np.abs(run.x[-1, system.signals.where("states", f"propulsion.exhaust_{name}")]).max()
        assert np.ptp(total, axis=0).max() < 1e-10 * left
    energy = run.y[:, system.signals.where("outputs", "system.kinetic_energy")]
    energy = energy + run.x[:, system.signals.where("states", "propulsion.exhaust_energy")]
    supplied = run.x[:, system.signals.where("states", "propulsion.supplied_energy")]
    assert np.ptp(energy - supplied) < 1e-11 * supplied[-1]


# ---- beads through a tube


def beads(per_second: int, runs=True, duration=1.0):
    """(v, ω) of a body after `duration`: beads leave a point tank, run through a straight tube and are shot off at its end.

    Between events momentum and angular momentum of body and beads are constant; both follow from where beads are. Nothing else is assumed.
    There is one bead in the tube at any time, so that the flow is steady. runs=False: it vanishes in the tank and reappears at the nozzle."""
    tank, end = np.array([0.1, 0.2, -0.3]), np.array([-0.7, 0.1, 0.2])
    mass, inertia, bead = 100.0, np.diag([20.0, 22.0, 25.0]), 20.0 / per_second
    exhaust = -np.array([1.0, 0.3, 0.2]) / np.linalg.norm([1.0, 0.3, 0.2]) * 30.0
    length = np.linalg.norm(end - tank)
    speed = length * per_second
    along = (end - tank) / length
    left = 60.0

    def spread(r):
        return r @ r * np.eye(3) - np.outer(r, r)

    def momenta(points, w):
        """M (6, 6) and the part of beads' own motion, (6,)."""
        total = mass + sum(m for m, _, _ in points)
        first = sum((m * r for m, r, _ in points), np.zeros(3))
        J = inertia + sum(m * spread(r) for m, r, _ in points)
        tilde = np.cross(np.eye(3), first)
        own = sum((m * np.concatenate([c, np.cross(r, c)]) for m, r, c in points), np.zeros(6))
        return np.block([[total * np.eye(3), -tilde], [tilde, J]]) @ w + own

    def solved(points, target):
        M = np.column_stack([momenta(points, e) - momenta(points, 0 * e) for e in np.eye(6)])
        return np.linalg.solve(M, target - momenta(points, np.zeros(6)))

    def turned(points, target, span, steps):
        """Integrate P, H in body axes: Ṗ = −ω×P, Ḣ = −ω×H − v×P; beads move along the tube."""
        h = span / steps

        def rate(t, y):
            moved = [(m, r + c * t, c) for m, r, c in points]
            v, w = np.split(solved(moved, y), 2)
            return np.concatenate([-np.cross(w, y[:3]), -np.cross(w, y[3:]) - np.cross(v, y[:3])])

        t = 0.0
        for _ in range(steps):
            k1 = rate(t, target)
            k2 = rate(t + h / 2, target + h / 2 * k1)
            k3 = rate(t + h / 2, target + h / 2 * k2)
            k4 = rate(t + h, target + h * k3)
            target, t = target + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t + h
        return target, [(m, r + c * span, c) for m, r, c in points]

    w = np.array([1.0, 0.0, 0.0, 0.1, 2.0, 0.3])
    target = momenta([(left, tank, 0 * tank)], w)
    for _ in range(round(duration * per_second)):
        points = [(left - bead, tank, 0 * tank), (bead, tank, along * speed)]
        left -= bead
        if runs:
            target, points = turned(points, target, length / speed, 2)
        else:
            target = momenta(points, w) - momenta(points, 0 * w)
            target, points = turned([(m, r, 0 * c) for m, r, c in points], target, length / speed, 2)
            points = [points[0], (bead, end, 0 * end)]
            target = momenta(points, solved([(left + bead, tank, 0 * tank)], target))
        v, omega = np.split(solved(points, target), 2)
        gone = bead * (v + np.cross(omega, end) + exhaust)
        target = target - np.concatenate([gone, np.cross(end, gone)])
        w = solved(points[:1], target)
    return solved([(left, tank, 0 * tank)], target)


def test_beads_through_a_tube_in_the_limit():
    """With more and smaller beads their motion tends to the equations', as 1/n. Beads that vanish and reappear tend to something else."""
    system = fast(craft(HUB, TANK, NOZZLE,
        a=('kind = "sphere"\nradius = 0.4\noutlet = "-z"', 'kind = "point"'), b=("dry = 5.0", ""), c=("propellant = 120.0", "propellant = 60.0"),
        d=("isp = 200.0", "exhaust_velocity = 30.0"), e=("mass_center = [0.02, -0.01, 0.05]", ""), f=("[0.1, 0.2, 0.3]", "[0.1, 2.0, 0.3]")))  # fmt: skip
    x, _, k, d = evaluate.start(system)
    on = thrusts(system, main=600.0)
    x, d = evaluate.settle(system, 0.0, x, on, k, d)
    run = integrate(system, [0.0, 1.0], u=on, x=x)
    off_x, _ = evaluate.settle(system, 1.0, run.x[-1], thrusts(system), k, run.d[-1])
    names = [entry.name for entry in system.signals.states]
    omega = off_x[names.index("hub.angular_velocity[1]") :][:3]
    fine, finer = (beads(n)[3:] for n in (50, 100))
    error = np.abs(fine - omega).max(), np.abs(finer - omega).max()
    assert error[1] < 0.6 * error[0]
    assert 2.0 * finer - fine == pytest.approx(omega, abs=0.03 * error[1] + 1e-6)
    assert np.abs(beads(100, runs=False)[3:] - omega).max() > 10.0 * error[1]
