"""Wrong tables of environment, surfaces, plates and latches: one complete sentence a problem, and nothing else."""

from __future__ import annotations

import pytest

from spacefmu.dynamics.description import DescriptionError, load_text

BASE = """
name = "Base"
[environment]
gravity = "central"
frame = "orbit"
orbit = { semi_major_axis = 7.0e6, eccentricity = 0.01 }
sun = { date = 2026-06-21 }
magnetic = { tilt = "10 deg" }
[bodies.hub]
mass = 100.0
inertia = [10.0, 12.0, 15.0]
[bodies.panel]
nodes = { corner = [1.0, 0.5] }
[bodies.panel.plate]
length = 3.0
width = 1.6
mass = 12.0
sandwich = { d11 = 900.0, d22 = 900.0, d12 = 270.0, d66 = 315.0 }
modes = 2
[joints.root]
parent = "hub"
child = "panel"
place = [0.5, 0.0, 0.0]
kind = "revolute"
axis = "z"
latch = "90 deg"
[surfaces.front]
body = "hub"
normal = "x"
area = 1.0
"""
SANDWICH = "sandwich = { d11 = 900.0, d22 = 900.0, d12 = 270.0, d66 = 315.0 }"
PLACE = "bodies.panel.nodes.corner is {}, expected [x/L, y/W] on a plate, x/L from 0 to 1 and y/W from -0.5 to 0.5"

CASES = {
    # ---- environment
    "text for J2": ('frame = "orbit"', 'frame = "orbit"\nj2 = "yes"', "environment.j2 is 'yes', expected a number, true or false"),
    "J2 not finite": ('frame = "orbit"', 'frame = "orbit"\nj2 = nan', "environment.j2 is nan, expected a finite number"),
    "quoted date": ("date = 2026-06-21", 'date = "yesterday"',
        "environment.sun.date is 'yesterday', expected a date or a time in UTC, without quotes, such as 2026-03-20T12:00:00Z"),
    "year for a date": ("date = 2026-06-21", "date = 2026",
        "environment.sun.date is 2026, expected a date or a time in UTC, without quotes, such as 2026-03-20T12:00:00Z"),
    "hyperbola": ("eccentricity = 0.01", "eccentricity = 1.2", "environment.orbit.eccentricity is 1.2, expected a number not greater than 0.95"),
    "text for eccentricity": ("eccentricity = 0.01", 'eccentricity = "round"', "environment.orbit.eccentricity is 'round', expected a number"),
    "frame": ('frame = "orbit"', 'frame = "orbital"', "environment.frame is 'orbital', expected 'inertial' or 'orbit'; did you mean 'orbit'?"),
    "misspelt key": ('tilt = "10 deg"', "strenght = 1.0", "environment.magnetic has the unknown key 'strenght'; did you mean 'strength'?"),
    "surface's normal": ('normal = "x"', 'normal = "w"',
        'surfaces.front.normal is \'w\', expected an axis: "x", "y", "z", "-x", "-y", "-z" or three numbers that are not all zero'),
    "number for a flag": ("area = 1.0", "area = 1.0\nboth_sides = 1", "surfaces.front.both_sides is 1, expected true or false"),
    # ---- plates
    "no stiffness": (SANDWICH, "", "bodies.panel.plate.bending is missing: an isotropic plate has one, another a table sandwich"),
    "two stiffnesses": (SANDWICH, SANDWICH + "\nbending = 10.0", "bodies.panel.plate.bending = 10.0 is not allowed with a table sandwich"),
    "stiffness that gives way": ("d12 = 270.0", "d12 = 900.0",
        "bodies.panel.plate.sandwich.d12 is 900.0, expected a number with d12² < d11 d22: every bending takes energy"),
    "text for Poisson's ratio": ("modes = 2", 'modes = 2\npoisson = "steel"', "bodies.panel.plate.poisson is 'steel', expected a number"),
    "stiffening": ("modes = 2", 'modes = 2\nstiffening = "yes"', "bodies.panel.plate.stiffening is 'yes', expected true or false"),
    "too many modes": ("modes = 2", "modes = 41", "bodies.panel.plate.modes is 41, expected a number not greater than 40"),
    "node beside the plate": ("[1.0, 0.5]", "[1.0, 0.8]", PLACE.format("[1.0, 0.8]")),
    "node of a beam": ("[1.0, 0.5]", "1.0", PLACE.format("1.0")),
    # ---- latches
    "latch in grad": ('latch = "90 deg"', 'latch = "90 grad"', "joints.root.latch is '90 grad', expected an angle in rad, or a text such as \"30 deg\""),
    "latch of a fixed joint": ('kind = "revolute"\naxis = "z"', 'kind = "fixed"',
        "joints.root.latch = '90 deg' is not allowed: a fixed joint has no latch"),
}  # fmt: skip


def test_base_is_legal():
    assert load_text(BASE).name == "Base"


@pytest.mark.parametrize("case", CASES)
def test_sentence(case):
    piece, replacement, sentence = CASES[case]
    assert BASE.count(piece) == 1
    with pytest.raises(DescriptionError) as caught:
        load_text(BASE.replace(piece, replacement))
    assert caught.value.problems == [sentence]
