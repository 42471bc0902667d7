"""Dry friction that sticks: closed forms of the block on a spring and of breaking loose, balances, both routes, both flavours."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.fmi2 import FMU2Slave

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import close_fmu, open_unpacked, unpack
from tests.laws.balance import assert_energy, assert_laws

HINGE = """
name = "Hinge"
[bodies.arm]
mass = 1.0
inertia = [0.3, 0.3, 0.5]
[joints.pin]
parent = "space"
child = "arm"
kind = "revolute"
axis = "z"
stiffness = 4.0
friction = 0.3
static_friction = 0.5
drive = "torque"
initial = { position = 1.0 }
"""
SWING = np.pi * np.sqrt(0.5 / 4.0)  # half a period: friction shifts the middle, not the period
TURNS = 1.0 - 0.15 * np.arange(
    7
)  # |angle| at rest, 2F/k less each time: 1, 0.85 …, 0.1, where 0.4 N m of the spring hold no longer


def angle(system, run):
    return run.x[:, system.signals.where("states", "pin.angle")]


def test_a_hinge_on_a_spring_comes_to_rest_where_friction_holds_it():
    """Six half swings of π√(J/k), each 2F/k shorter than the one before; then it stands at 0.1 rad. Times and angles to 1e-9."""
    system = load_text(HINGE)
    times = SWING * np.arange(8.0)
    run = integrate(fast(system), times)
    np.testing.assert_allclose(run.events[:6], times[1:7], atol=1e-9)
    np.testing.assert_allclose(angle(system, run), [*(TURNS * (-1.0) ** np.arange(7)), 0.1], atol=1e-9)
    stuck = run.d[:, system.signals.where("discretes", "pin.stuck")]
    assert list(stuck[[0, 1, 2, 3, 4, 5, 7]]) == [0.0] * 6 + [1.0]
    assert run.x[-1][system.signals.where("states", "pin.rate")] == 0.0
    assert_energy(system, run)


def test_it_breaks_loose_at_static_friction():
    """Pushed by t newton metres: it stands until t = 0.5 s, then J θ̈ = t − 0.3."""
    system = load_text(HINGE.replace("stiffness = 4.0", "").replace("position = 1.0", "position = 0.0"))
    run = integrate(fast(system), [0.0, 0.45, 1.0], lambda t: np.array([t]))
    (event,) = run.events
    assert event == pytest.approx(0.5, abs=1e-9)
    s = 0.5
    closed = (s**3 / 6.0 + 0.2 * s**2 / 2.0) / 0.5  # ∫∫ (0.2 + s) ds ds
    np.testing.assert_allclose(angle(system, run), [0.0, 0.0, closed], atol=1e-9)


FREE = (
    HINGE.replace('parent = "space"', 'parent = "hub"')
    + """
[bodies.hub]
mass = 2.0
inertia = [0.4, 0.5, 0.6]
initial = { angular_velocity = [0.1, 0.0, 0.3] }
"""
)


def test_free_bodies_keep_their_momenta():
    """Hub and arm in free flight, through sliding, turning round and sticking: momenta, and energy less what friction took, to 1e-10."""
    system = load_text(FREE)
    run = integrate(fast(system), np.linspace(0.0, 8.0, 17))
    assert_laws(system, run)
    assert run.d[-1][system.signals.where("discretes", "pin.stuck")] == 1.0
    assert len(run.events) >= 5


GEARED = (
    HINGE.replace('drive = "torque"\n', "")
    + """
[bodies.other]
mass = 1.0
inertia = [0.3, 0.3, 0.5]
[joints.axle]
parent = "space"
child = "other"
kind = "revolute"
axis = "z"
initial = { position = 1.0 }
[relations.gear]
terms = { pin = 1.0, axle = -1.0 }
"""
)


def test_the_same_with_multipliers():
    """Geared to a second arm it has twice the inertia: √2 of the time, the same angles."""
    system = load_text(GEARED)
    times = np.sqrt(2.0) * SWING * np.arange(8.0)
    run = integrate(fast(system), times)
    np.testing.assert_allclose(run.events[:6], times[1:7], atol=1e-8)
    np.testing.assert_allclose(angle(system, run), [*(TURNS * (-1.0) ** np.arange(7)), 0.1], atol=1e-8)
    assert_energy(system, run)


def test_both_flavours_and_a_host_come_to_rest_there():
    """Native and Python co-simulation at 0.1 rad after 8 s; a model exchange of FMPy's (CVODE) as well."""
    system = load_text(HINGE)
    folder = unpack(build_native, system)
    fmu, references = open_unpacked(folder, FMU2Slave)
    fmu.setupExperiment(tolerance=1e-9, startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    instance = Instance(system, "test")
    own = {variable.name: variable.reference for variable in instance.variables}
    instance.setup_experiment(0.0, None, 1e-9)
    instance.enter_initialization()
    instance.exit_initialization()
    for i in range(8):
        fmu.doStep(float(i), 1.0)
        instance.step(float(i), 1.0)
    native = fmu.getReal([references["pin.angle"]])[0], fmu.getBoolean([references["pin.stuck"]])[0]
    close_fmu(fmu)
    assert native == (pytest.approx(0.1, abs=1e-8), 1)
    assert instance.get([own["pin.angle"]], ("real",))[0] == pytest.approx(native[0], abs=1e-9)
    hosted = simulate_fmu(
        str(folder), stop_time=8.0, fmi_type="ModelExchange", output=["pin.angle"], relative_tolerance=1e-8
    )
    assert hosted["pin.angle"][-1] == pytest.approx(0.1, abs=1e-5)


BAD = {
    "less": (HINGE.replace("static_friction = 0.5", "static_friction = 0.1"), "pin.static_friction is 0.1, expected at least friction"),
    "alone": (HINGE.replace("friction = 0.3\n", ""), "expected at least friction, which has to be there as well"),
    "lock": (HINGE.replace('drive = "torque"', "lock = true"), "is not allowed on an axis that locks or whose motion is prescribed"),
    "driven": (HINGE.replace('"torque"', '"acceleration"'), "is not allowed on an axis that locks or whose motion is prescribed"),
    "rate": (HINGE.replace("static_friction = 0.5", "static_friction = 0.5\nfriction_rate = 0.1"), "friction_rate = [0.1] is not allowed with static_friction"),
}  # fmt: skip


@pytest.mark.parametrize("text, sentence", BAD.values(), ids=list(BAD))
def test_refusals(text, sentence):
    with pytest.raises(DescriptionError) as error:
        load_text(text)
    assert sentence in str(error.value)
