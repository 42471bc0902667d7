"""A sampled controller on a plant: coupled by model exchange and by co-simulation both agree with one System of the two."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.blocks.attitude_controller import AttitudeController
from spacefmu.dynamics.blocks.partner import partner_system
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.contract import About, Staged, System
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.interface.variables import variables_of
from tests.fmi.test_exchange import Host

PLANT = load_text("""
name = "ControlledBody"
[bodies.hub]
mass = 10.0
inertia = [10.0, 20.0, 15.0]
forces_at = ["frame"]
[bodies.hub.initial]
angular_velocity = [0.05, -0.1, 0.08]
""")
CONTROLLER = partner_system(
    AttitudeController(
        name="BodyController",
        sample_time=0.25,
        stiffness=(4.0, 8.0, 6.0),
        damping=(10.0, 20.0, 15.0),
        slew_angle=0.5,
        slew_duration=2.0,
    )
)
UNTIL, MEASURED, TORQUE = 3.0, ("quaternion", "angular_velocity"), "hub.torque"


def fused(plant: System, controller: System) -> System:
    """One System: the plant's states, the controller's discrete states, torque from one to the other."""
    torque = plant.signals.where("inputs", TORQUE)
    seen = [i for name in MEASURED for i in plant.signals.where("states", f"hub.{name}")]
    p = np.array(controller.signals.starts("parameters"))

    def pushed(u, d):
        u = np.array(u)
        u[torque] = d[controller.signals.where("discretes", "held_torque")]
        return u

    def finish(t, x, u, k, d, *solved):
        return plant.motion.finish(t, x, pushed(u, d), k, d[:0], *solved)

    def update(t, x, u, k, d, g, *solved):
        return x, controller.update.finish(t, np.zeros(0), x[seen], p, d, np.zeros(0), *solved)[1]

    return System(
        name="Fused",
        about=About("plant and controller"),
        signals=type(plant.signals)(
            plant.signals.states, plant.signals.inputs, plant.signals.parameters, controller.signals.discretes, plant.signals.outputs
        ),
        motion=Staged(finish),
        derive=plant.derive,
        constant_count=plant.constant_count,
        initialize=lambda t, x, u, k, d: (x, controller.initialize(t, x[:0], u, p, d)[1]),
        next_time=lambda t, x, u, k, d: controller.next_time(t, x, u, p, d),
        update=Staged(update),
        projections=plant.projections,
    )  # fmt: skip


@pytest.fixture(scope="module")
def wanted() -> np.ndarray:
    """The plant's attitude and angular velocity at the end."""
    system = fused(PLANT, CONTROLLER)
    trajectory = integrate(system, [0.0, UNTIL], rtol=1e-12, atol=1e-13)
    assert len(trajectory.events) >= 11
    return trajectory.x[-1, [i for name in MEASURED for i in PLANT.signals.where("states", f"hub.{name}")]]


def names(kind: str, count: int) -> list[str]:
    return [f"{kind}[{i}]" for i in range(1, count + 1)]


SENT = names("hub.quaternion", 4) + names("hub.angular_velocity", 3)
HEARD = names("quaternion", 4) + names("angular_velocity", 3)


# What the controller measures at its first sample, in initialization.
FIRST = {
    name: PLANT.signals.starts("states")[PLANT.signals.where("states", sent)]
    for name, sent in zip(HEARD, SENT, strict=True)
}


def exchange(plant, controller) -> None:
    """Values from one to the other, and back."""
    controller.set(dict(zip(HEARD, [plant[name] for name in SENT], strict=True)))
    plant.set(dict(zip(names(TORQUE, 3), [controller[name] for name in names("torque", 3)], strict=True)))


def test_model_exchange(unit, wanted):
    """The host evaluates both at every stage, the last one of a step at the time of the next sample itself."""
    plant, controller = Host(unit, PLANT), Host(unit, CONTROLLER, **FIRST)

    def rates(t, x):
        plant.place(t, x)
        controller.fmu.setTime(t)
        exchange(plant.unit, controller.unit)
        return plant.vector(plant.fmu.getDerivatives, PLANT.nx)

    t, count = 0.0, 0
    while t < UNTIL:
        end = min(controller.next_event, UNTIL)
        x = solve_ivp(rates, (t, end), plant.x, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        rates(end, x)
        t, count = end, count + 1
        for host in (plant, controller):
            host.fmu.completedIntegratorStep()
            host.fmu.enterEventMode()
        plant.settle()
        exchange(plant.unit, controller.unit)
        controller.settle()
    exchange(plant.unit, controller.unit)
    assert count == 12
    np.testing.assert_allclose([plant.unit[name] for name in SENT], wanted, atol=1e-9)


def test_sampled_outputs_are_held_until_event_mode(unit):
    """Also after the time of the sample: at any time and inputs that a host tries, the torque is that of the last event."""
    host = Host(unit, CONTROLLER)
    host.unit.set(dict(zip(HEARD, [1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3], strict=True)))
    host.fmu.enterEventMode()
    host.settle()
    before = [host.unit[name] for name in names("torque", 3)]
    for t in (0.1, host.next_event - 1e-10, host.next_event, host.next_event + 1.0):
        host.fmu.setTime(t)
        host.unit.set({"angular_velocity[1]": 0.5})
        assert [host.unit[name] for name in names("torque", 3)] == before
    state = ctypes.c_void_p(host.fmu.getFMUState().value)
    host.fmu.enterEventMode()
    assert host.unit["torque[1]"] != before[0]
    host.fmu.setFMUState(state)
    assert [host.unit[name] for name in names("torque", 3)] == before


def test_co_simulation(unit, wanted):
    """Steps of the sample time: a host that exchanges values at the sample gets the new torque."""
    plant, controller = unit(PLANT).initialize(), unit(CONTROLLER).initialize(**FIRST)
    for i in range(round(UNTIL / 0.25)):
        exchange(plant, controller)
        for each in (plant, controller):
            each.fmu.doStep(0.25 * i, 0.25)
    np.testing.assert_allclose([plant[name] for name in SENT], wanted, atol=1e-7)


def test_sampled_outputs_are_discrete():
    found = {v.name: v.variability for v in variables_of(CONTROLLER) if v.causality == "output"}
    assert {found[name] for name in names("torque", 3)} == {"discrete"}
    assert {found[name] for name in names("error", 3)} == {"continuous"}
