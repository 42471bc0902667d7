"""Native FMUs in co-simulation against SciPy's integration of the same System, variable by variable.

The two share the equations but nothing else: C against NumPy, our step control, event location and projection
against SciPy's solver. Bars: 1e-9 of each variable's largest value; event times 1e-9 s; residuals 1e-10 after 1000 s.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

from dynamics.reference import integrate
from fmu_src.native.fast import fast
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
    "TetheredMasses": {"chief.force[1]": 0.05, "chief.force[2]": 0.1},
}


@pytest.mark.parametrize("name", CASES)
def test_co_simulation_equals_the_reference(name):
    system = system_of(name)
    times = np.linspace(0.0, 20.0, 41)
    watch, found = run_fmu(name, times, CASES[name])
    wanted = integrate(fast(system), times, u=input_array(system, CASES[name]), rtol=1e-12, atol=1e-13)
    expected = np.hstack([wanted.x, wanted.y])
    scale = np.maximum(np.max(np.abs(expected), axis=0), 1.0)
    worst = np.max(np.abs(found - expected) / scale, axis=0)
    assert worst.max() < 1e-9, watch[int(np.argmax(worst))]  # measured: 2.5e-11, 5.1e-10, 2.4e-15


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
