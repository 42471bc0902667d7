"""A joint kind, a sensor and a load of one's own: one class each, and one row where the spacecraft is put together.

Nothing else knows of them, and they come out as quantities, equations and an FMU's variables like all others.
The screw is proved by a second route: a cylindrical joint whose slide is tied to its turn by a relation, with multipliers.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from spacefmu.dynamics.bodies.body import Node, plain_node
from spacefmu.dynamics.constraints import relation
from spacefmu.dynamics.constraints.grip import End
from spacefmu.dynamics.description.tables import SpacecraftTable
from spacefmu.dynamics.evaluate import motion, start
from spacefmu.dynamics.joints import AxesJoint, FreeJoint
from spacefmu.dynamics.joints.coordinates import ROTATION, speed_state
from spacefmu.dynamics.joints.forces import NoForces
from spacefmu.dynamics.joints.kinds import Straight
from spacefmu.dynamics.joints.table import JOINTS
from spacefmu.dynamics.loads import Load
from spacefmu.dynamics.pieces import Declared, Piece, input_, output, parameter, state
from spacefmu.dynamics.reference import integrate
from spacefmu.dynamics.rotation import axis_angle_dcm, cross
from spacefmu.dynamics.signals import Parameter, State
from spacefmu.dynamics.spacecraft import Joint, Spacecraft, spacecraft_system
from spacefmu.dynamics.spacecraft.outputs import SENSORS
from spacefmu.dynamics.tree.kinematics import place_on
from spacefmu.dynamics.tree.topology import Link, Tree
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.fast import fast
from tests.laws.random_trees import rigid

AXIS, LEAD = (0.0, 0.6, 0.8), 0.3  # [m/rad]


@dataclass(frozen=True)
class ScrewJoint(Straight):
    """Turns about its axis and moves along it by `lead` [m/rad]."""

    axis: tuple[float, float, float]
    lead: float
    nq = 1
    nv = 1
    quaternion = None

    def pose(self, q):
        axis = np.array(self.axis)
        return axis * (self.lead * q[0]), axis_angle_dcm(axis, q[0])

    def axes(self, q):
        axis = np.array(self.axis).reshape(3, 1)
        return axis * self.lead, axis

    def turning(self, q, v, omega):
        return v[0] * cross(omega, np.array(self.axis))

    def map(self, q):
        return np.eye(1)

    def states(self, name, q0, v0, prescribed=frozenset(), space="N"):
        turn = State(f"{name}.angle", f"turn of {name}", "rad", q0[0], derivative=f"{name}.rate", reinit=True)
        rate = speed_state(
            f"{name}.rate", f"rate of {name}", "rad/s", v0[0], f"{name}.acceleration", ROTATION.acceleration_unit
        )
        return [turn], [rate]


@dataclass(frozen=True)
class Wind(Load):
    """−c (v − w): a force against the velocity of a node relative to a wind w, which is an input in N."""

    name: str
    body: int
    node: Node
    drag: Declared[Parameter] = parameter("drag of {self.name}", "N.s/m", min=0.0, tunable=True)
    wind = input_("wind at {self.name}, in N", "m/s", np.zeros(3))

    def wrench(self, u, k, place, scene):
        return -k[self.drag] * (place.velocity - place.dcm_NP.T @ u[self.wind]), np.zeros(3)

    def laws(self, k):
        return [(f"{self.name}.drag must be positive", k[self.drag])]


@dataclass(frozen=True)
class Lagging(Piece):
    """A gyro whose answer lags behind: τ ṁ = ω − m, with a state of its own."""

    name: str
    body: int
    node: Node
    mount: np.ndarray
    fields: tuple = ()
    lag: Declared[Parameter] = parameter("time constant of {self.name}", "s", 0.5, min=1e-9)
    measured = state("what {self.name} shows, in its axes", "rad/s", np.zeros(3), derivative_unit="rad/s2")
    error = output("what {self.name} shows less the angular velocity, in its axes", "rad/s", np.zeros(3))

    def _missing(self, instant):
        omega = self.mount.T @ place_on(instant.moment.bodies[self.body], self.node).omega
        return instant.moment.x[self.measured] - omega

    def state_rates(self, instant):
        return -self._missing(instant) / instant.moment.k[self.lag]

    def values(self, instant):
        return self._missing(instant)


def craft(joint, forces, q, v, **more) -> Spacecraft:
    rng = np.random.default_rng(2)
    hub, arm, none = rigid(rng, "hub"), rigid(rng, "arm"), np.zeros(0)
    links = (
        Link(hub, FreeJoint(), -1, plain_node("space", np.zeros(3)), np.eye(3)),
        Link(arm, joint, 0, hub.nodes["tip"], np.eye(3)),
    )
    free = Joint("hub", NoForces(6), np.array([0, 0, 0, 1.0, 0, 0, 0]), rng.normal(size=6) * 0.3, none, none)
    return Spacecraft(
        "Own", "pieces of one's own", Tree(links), (free, Joint("screw", forces, q, v, none, none)), **more
    )


def test_a_screw_is_a_slide_tied_to_a_turn():
    """v̇ of the hub and of the turn equal those of the same motion with a multiplier."""
    turn, rate = 0.7, -0.4
    screw = spacecraft_system(craft(ScrewJoint(AXIS, LEAD), NoForces(1), np.array([turn]), np.array([rate])))
    space = End(-1, plain_node("space", np.zeros(3)))
    tied = relation(
        "thread",
        (space, space),
        (("screw.position[1]", "screw.velocity[1]", 1.0), ("screw.angle[1]", "screw.rate[1]", -LEAD)),
    )
    slide, speed = np.array([LEAD * turn, turn]), np.array([LEAD * rate, rate])
    peer = spacecraft_system(craft(AxesJoint((AXIS,), (AXIS,)), NoForces(2), slide, speed, couplings=(tied,)))
    found, expected = (motion(system, 0.0, *start(system))[0] for system in (screw, peer))
    np.testing.assert_allclose(found[8:15], [*expected[9:15], expected[16]], rtol=1e-12, atol=1e-13)
    assert screw.motion.assemble is None


@pytest.fixture(scope="module")
def system():
    own = craft(ScrewJoint(AXIS, LEAD), NoForces(1), np.array([0.2]), np.array([1.0]))
    body = own.tree.links[1].body
    load, sensor = Wind("wind", 1, body.nodes["tip"], 2.0), Lagging("sensor.slow", 1, body.nodes["tip"], np.eye(3))
    return spacecraft_system(replace(own, loads=(load,), sensors=(sensor,)))


def test_their_quantities_are_variables_of_the_fmu(system):
    variables = {variable.name: variable for variable in variables_of(system)}
    assert variables["wind.drag"].causality == "parameter"
    assert variables["wind.wind[3]"].causality == "input"
    assert variables["sensor.slow.measured[1]"].signal.unit == "rad/s"
    assert variables["sensor.slow.error[2]"].causality == "output"
    assert "wind.drag must be positive" in system.laws


def test_they_move_on_floats_and_symbols_alike(system):
    x, u, k, d = start(system)
    for quick, slow in zip(
        motion(fast(system), 0.0, x, u + 0.3, k, d), motion(system, 0.0, x, u + 0.3, k, d), strict=True
    ):
        np.testing.assert_allclose(quick, slow, rtol=1e-12, atol=1e-13)


def test_the_energy_balance_counts_the_load_and_the_sensor_follows(system):
    """T − T₀ = work, to 1e-10; after 20 time constants the sensor lags by τ ω̇ alone, to second order."""
    run = integrate(fast(system), np.linspace(0.0, 10.0, 11))
    table = system.signals
    energy, work = (
        run.y[:, table.where("outputs", "system.kinetic_energy")],
        run.x[:, table.where("states", "system.work")],
    )
    assert work[-1] < -0.01
    np.testing.assert_allclose(energy - work, energy[0], rtol=1e-10)
    error = run.y[:, table.where("outputs", "sensor.slow.error")]
    assert np.linalg.norm(error[-1]) < 0.2 * np.linalg.norm(error[0])


def test_descriptions_take_their_kinds_from_the_tables():
    """The kinds that a description may name are those of the rows: a row is all that a new one takes there."""
    schema = SpacecraftTable.model_json_schema()["$defs"]
    assert schema["JointTable"]["properties"]["kind"]["enum"] == list(JOINTS)
    assert schema["SensorTable"]["properties"]["kind"]["enum"] == list(SENSORS)
