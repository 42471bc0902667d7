"""A description's first look: masses by hand, frequencies in closed form, numbers that look wrong, and none that do not."""

import json
import math

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load, load_text
from spacefmu.dynamics.overview import overview
from spacefmu.dynamics.overview.magnitudes import input_warnings, warnings
from spacefmu.fmu_src import api
from spacefmu.fmu_src.interface.overview import page, text
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.catalogue_fmus import ENTRIES, system_of
from tests.cli.command import ROOT, spacefmu

HUB = """
name = "Two"
description = "a hub and a plate"
[bodies.hub]
mass = 400.0
inertia = [200.0, 180.0, 160.0]
[bodies.plate]
mass = 30.0
mass_center = [0.0, 2.0, 0.0]
inertia = [90.0, 5.0, 95.0]
[joints.hinge]
kind = "revolute"
parent = "hub"
child = "plate"
axis = "y"
place = [0.0, 1.0, 0.0]
stiffness = 50.0
damping = 0.1
"""


def looked_at(text: str):
    """With frequencies."""
    system = load_text(text)
    return overview(system, ExactDerivatives(system))


def test_masses_by_hand():
    found = overview(load_text(HUB))
    assert found.whole.mass == 430.0
    centre = 30.0 * 3.0 / 430.0  # the plate's is at y = 1 + 2
    assert found.whole.center == pytest.approx([0.0, centre, 0.0])
    reduced = 400.0 * 30.0 / 430.0 * 3.0**2  # of two points 3 m apart along y
    assert np.diag(found.whole.inertia) == pytest.approx([290.0 + reduced, 185.0, 255.0 + reduced])
    assert [part.mass for part in found.bodies] == [400.0, 30.0]
    assert found.bodies[1].inertia == pytest.approx(np.diag([90.0, 5.0, 95.0]))
    assert (found.speeds, found.conditions, found.freedom) == (7, 0, 7)


BEADS = """
[bodies.rover]
mass = 3.0
inertia = [1.0, 1.0, 1.0]
[bodies.rover.initial]
position = [0.0, 0.0, 10.0]
[cables.line]
kind = "beaded"
a = "hub"
b = "rover"
length = 10.0
mass = 50.0
beads = 5
stiffness = 100.0
"""


def test_beads_count():
    """A rover on 50 kg of rope: mass, mass centre, inertia and freedom with all five beads, which lie evenly along z."""
    found = overview(load_text(HUB + BEADS))
    assert found.whole.mass == 433.0 + 50.0
    assert [(part.name, part.mass) for part in found.cables] == [("line", 50.0)]
    places = 10.0 * (np.arange(5) + 0.5) / 5
    center = (3.0 * 10.0 + 10.0 * places.sum()) / 483.0
    assert found.whole.center == pytest.approx([0.0, 90.0 / 483.0, center])
    polar = 160.0 + 95.0 + 1.0 + 30.0 * 9.0 - 483.0 * (90.0 / 483.0) ** 2  # about z: beads and rover lie on the axis
    assert found.whole.inertia[2, 2] == pytest.approx(polar)
    assert (found.speeds, found.beads, found.freedom) == (13, 5, 28)
    shown = text(found)
    assert "28 degrees of freedom: 13 speeds of the tree and 15 of 5 beads, 0 conditions" in shown
    assert "  line: 50 kg at (0, 0, 5), " in shown


@pytest.mark.parametrize("formulation", ["natural", "closed", "linear"])
def test_other_formulations_are_the_same_craft(formulation):
    found = overview(load_text(f'formulation = "{formulation}"\n{HUB}'))
    assert (found.whole.mass, found.freedom) == (430.0, 7)


def test_frequency_in_closed_form():
    """Hub and plate about the common y axis: ω² = k (1/J₁ + 1/J₂), 2ζω = c (1/J₁ + 1/J₂)."""
    (mode,) = looked_at(HUB).modes
    both = 1.0 / 180.0 + 1.0 / 5.0
    assert mode.frequency == pytest.approx(math.sqrt(50.0 * both) / (2 * math.pi), rel=1e-12)
    assert mode.damping == pytest.approx(0.1 * both / (2 * math.sqrt(50.0 * both)), rel=1e-12)


