"""One text of the physics, three ways to run it: NumPy floats, CasADi symbols, compiled C inside the FMU.

At seeded states all three agree to 1e-12 per evaluation, relative to the largest entry of each result.
"""

from __future__ import annotations

from ctypes import POINTER, c_double

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import constants, motion, project
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace import traces as trace
from spacefmu.fmu_src.native.trace.fast import fast
from tests.catalogue_fmus import close_fmu, open_fmu, open_unpacked, system_of, unpack
from tests.large_crafts import mixed_chain

PLANTS = ("HingedPanel", "FourBar", "TetheredMasses")
STATES = 5
DOUBLES = POINTER(c_double)


def seeded_states(system, seed: int, spread: float = 0.1):
    """Random states on the constraints near the start, and random inputs."""
    rng = np.random.default_rng(seed)
    u0, k = np.zeros(system.nu), constants(system, system.signals.starts("parameters"))
    for _ in range(STATES):
        x = np.array(system.signals.starts("states")) + spread * rng.normal(size=system.nx)
        yield project(system, 0.0, x, u0, k, discretes(system)), rng.normal(size=system.nu)


def relative_difference(a, b) -> float:
    return float(np.max(np.abs(a - b), initial=0.0) / max(1.0, np.max(np.abs(b), initial=0.0)))


def discretes(system) -> np.ndarray:
    return np.array(system.signals.starts("discretes"))


@pytest.mark.parametrize("name", (*PLANTS, "AttitudeController"))
def test_floats_and_symbols(name):
    system = system_of(name)
    quick = fast(system)
    k = constants(system, system.signals.starts("parameters"))
    for x, u in seeded_states(system, 1):
        floats, symbols = (motion(s, 0.05, x, u, k, discretes(system)) for s in (system, quick))
        for a, b in zip(floats, symbols, strict=True):
            assert relative_difference(a, b) < 1e-12  # measured 2.9e-15


@pytest.mark.parametrize("name", PLANTS)
def test_floats_and_compiled_c(name):
    compare_compiled(system_of(name), *open_fmu(name, FMU2Model))


@pytest.mark.parametrize(
    ("links", "closed", "spread", "tolerance"),
    [
        pytest.param(8, False, 0.02, 1e-12, id="tree"),
        pytest.param(24, False, 0.02, 1e-12, id="long tree", marks=pytest.mark.slow),
        pytest.param(14, True, 0.002, 1e-11, id="loop", marks=pytest.mark.slow),
    ],
)
def test_floats_and_compiled_c_of_a_large_system(links, closed, spread, tolerance):
    """Every fourth link flexible: C of pieces, called in loops.

    The equations of the loop agree to 1e-15 (tests/native/test_large.py); what their solve shows is the condition of M, 1.2e6.
    """
    system = load_text(mixed_chain(links, closed))
    assert system.nx >= trace.LARGE
    compare_compiled(system, *open_unpacked(unpack(build_native, system), FMU2Model), spread, tolerance)


def compare_compiled(system, fmu, reference, spread=0.1, tolerance=1e-12):
    """Model exchange shows the C itself: states and inputs go in, derivatives and outputs come out."""
    k = constants(system, system.signals.starts("parameters"))
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.newDiscreteStates()
    fmu.enterContinuousTimeMode()
    inputs = [reference[s.name] for s in system.signals.inputs]
    outputs = [(s, reference[s.name]) for s in system.signals.outputs]
    modes = [reference[s.name] for s in system.signals.discretes]
    d = np.array([_get(fmu, s, r) for s, r in zip(system.signals.discretes, modes, strict=True)])
    for x, u in seeded_states(system, 2, spread):
        fmu.setTime(0.05)
        fmu.setContinuousStates(np.ascontiguousarray(x).ctypes.data_as(DOUBLES), system.nx)
        fmu.setReal(inputs, list(u))
        x_dot = np.zeros(system.nx)
        fmu.getDerivatives(x_dot.ctypes.data_as(DOUBLES), system.nx)
        expected_rates, expected_outputs, _ = motion(system, 0.05, x, u, k, d)
        assert relative_difference(x_dot, expected_rates) < tolerance  # measured 3.5e-15; of the loop 1e-12
        assert relative_difference(np.array([_get(fmu, *each) for each in outputs]), expected_outputs) < tolerance
    close_fmu(fmu)


def _get(fmu, signal, reference) -> float:
    get = {"real": fmu.getReal, "boolean": fmu.getBoolean}.get(signal.kind, fmu.getInteger)
    return float(get([reference])[0])
