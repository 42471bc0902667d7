"""`system.environment_work`: the work of the environment, computed independently, closes the energy balance in every frame."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.natural.system import natural_system
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from tests.environment.craft import AROUND, HUB, PANEL, craft, orbit
from tests.laws.balance import energy_balance

OBLATE = orbit(inclination=0.9, eccentricity=0.05).replace('gravity = "central"', 'gravity = "central"\nj2 = true')
FREE = "[bodies.hub.initial]\nposition = [30.0, -60.0, 20.0]\nvelocity = [0.02, -0.03, 0.01]\nangular_velocity = [0.002, -0.004, 0.003]\n"
LOADED = AROUND.replace("[environment.sun]", "[environment.sun]\ndate = 2026-03-20")
ON_A_PIN = """
[bodies.hub]
mass = 50.0
mass_center = [3.0, 1.0, 0.5]
inertia = [20.0, 90.0, 100.0]
[joints.pin]
parent = "space"
child = "hub"
kind = "revolute"
axis = [1.0, 0.0, 1.0]
place = [10.0, 20.0, 3.0]
initial = { rate = 0.01 }
"""
TIED = '[cables.line]\nkind = "inextensible"\na = "space"\nb = "hub"\nlength = 70.0\n'
CASES = {  # largest error of the balance measured, and what is missing without the work of the surroundings [J]
    "free": (OBLATE + HUB + FREE + PANEL, 1e-1),  # 4e-14 of 36 J
    "air, light and field": (OBLATE + LOADED + HUB + FREE, 1e2),  # 2e-11 of 3500 J
    "on a joint in O": (OBLATE + ON_A_PIN, 1e-2),  # 8e-14 of 0.05 J
    "on a cable in O": (OBLATE + HUB + FREE + TIED, 1e-1),  # 3e-13 of 2.8 J
}


def balance(system, run):
    """Largest change of energies + losses − work, of that less the work of the surroundings, and the largest kinetic energy."""
    total, size = energy_balance(system, run)
    around = run.x[:, system.signals.where("states", "system.environment_work")]
    return np.ptp(total + around), np.ptp(total), size


@pytest.mark.parametrize("case", CASES)
def test_the_balance_closes(case):
    """To 1e-10 of the kinetic energy over 1000 s, where without it far more is missing."""
    text, missing = CASES[case]
    system = fast(craft(text))
    run = integrate(system, np.linspace(0.0, 1000.0, 5), rtol=1e-12, atol=1e-13)
    without, error, size = balance(system, run)
    assert without > 0.1 * missing
    assert error < 1e-10 * size


def test_beads_in_a_planets_field_are_counted():
    """A beaded cable between the craft and O's origin, 50 s: both its weight in the moving field and its pull on O (measured 2e-12 of 240 J)."""
    beads = TIED.replace("inextensible", "beaded") + "stiffness = 5.0\ndamping = 1.0\nmass = 1.0\nbeads = 2\n"
    system = fast(craft(OBLATE, HUB, FREE, beads))
    run = integrate(system, np.linspace(0.0, 50.0, 3), rtol=1e-12, atol=1e-13)
    without, error, size = balance(system, run)
    assert without > 1e-6
    assert error < 1e-10 * size


@pytest.mark.parametrize("text", [OBLATE + LOADED + HUB + FREE, OBLATE + HUB + FREE + TIED], ids=["free", "on a cable"])
def test_natural_coordinates_have_the_same_power(text):
    """To 1e-9 of it (measured 2e-13)."""
    found = []
    tree = craft(text)
    for system in (tree, natural_system(tree.made_by[1])):
        x, u, k, d = start(system)
        rates, _, _ = motion(system, 100.0, x, u, k, d)
        found.append(rates[system.signals.where("states", "system.environment_work")])
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    assert abs(found[0]) > 1e-9


def test_it_is_there_only_where_the_surroundings_work():
    """In N gravity is stored in full: no state, and none without an environment."""
    for text in (HUB, '[environment]\ngravity = "central"\n' + HUB):
        assert "system.environment_work" not in [state.name for state in craft(text).signals.states]
