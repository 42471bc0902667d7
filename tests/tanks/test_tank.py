"""Tanks in descriptions: a frozen fill is a rigid body; shares of totals; refusals."""

import re

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.overview.proportions import proportions
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.tanks.fill import Ellipsoid
from spacefmu.dynamics.tanks.tank import spread_of

from .crafts import HUB, NOZZLE, craft
from .crafts import TANK as SPHERE

CRAFT = """
name = "Craft"
[bodies.hub]
mass = 100.0
inertia = [20.0, 22.0, 25.0]
initial = {{ angular_velocity = [0.1, 0.2, 0.3], velocity = [1.0, 0.0, 0.0] }}
[thrusters.x]
body = "hub"
place = [0.0, 0.3, 0.0]
direction = "x"
{more}
"""
TANK = """
[tanks.main]
body = "hub"
place = [0.1, 0.2, -0.3]
kind = "sphere"
radius = 0.4
outlet = "-z"
capacity = {capacity}
propellant = {propellant}
dry = 10.0
"""


def evaluated(text):
    system = load_text(text)
    x, u, k, d = evaluate.start(system)
    u[system.signals.where("inputs", "thruster.x.force")] = 7.0
    return system, *evaluate.motion(system, 0.0, x, u, k, d)[:2]


def test_a_fill_at_rest_is_a_rigid_body():
    """The same accelerations, momenta and energy as of a rigid body with the fill's mass, centre and inertia on a fixed joint, to round-off."""
    liquid = Ellipsoid((0.4,) * 3, (0.0, 0.0, -1.0)).at(0.6)
    mass, first = 130.0, 200.0 * liquid.first
    inertia = spread_of(200.0 * liquid.second + 10.0 * 0.16 / 3.0 * np.eye(3) - np.outer(first, first) / mass)
    body = f"""
[bodies.lump]
mass = {mass!r}
mass_center = {[float(c) for c in first / mass]}
inertia = {[float(c) for c in np.diag(inertia)]}
[joints.weld]
parent = "hub"
child = "lump"
kind = "fixed"
place = [0.1, 0.2, -0.3]
"""
    tank, x_dot, y = evaluated(CRAFT.format(more=TANK.format(capacity=200.0, propellant=120.0)))
    lump, x_dot_lump, y_lump = evaluated(CRAFT.format(more=body))
    assert x_dot[: len(x_dot_lump)] == pytest.approx(x_dot_lump, abs=1e-14)
    for name in ("mass_center[3]", "momentum[2]", "angular_momentum[1]", "kinetic_energy"):
        place, other = (s.signals.where("outputs", f"system.{name}") for s in (tank, lump))
        assert y[place] == pytest.approx(y_lump[other], rel=1e-14)


def test_shares_of_the_totals():
    """Those of the tank and of the rest: the hub's momentum is m (v + ω × 0), the tank has what is left of the whole."""
    system, _, y = evaluated(CRAFT.format(more=TANK.format(capacity=200.0, propellant=120.0)))
    found = {entry.name: y[i] for i, entry in enumerate(system.signals.outputs)}
    assert found["tank.main.fill"] == pytest.approx(0.6)
    assert found["tank.main.mass"] == pytest.approx(130.0)
    assert found["system.momentum[1]"] - found["tank.main.momentum[1]"] == pytest.approx(100.0)
    hub = 0.5 * (100.0 + np.array([0.1, 0.2, 0.3]) ** 2 @ [20.0, 22.0, 25.0])
    assert found["system.kinetic_energy"] - found["tank.main.kinetic_energy"] == pytest.approx(hub)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("propellant = 120.0", "propellant = -1.0"), "tanks.main.propellant"),
        (("propellant = 120.0", "propellant = 220.0"), "at most the capacity, 200 kg"),
        (("radius = 0.4", "radius = 0.0"), "tanks.main.radius"),
        (("radius = 0.4", "semi_axes = [1.0, 1.0, 1.0]"), "tanks.main.semi_axes"),
        (('kind = "sphere"', 'kind = "cube"'), "tanks.main"),
        (('body = "hub"\nplace = [0.1', 'body = "nobody"\nplace = [0.1'), "nobody"),
    ],
)  # fmt: skip
def test_wrong_tanks_are_refused_by_name(change, sentence):
    text = CRAFT.format(more=TANK.format(capacity=200.0, propellant=120.0))
    assert change[0] in text
    with pytest.raises(DescriptionError, match=sentence) as refused:
        load_text(text.replace(*change))
    assert len(str(refused.value).strip().splitlines()) <= 3


def test_natural_coordinates_refuse_tanks_by_name():
    text = CRAFT.format(more=TANK.format(capacity=200.0, propellant=120.0))
    with pytest.raises(DescriptionError, match=r"the mass of tank\.main is a state"):
        load_text('formulation = "natural"\n' + text)


