"""Native FMUs in co-simulation against SciPy's integration of the same System, variable by variable.

The reference here, `alone`, is the equations on floats in plain NumPy, linear systems and integration by SciPy, no projection, the jump of
a cable by its textbook formula: it shares with the FMU the text of the equations and nothing else. It is slow, so it runs
for a short while, once for each kind of System: a tree, a closed loop, a cable through an event (the sampled controller has
its law in tests/cosim/test_master.py). The reference over the symbols' trace, with our projection and events, runs longer
(tests/cosim/test_catalogue.py).
Bars: 1e-9 of each variable's largest value; event times 1e-9 s; residuals 1e-10 after 1000 s.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg
from fmpy.fmi2 import FMU2Slave
from scipy.integrate import solve_ivp

from tests.catalogue_fmus import close_fmu, open_fmu, system_of


def run_fmu(name, times, inputs=None, starts=None, tolerance=1e-12, watch=None):
    """Values of `watch` at the given times; `inputs` are held constant, `starts` set before initialization."""
    system = system_of(name)
    fmu, reference = open_fmu(name, FMU2Slave)
    watch = watch or [s.name for s in (*system.signals.states, *system.signals.outputs)]
    fmu.setupExperiment(tolerance=tolerance, startTime=times[0])
    for variable, value in (starts or {}).items():
        fmu.setReal([reference[variable]], [value])
    fmu.enterInitializationMode()
    for variable, value in (inputs or {}).items():
        fmu.setReal([reference[variable]], [value])
    fmu.exitInitializationMode()
    references = [reference[variable] for variable in watch]
    rows = [fmu.getReal(references)]
    for t, t_next in pairwise(times):
        fmu.doStep(t, t_next - t)
        rows.append(fmu.getReal(references))
    close_fmu(fmu)
    return watch, np.array(rows)


def input_array(system, inputs):
    names = [s.name for s in system.signals.inputs]
    u = np.array(system.signals.starts("inputs"))
    for variable, value in inputs.items():
        u[names.index(variable)] = value
    return u


CASES = {
    "HingedPanel": {"hub.torque[1]": 0.7, "hub.torque[3]": -0.4, "hub.force[2]": 1.0, "sadm.torque": 2.0},
    "FourBar": {"hinge1.torque": 0.3},
}


def alone(system, u, d):
    """ẋ(t, x) and y(t, x) by NumPy on floats; M z = f + Gᵀλ, G z = γ as one least-squares problem of SciPy's."""
    k = np.asarray(system.derive(np.array(system.signals.starts("parameters"))), float)
    stage, nothing = system.motion, (np.zeros(0),) * 3

    def solved(t, x):
        if stage.assemble is None:
            return nothing
        M, G, f, gamma, carry = stage.assemble(t, x, u, k, d)
        G = np.reshape(G, (stage.m, stage.n))
        saddle = np.block([[M, -G.T], [G, np.zeros((stage.m, stage.m))]])
        solution = scipy.linalg.lstsq(saddle, np.concatenate([f, gamma]), cond=1e-10)[0]
        return solution[: stage.n], solution[stage.n :], carry

    def part(number):
        return lambda t, x: np.asarray(stage.finish(t, x, u, k, d, *solved(t, x))[number], float)

    return part(0), part(1)


def by_scipy(rates, times, x, **more):
    done = solve_ivp(rates, (times[0], times[-1]), x, "DOP853", times, rtol=1e-12, atol=1e-13, **more)
    assert done.success, done.message
    return done


def compare(watch, found, expected, bar):
    scale = np.maximum(np.max(np.abs(expected), axis=0), 1.0)
    worst = np.max(np.abs(found - expected) / scale, axis=0)
    assert worst.max() < bar, (watch[int(np.argmax(worst))], worst.max())


@pytest.mark.parametrize("name", ["HingedPanel", "FourBar"])
def test_co_simulation_equals_numpy_and_scipy_alone(name):
    """0.3 s of a flexible tree and of a closed loop under load."""
    system, times = system_of(name), np.linspace(0.0, 0.3, 3)
    rates, outputs = alone(system, input_array(system, CASES[name]), np.array(system.signals.starts("discretes")))
    x = by_scipy(rates, times, np.array(system.signals.starts("states"))).y.T
    watch, found = run_fmu(name, times, CASES[name])
    compare(watch, found, np.hstack([x, [outputs(t, state) for t, state in zip(times, x, strict=True)]]), 1e-9)


