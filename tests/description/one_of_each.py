"""One of each piece that CONTRIBUTING tells how to add: its class and its row. Run by test_one_of_each.py in a process of its own.

python one_of_each.py FOLDER    writes FOLDER/own.json with what it found, and FOLDER/Own.fmu
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spacefmu.dynamics.algebra.rotation import axis_angle_dcm, axis_angle_quaternion, cross
from spacefmu.dynamics.bodies.body import Node
from spacefmu.dynamics.constraints.connection import Effort
from spacefmu.dynamics.constraints.kinds import KINDS, CouplingKind
from spacefmu.dynamics.constraints.rows import span
from spacefmu.dynamics.description.groups import GROUPS, EntryGroup
from spacefmu.dynamics.environment.gravity import Field
from spacefmu.dynamics.environment.surrounding import Surrounding
from spacefmu.dynamics.environment.table import SURROUNDINGS
from spacefmu.dynamics.joints.coordinates import ROTATION
from spacefmu.dynamics.joints.kinds import OnAxes
from spacefmu.dynamics.joints.table import AXIS, JOINTS, row
from spacefmu.dynamics.loads import Load
from spacefmu.dynamics.picture.geometry import SHAPES, Shape
from spacefmu.dynamics.spacecraft.body_outputs import OUTPUTS, BodyOutput
from spacefmu.dynamics.spacecraft.outputs import SENSORS, NodeSensor, sensor
from spacefmu.dynamics.system.keys import PLACE, Declaration, Key
from spacefmu.dynamics.system.pieces import Declared, Piece, input_, output, parameter, state
from spacefmu.dynamics.system.signals import Parameter
from spacefmu.dynamics.tether.reel import Reeled
from spacefmu.dynamics.tether.table import CABLES
from spacefmu.dynamics.tree.kinematics import place_on

# ---- a joint: a wheel that rolls along a line


@dataclass(frozen=True)
class RollingJoint(OnAxes):
    """Turns about `axis` by θ and moves along `along` by radius θ."""

    axis: tuple[float, float, float]
    along: tuple[float, float, float]
    radius: float
    nq = 1
    nv = 1

    def pose(self, q):
        return np.array(self.along) * (self.radius * q[0]), axis_angle_dcm(np.array(self.axis), q[0])

    def axes(self, q):
        return (self.radius * np.array(self.along)).reshape(3, 1), np.array(self.axis).reshape(3, 1)

    def turning(self, q, v, omega):
        return v[0] * cross(omega, np.array(self.axis))

    def attitude(self, q):
        return axis_angle_quaternion(self.axis, q[0])

    def named_axes(self):
        return [(ROTATION, "")]


JOINTS["rolling"] = row(
    "rolls along a line",
    {**AXIS, "along": Key("axis", "the line, in the joint frame"), "radius": Key("positive", "[m]")},
    lambda table: RollingJoint(table.axis, table.along, table.radius),
)

# ---- a coupling: made of a primitive row, so there is no class

KINDS["square_axes"] = CouplingKind("", ("zz",), text="an axis on a stays square to one on b")

# ---- a cable


@dataclass(frozen=True)
class ConstantPull(Reeled):
    """A spool with a constant torque: T on both ends, V = T D."""

    pull: Declared[Parameter] = parameter("tension of {self.name}", "N", 1.0, min=0.0, tunable=True)
    distance = output("distance between the ends of {self.name}", "m", name="length")

    def output_values(self, view, multipliers):
        return np.array([span(view.a, view.b)[0]])

    def effort(self, view):
        distance, n = span(view.a, view.b)
        pull = view.k[self.pull]
        return Effort.of_forces(pull * n, -pull * n, potential=pull * distance)


CABLES["constant_pull"] = Declaration(
    "pulls with one force",
    {"pull": Key("not negative", "[N]")},
    lambda table, names: ConstantPull(names.name, *names.ends(), table.length, None, table.pull),
)

# ---- a sensor


@dataclass(frozen=True)
class SlowGyro(NodeSensor):
    """A gyro whose answer lags behind: τ ṁ = ω − m, with a state of its own."""

    lag: Declared[Parameter] = parameter("time constant of {self.name}", "s", 0.5, min=1e-9)
    measured = state("what {self.name} shows, in its axes", "rad/s", np.zeros(3), derivative_unit="rad/s2")
    error = output("what {self.name} shows less the angular velocity, in its axes", "rad/s", np.zeros(3))
    keys = {"lag": Key("positive", "time constant [s]", 0.5)}

    def values(self, instant):
        omega = self.mount.T @ place_on(instant.moment.bodies[self.body], self.node).omega
        return instant.moment.x[self.measured] - omega

    def state_rates(self, instant):
        return -self.values(instant) / instant.moment.k[self.lag]


SENSORS["slow_gyro"] = sensor("angular velocity, with a lag", SlowGyro)

# ---- an actuator: a load with a table of its own


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


def make_wind(table, names):
    found = names.place()
    return found and Wind(names.signal, *found, table.drag)


WIND = Declaration("A force against the wind.", {**PLACE, "drag": Key("not negative", "[N s/m]")}, make_wind)
GROUPS["winds"] = EntryGroup("wind at places of bodies", WIND, "wind")

# ---- a shape: of two boxes


def make_cross(table, names):
    arms = ((table.span, table.width, table.width), (table.width, table.span, table.width))
    return [Shape(names.name, "box", size, names.center, color=table.color or "") for size in arms]


SHAPES["cross"] = Declaration(
    "two bars across each other", {"span": Key("positive", "[m]"), "width": Key("positive", "[m]")}, make_cross
)

# ---- a field of the environment, with an output of its own


@dataclass(frozen=True)
class Trap(Field):
    """A harmonic well about N's origin: g = −w² r, U = ½ w² r²."""

    rate: Declared[Parameter] = parameter("frequency of the well", "rad/s", 0.1, name="trap.rate", min=0.0)

    def at(self, r, scene, k):
        square = k[self.rate] ** 2
        return -square * r, 0.5 * square * (r @ r)

    def shown(self, body, name):
        return (TrapPull(body, name, self),)