BURNER = """
[thrusters.main]
body = "hub"
place = [0.0, 0.3, 0.0]
direction = "x"
tank = "main"
isp = 200.0
[bodies.other]
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[bodies.mast]
nodes = { top = 1.0 }
beam = { length = 3.0, mass = 2.0, axis = "z", bending_y = 300.0, bending_z = 300.0, modes = { bending_y = 1 } }
[joints.slide]
parent = "hub"
child = "mast"
kind = "prismatic"
axis = "z"
[bodies.cart]
mass = 2.0
inertia = [1.0, 1.0, 1.0]
[joints.rail]
parent = "hub"
child = "cart"
kind = "prismatic"
axis = "z"
"""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("isp = 200.0", "isp = 0.0"), "thrusters.main.isp"),
        (("isp = 200.0", ""), "needs one of isp, exhaust_velocity and blow_down"),
        (("isp = 200.0", "isp = 200.0\nexhaust_velocity = 2000.0"), "found isp and exhaust_velocity"),
        (('tank = "main"', 'tank = "man"'), "man"),
        (('tank = "main"', ""), "thrusters.main.tank is missing"),
        (('tank = "main"', 'tank = "main"\nshares = [1.0, 2.0]'), "one number per tank, 1"),
        (('body = "hub"\nplace = [0.0, 0.3, 0.0]\ndirection = "x"\ntank', 'body = "other"\ndirection = "x"\ntank'), "no joint connects hub and other"),
        (('body = "hub"\nplace = [0.0, 0.3, 0.0]\ndirection = "x"\ntank', 'body = "mast.top"\ndirection = "x"\ntank'), "slide, which slides"),
        (('body = "hub"\nplace = [0.0, 0.3, 0.0]\ndirection = "x"\ntank', 'body = "cart"\ndirection = "x"\ntank'), "passes through joint rail, which slides"),
        (("isp = 200.0", 'blow_down = "nowhere.csv"\nmaximum = 3.0'), "nowhere.csv does not exist"),
    ],
)  # fmt: skip
def test_wrong_burners_are_refused_by_name(change, sentence):
    text = CRAFT.format(more=TANK.format(capacity=200.0, propellant=120.0) + BURNER)
    load_text(text)
    assert change[0] in text
    with pytest.raises(DescriptionError, match=sentence) as refused:
        load_text(text.replace(*change))
    assert len(str(refused.value).strip().splitlines()) <= 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("isp = 200.0", "isp = 2000000.0"), "thruster.main has an exhaust velocity of"),
        (("isp = 200.0", "exhaust_velocity = 220.0"), "isp .* and exhaust_velocity .* are exchanged"),
        (("propellant = 120.0", "propellant = 199.9"), "fills 100 % of its capacity"),
        (("capacity = 200.0", "capacity = 2000.0"), "2000 kg in 0.268 m³"),
        (("dry = 10.0", "residual = 130.0"), "below the residual of 130 kg"),
        (("dry = 10.0", "slosh = { damping = 0.0 }"), "neither surface tension nor damping"),
        (("dry = 10.0", "slosh = { damping = 5.0, acceleration = 1.0 }"), r"tanks\.main\.slosh\.damping is 5 .* in percent"),
        (("dry = 10.0", "slosh = { damping = 0.1, surface_tension = 27.0 }"), r"surface_tension is 27 N/m.* in mN/m"),
        (("dry = 10.0", "slosh = { damping = 0.1, acceleration = 1.0, position = [0.5, 0.0] }"), "0.5 m from the axis, outside of the tank, which has 0.4 m"),
        (('kind = "sphere"\nradius = 0.4', 'kind = "cylinder"\nlength = 0.6\nslosh = { viscosity = 0.3, acceleration = 1.0 }\nradius = 0.4'), r"viscosity is 0.3 m²/s.* in mm²/s"),
    ],
)  # fmt: skip
def test_numbers_that_are_probably_not_meant(change, sentence):
    text = CRAFT.format(more=TANK.format(capacity=200.0, propellant=120.0) + BURNER)
    assert not [said for said in proportions(load_text(text)) if "tank" in said or "thruster" in said]
    assert change[0] in text
    assert re.search(sentence, "\n".join(proportions(load_text(text.replace(*change)))))


def test_parameters_that_are_changed_act_as_if_they_had_been_written():
    """Rates of a burning craft with another capacity, dry mass, exhaust velocity, rise and nozzle are those of the craft that has them in its description."""
    rises = ("isp = 200.0", "exhaust_velocity = 2000.0\nrise_time = 0.5")
    changed = craft(HUB, SPHERE, NOZZLE, a=rises)
    given = {"tank.main.capacity": 150.0, "tank.main.dry": 8.0, "thruster.main.exhaust_velocity": 2500.0, "thruster.main.rise_time": 0.3, "thruster.main.place[1]": -0.9}  # fmt: skip
    written = craft(HUB, SPHERE, NOZZLE, a=rises, b=("capacity = 200.0", "capacity = 150.0"), c=("dry = 5.0", "dry = 8.0"),
        d=("velocity = 2000.0\nrise_time = 0.5", "velocity = 2500.0\nrise_time = 0.3"), e=("[-0.7, 0.1", "[-0.9, 0.1"))  # fmt: skip
    p = np.array(changed.signals.starts("parameters"))
    for name, value in given.items():
        p[changed.signals.where("parameters", name)] = value
    rates = []
    for system, parameters in ((written, None), (changed, p), (changed, None)):
        x, u, k, d = evaluate.start(system, u=np.array([700.0]), p=parameters)
        x[system.signals.where("states", "thruster.main.thrust")] = 500.0
        rates.append(evaluate.motion(system, 0.0, x, u, k, d)[0])
    assert rates[1] == pytest.approx(rates[0], rel=1e-13, abs=1e-13)
    assert np.abs(rates[2] - rates[0]).max() > 0.1