def test_a_cable_through_its_event_equals_numpy_and_scipy_alone():
    """Slack flight, the impulse of a plastic catch, motion on the taut cable.

    The masses fly until |r| = L; then the velocities along the cable become that of the mass centre (restitution 0):
    m₁ and m₂ take the impulse J = −(n·Δv) m₁m₂/(m₁ + m₂) along n.
    """
    pull = {"chief.force[1]": -0.05, "chief.force[2]": -0.1}  # away from the deputy: the cable stays taut
    system, length, masses = system_of("TetheredMasses"), 10.0, (20.0, 5.0)  # TetheredMasses.toml
    names = [s.name for s in system.signals.states]
    place = {
        body: [names.index(f"{body}_place.{what}[{i}]") for what in ("position", "velocity") for i in (1, 2, 3)]
        for body in ("chief", "deputy")
    }
    u, d = input_array(system, pull), np.array(system.signals.starts("discretes"))

    def difference(x):
        return x[place["deputy"]] - x[place["chief"]]

    def tight(t, x):
        return np.linalg.norm(difference(x)[:3]) - length

    tight.terminal = True
    rates, _ = alone(system, u, d)
    flight = by_scipy(rates, np.array([0.0, 20.0]), np.array(system.signals.starts("states")), events=tight)
    (t_catch,), (x,) = flight.t_events[0], flight.y_events[0].copy()
    r, v = np.split(difference(x), 2)
    impulse = -(r @ v / length) * masses[0] * masses[1] / sum(masses) * r / length  # on the deputy
    x[place["deputy"][3:]] += impulse / masses[1]
    x[place["chief"][3:]] -= impulse / masses[0]
    taut = next(i for i, signal in enumerate(system.signals.discretes) if signal.name == "tether.taut")
    rates, _ = alone(system, u, np.where(np.arange(len(d)) == taut, 1.0, d))
    wanted = by_scipy(rates, np.array([t_catch, 15.0]), x).y[:, -1]
    moving = [names[i] for body in place.values() for i in body]
    _, found = run_fmu("TetheredMasses", np.array([0.0, 15.0]), pull, watch=moving)
    compare(moving, found[-1:], wanted[None, [names.index(name) for name in moving]], 1e-9)


def test_free_satellite_keeps_momentum_and_energy():
    """HingedPanel tumbling without inputs or damping for 60 s: relative to |L| and E, 1e-10."""
    starts = {"hub.angular_velocity[1]": 0.2, "hub.angular_velocity[2]": -0.1, "hub.angular_velocity[3]": 0.3}
    starts |= {"sadm.damping": 0.0, **{f"panel.mode[{i}].damping": 0.0 for i in range(1, 5)}}
    laws = [f"system.{q}[{i}]" for q in ("momentum", "angular_momentum") for i in (1, 2, 3)]
    watch = [*laws, "system.kinetic_energy", "system.potential_energy"]
    _, rows = run_fmu("HingedPanel", np.linspace(0.0, 60.0, 61), starts=starts, watch=watch)
    momentum, angular, energy = rows[:, :3], rows[:, 3:6], rows[:, 6] + rows[:, 7]
    assert np.ptp(momentum, axis=0).max() < 1e-10 * np.linalg.norm(momentum[0])  # the mass centre is off the frame
    assert np.ptp(angular, axis=0).max() < 1e-10 * np.linalg.norm(angular[0])
    assert np.ptp(energy) < 1e-10 * energy[0]


def test_event_times_of_the_cable():
    """The slack cable tightens when |r₀ + v₀ t| = L: a quadratic equation. The FMU's taut flag flips there."""
    r, v, length = np.array([6.0, 0.0, 0.0]), np.array([0.5, 0.4, 0.1]), 10.0
    a, b, c = v @ v, 2.0 * r @ v, r @ r - length**2
    tightens = (-b + np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    for offset, taut in ((-1e-9, False), (1e-9, True)):
        fmu, reference = open_fmu("TetheredMasses", FMU2Slave)
        fmu.setupExperiment(tolerance=1e-10, startTime=0.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        fmu.doStep(0.0, tightens + offset)
        assert bool(fmu.getBoolean([reference["tether.taut"]])[0]) is taut
        close_fmu(fmu)


def test_closed_loop_does_not_drift():
    """FourBar for 1000 s (it travels 600 m): the loop stays closed, and free momenta and energy hold."""
    ends = [f"{node}.position[{i}]" for node in ("bar1.start", "bar4.end") for i in (1, 2, 3)]
    watch = [*ends, "system.kinetic_energy", "system.angular_momentum[3]", "system.momentum[1]", "system.momentum[2]"]
    _, rows = run_fmu("FourBar", np.linspace(0.0, 1000.0, 2001), watch=watch, tolerance=1e-13)
    assert np.abs(rows[:, :3] - rows[:, 3:6]).max() < 1e-10  # measured 2.3e-13, two ulp of 600 m
    energy, angular, momentum = rows[:, 6], rows[:, 7], rows[:, 8:]
    assert np.ptp(energy) < 1e-10 * energy[0]  # measured 1.3e-11
    assert np.ptp(angular) < 1e-10 * abs(angular[0])  # measured 5e-13
    assert np.ptp(momentum, axis=0).max() < 1e-10 * np.linalg.norm(momentum[0])  # measured 5e-11