@dataclass(frozen=True)
class TrapPull(Piece):
    body: int
    name: str
    field: Trap
    trap_pull = output("what the well does at the frame of {self.name}, in axes of N", "m/s2", np.zeros(3))

    def values(self, instant):
        moment = instant.moment
        return self.field.at(moment.bodies[self.body].position_N, moment.scene, moment.k)[0]


SURROUNDINGS["trap"] = Surrounding(
    "A harmonic well about the origin.",
    {"rate": Key("positive", "[rad/s]")},
    lambda table, names: Trap(table.rate),
    "a harmonic well",
    planet=False,
    outputs=(TrapPull,),
)

# ---- an output of bodies, which a key asks for


@dataclass(frozen=True)
class Speed(Piece):
    body: int
    name: str
    speed = output("speed of {self.name}'s frame", "m/s")

    def values(self, instant):
        body = instant.moment.bodies[self.body]
        return np.array([np.sqrt(body.velocity @ body.velocity)])


OUTPUTS["speed"] = BodyOutput(
    "speed of the frame",
    {"speed": Key("flag", "true: the frame's speed is an output", False)},
    lambda table, names: [Speed(names.number, names.name)] if table.speed else [],
    (Speed,),
)

TEXT = """
name = "Own"

[environment]
trap = { rate = 0.2 }

[bodies.hub]
mass = 50.0
inertia = [6.0, 5.0, 4.0]
speed = true
initial = { position = [3.0, 1.0, 0.0], velocity = [0.0, 0.5, 0.2], angular_velocity = [0.05, 0.1, -0.2] }
shape = { kind = "cross", span = 2.0, width = 0.1 }

[bodies.roller]
mass = 2.0
inertia = [0.02, 0.02, 0.04]

[joints.track]
parent = "hub"
child = "roller"
kind = "rolling"
axis = "z"
along = "x"
radius = 0.3
drive = "torque"
stiffness = 0.4
initial = { position = 0.2, rate = 0.5 }

[bodies.probe]
mass = 5.0
inertia = [0.3, 0.4, 0.5]
initial = { position = [8.0, 1.0, 0.0], velocity = [0.0, 0.5, 0.2] }

[couplings.square]
kind = "square_axes"
a = "hub"
b = "probe"
axis = "x"
axis_b = "y"

[cables.spool]
kind = "constant_pull"
a = "hub"
b = "probe"
length = 5.0
pull = 0.7

[sensors.gyro]
kind = "slow_gyro"
at = "hub"
lag = 0.4

[winds.sail]
body = "probe"
place = [0.0, 0.0, 0.5]
drag = 0.3
"""