def test_modes_on_a_manifold():
    """The same joint as a loop: a coupling holds a third body, which is as if it were part of the plate."""
    loop = (
        HUB
        + """
[bodies.arm]
mass = 10.0
mass_center = [0.0, 0.0, 0.0]
inertia = [1.0, 2.0, 1.0]
[joints.other]
kind = "revolute"
parent = "hub"
child = "arm"
axis = "y"
[couplings.held]
kind = "fixed"
a = "arm"
b = "plate"
place_a = [0.0, 1.0, 0.0]
"""
    )
    found = looked_at(loop)
    both = 1.0 / 180.0 + 1.0 / 7.0
    assert (found.conditions, found.freedom) == (6, 7)
    assert found.redundant == ("held",)
    assert [mode.frequency for mode in found.modes] == pytest.approx(
        [math.sqrt(50.0 * both) / (2 * math.pi)], rel=1e-12
    )


# a change of the description, words of the warning
ODD = {
    "an inertia in kg mm²": (("inertia = [200.0, 180.0, 160.0]", "inertia = [2e11, 1.8e11, 1.6e11]"), "kg mm² were meant"),
    "an angle in degrees": (("stiffness = 50.0", "stiffness = 50.0\nrest = 30.0"), '"30 deg" was meant'),
    "a place in millimetres": (("place = [0.0, 1.0, 0.0]", "place = [0.0, 1000.0, 0.0]"), "millimetres were meant, 1 m"),
    "a mass in grams": (("mass = 400.0", "mass = 4e6"), "perhaps grams were meant"),
    "rates in degrees": (("inertia = [200.0, 180.0, 160.0]", "inertia = [200.0, 180.0, 160.0]\ninitial = { angular_velocity = [0.0, 45.0, 0.0] }"), "430 rpm; perhaps 45 deg/s, 0.7854 rad/s, was meant"),
    "a joint's rate in degrees": (("stiffness = 50.0", "stiffness = 50.0\ninitial = { rate = 30.0 }"), "hinge.rate is 30 rad/s: 286 rpm; perhaps 30 deg/s"),
    "Euler angles in degrees": (("inertia = [200.0, 180.0, 160.0]", "inertia = [200.0, 180.0, 160.0]\ninitial = { orientation = [0.0, 30.0, 0.0] }"), 'bodies.hub.initial.orientation has 30 rad, more than a turn (1719°); perhaps "30 deg" was meant'),
    "a body thinner than air": (("mass = 30.0\nmass_center = [0.0, 2.0, 0.0]\ninertia = [90.0, 5.0, 95.0]", "mass = 9.0\ninertia = [140.0, 140.0, 140.0]"), "a box of 9.66 × 9.66 × 9.66 m with 0.01 kg/m³"),
    "a joint outside": (("place = [0.0, 1.0, 0.0]", "place = [0.0, 100.0, 0.0]"), "joint hinge sits 100 m from the mass centre of hub, whose radius of gyration is 0.707 m: far outside"),
    "a rotor larger than its hub": (("[joints.hinge]", '[wheels.big]\nbody = "hub"\naxis = "x"\nspin_inertia = 210.0\n[joints.hinge]'), "wheel.big.spin_inertia is 210 kg m², more than the 200 kg m² of hub"),
    "a wheel above its limit": (("[joints.hinge]", '[wheels.fast]\nbody = "hub"\naxis = "x"\nspin_inertia = 0.1\nspeed = 500.0\nspeed_limit = 400.0\n[joints.hinge]'), "wheel.fast.speed is 500 rad/s, above wheel.fast.speed_limit, 400 rad/s"),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_odd_numbers(case):
    (old, new), words = ODD[case]
    assert old in HUB
    found = warnings(load_text(HUB.replace(old, new)))
    assert any(words in sentence for sentence in found), found


ODD_ORBITS = {
    "an inclination in degrees": (('inclination = "97 deg"', "inclination = 98"), 'environment.orbit.inclination is 98 rad: more than a turn (5615°); perhaps "98 deg" was meant'),
    "a small one": (('inclination = "97 deg"', "inclination = 5"), 'environment.orbit.inclination is 5 rad: more than half a turn; perhaps "5 deg" was meant'),
    "a height in km": (("height = 4.0e5", "height = 500.0"), "environment.air.height is 500 m: hardly above the ground; perhaps 500 km, 500000 m, was meant"),
    "a scale height in km": (("height = 4.0e5\nscale_height = 5.8e4", "height = 0.0\nscale_height = 60.0"), "environment.air.scale_height is 60 m: the air would end within 600 m; perhaps 60 km"),
    "a place from the planet": (("inertia = [0.12, 0.11, 0.05]", "inertia = [0.12, 0.11, 0.05]\ninitial = { position = [6.9e6, 0.0, 0.0] }"), "hub.position is 6.9e+06 m from the origin of O, which itself moves along the orbit"),
    "an area in mm²": (("area = 0.04", "area = 60000.0"), "surface.front.area is 60000 m2: perhaps mm² were meant, 0.06 m²"),
    "drag without air": (("[environment.air]              # exponential, turning with the Earth\ndensity = 3.7e-12              # at the height below\nheight = 4.0e5\nscale_height = 5.8e4\n", ""), "surfaces.front.drag is 2.2, but there is no table environment.air: it has no effect"),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD_ORBITS)
def test_odd_numbers_of_an_orbit(case):
    (old, new), words = ODD_ORBITS[case]
    example = (ROOT / "examples/environment_perturbations.toml").read_text("utf-8")
    assert old in example
    found = warnings(load_text(example.replace(old, new), "odd.toml"))
    assert any(words in sentence for sentence in found), found


def test_a_damping_ratio_in_per_cent():
    example = (ROOT / "examples/beam.toml").read_text("utf-8")
    assert "damping = [0.002," in example
    found = warnings(load_text(example.replace("damping = [0.002,", "damping = [5.0,")))
    assert any("perhaps 5 %, 0.05, was meant" in sentence for sentence in found), found


@pytest.mark.parametrize("name", ENTRIES)
def test_nothing_looks_wrong_in_the_catalogue(name):
    assert warnings(system_of(name)) == []


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda path: path.stem)
def test_nothing_looks_wrong_in_the_examples(path):
    assert warnings(load(path)) == []


def test_an_orbit_below_the_surface_is_an_error():
    example = (ROOT / "examples/environment_orbit.toml").read_text("utf-8")
    axis = next(line for line in example.splitlines() if line.startswith("semi_major_axis"))
    with pytest.raises(DescriptionError, match=r"above the surface.*6778 km are 6\.778e"):
        load_text(example.replace(axis, "semi_major_axis = 6778.0"))


def test_inputs_that_end_before_the_run():
    (sentence,) = input_warnings(-3.0)
    assert "end at -3 s, before the run begins" in sentence
    assert input_warnings(5.0) == []


def test_the_command(tmp_path):
    (tmp_path / "two.toml").write_text(HUB.replace("mass = 400.0", "mass = 4e6"))
    done = spacefmu("check", "two.toml", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "└─ plate (hinge: revolute)" in done.stdout
    assert "7 degrees of freedom" in done.stdout
    assert "warning: hub.mass is 4e+06 kg" in done.stdout
    done = spacefmu("check", "two.toml", "--json", "--strict", folder=tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stdout)["degrees_of_freedom"] == 7


def test_build_warns_alike_and_the_fmu_has_the_page(tmp_path):
    (tmp_path / "two.toml").write_text(HUB.replace("mass = 400.0", "mass = 4e6"))
    done = spacefmu("build", "two.toml", "--flavour", "python", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("spacefmu: warning: hub.mass is 4e+06 kg")
    found = overview(api.load(tmp_path / "Two.fmu"))
    assert "4e+06 kg" in page(found)
    assert "hinge: revolute" in text(found)