def main(folder: Path) -> None:
    import tomllib

    import jsonschema

    import spacefmu
    from spacefmu.dynamics.description import DescriptionError, json_schema, load_text
    from spacefmu.dynamics.system.evaluate import motion, start
    from spacefmu.dynamics.system.reference import integrate

    def refusal(old: str, new: str) -> list[str]:
        try:
            load_text(TEXT.replace(old, new))
        except DescriptionError as error:
            return error.problems
        return []

    jsonschema.Draft202012Validator(json_schema()).validate(tomllib.loads(TEXT))
    system = load_text(TEXT)
    table = system.signals
    x, u, k, d = start(system)
    u[table.where("inputs", "track.torque")] = 0.3
    x_dot, y, _ = motion(system, 0.0, x, u, k, d)
    rolling = load_text(ROLLING)
    x1, u1, k1, d1 = start(rolling)
    u1[rolling.signals.where("inputs", "track.torque")] = 0.3
    run = integrate(system, np.linspace(0.0, 2.0, 5))
    own = ["system.kinetic_energy", "system.potential_energy"]
    energy = sum(run.y[:, table.where("outputs", name)] for name in own)
    energy = energy - run.x[:, table.where("states", "system.work")]
    fmu = spacefmu.build(system, str(folder / "Own.fmu"))
    compiled = spacefmu.simulate(fmu, stop=2.0, step=0.5)
    same = max(float(np.max(np.abs(compiled[name] - run.y[:, table.where("outputs", name)]))) for name in own)
    picture = system.about.picture
    found = {
        "finite": bool(np.all(np.isfinite(x_dot)) and np.all(np.isfinite(y))),
        "variables": [q.name for group in table.GROUPS for q in table.quantities(group)],
        "shapes": len([shape for shape in picture().shapes if shape.body == "hub"]),
        "rolling": float(motion(rolling, 0.0, x1, u1, k1, d1)[0][rolling.signals.where("states", "track.rate")]),
        "well": float(y[table.where("outputs", "hub.trap_pull")][0]),
        "speed": float(y[table.where("outputs", "hub.speed")]),
        "lost energy": float(np.ptp(energy) / np.max(np.abs(energy))),
        "compiled": same,
        "a key of another kind": refusal('radius = 0.3', 'radius = 0.3\npitch = 1.0'),
        "no radius": refusal("radius = 0.3\n", ""),
        "a node named as an output": refusal("speed = true", "speed = true\nnodes = { speed = [0.0, 0.0, 0.0], trap_pull = [0.0, 0.0, 0.0] }"),
        "a body named as a prefix": refusal("[bodies.probe]", '[bodies.wind]\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n\n[bodies.probe]'),
        "no axis": refusal('axis_b = "y"\n', ""),
    }  # fmt: skip
    (folder / "own.json").write_text(json.dumps(found))


ROLLING = """
name = "Rolling"
[bodies.roller]
mass = 2.0
inertia = [0.02, 0.02, 0.04]
[joints.track]
parent = "space"
child = "roller"
kind = "rolling"
axis = "z"
along = "x"
radius = 0.3
drive = "torque"
"""

if __name__ == "__main__":
    main(Path(sys.argv[1]))
