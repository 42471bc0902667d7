"""The linear forms of [tkachev]'s satellite, from a description: against the exact linearization of the engine, light against full, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src import api

SATELLITE = """
name = "Satellite"
formulation = "FORMULATION"
[bodies.hub]
mass = MASS
inertia = [90.0, 110.0, 130.0]
mass_center = [0.05, 0.0, -0.1]
forces_at = ["frame"]
[bodies.antenna]
damping = 0.01
nodes = { tip = 1.0 }
forces_at = ["tip"]
[bodies.antenna.beam]
length = 2.5
mass = 4.0
axis = "x"
bending_y = 320.0
bending_z = 450.0
tip_mass = 2.0
modes = { bending_y = 1, bending_z = 1 }
[joints.mount]
parent = "hub"
child = "antenna"
place = [0.8, 0.0, 0.2]
kind = "fixed"
[bodies.panel]
damping = 0.005
[bodies.panel.beam]
length = 4.5
mass = 28.0
axis = "y"
bending_y = 1000.0
torsion = 275.0
section_inertia = [6.0, 0.0]
modes = { bending_y = 2, torsion = 1 }
[joints.sadm]
parent = "hub"
child = "panel"
place = [0.0, 0.8, 0.1]
kind = "revolute"
axis = "y"
drive = "torque"
stiffness = 20.0
damping = 0.5
"""


def text(formulation, mass=500.0):
    return SATELLITE.replace("FORMULATION", formulation).replace("MASS", str(mass))


def matrices(formulation, mass=500.0):
    """A and B of rotation, hinge and modes by name, with the hub's place left out."""
    model = api.linearize(load_text(text(formulation, mass)), outputs=["antenna.tip.displacement"])
    names = [state.name for state in model.states]
    kept = sorted(name for name in names if not name.startswith(("hub.position", "hub.velocity")))
    order = [names.index(name) for name in kept]
    return kept, model.A[np.ix_(order, order)], model.B[order], model.C[:, order], [i.name for i in model.inputs]


def test_states():
    """8 + 2N_a + 2N_p = 18."""
    assert load_text(text("linear")).nx == load_text(text("exact_linear")).nx == 8 + 2 * 2 + 2 * 3


def test_the_exact_linear_form_is_the_linearization_of_the_engine():
    """A, B and C against the engine's own, reduced to small angles: to 1e-10 of the largest entry (measured 1e-15)."""
    exact, engine = matrices("exact_linear"), matrices("tree")
    assert exact[0] == engine[0]
    assert exact[4] == engine[4]
    for a, b in zip(exact[1:4], engine[1:4], strict=True):
        np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-10 * np.max(np.abs(b)))


def test_the_papers_linear_form_is_that_of_the_light_equations():
    """Equal to the linearization of the light form; off the exact one by the mass ratio: slope measured 1.0."""
    linear, light = matrices("linear"), matrices("light")
    np.testing.assert_allclose(linear[1], light[1], rtol=0.0, atol=1e-10 * np.max(np.abs(light[1])))
    differences = []
    for mass in (1e4, 1e5, 1e6):
        paper, exact = matrices("linear", mass)[1], matrices("exact_linear", mass)[1]
        differences.append(np.max(np.abs(paper - exact)) / np.max(np.abs(exact)))
    assert np.allclose(np.diff(np.log10(differences)), -1.0, atol=0.05)


def test_light_to_linear_goes_with_the_square_of_the_amplitude():
    """Accelerations of both on the same small state: the difference falls as amplitude², slope measured 2.0."""
    light, linear = load_text(text("light")), load_text(text("linear"))
    rng = np.random.default_rng(3)
    x, u, k, d = start(linear)
    shape = rng.normal(size=len(x))
    names = [state.name for state in linear.signals.states]

    def difference(size):
        small = size * shape
        full, _, k_light, d_light = start(light)
        for name, value in zip(names, small, strict=True):
            if not name.startswith("hub.rotation"):
                full[light.signals.where("states", name)] = value
        found = motion(light, 0.0, full, u, k_light, d_light)[0]
        expected = motion(linear, 0.0, small, u, k, d)[0]
        rates = [n for n in names if n.endswith("rate") or "angular_velocity" in n]
        a = np.array([found[light.signals.where("states", n)] for n in rates])
        b = np.array([expected[names.index(n)] for n in rates])
        return np.max(np.abs(a - b))

    slopes = np.diff(np.log([difference(size) for size in (1e-2, 1e-3, 1e-4)])) / np.log(0.1)
    assert np.allclose(slopes, 2.0, atol=0.1)


REFUSED = {
    "a wheel": ('[wheels.x]\nbody = "hub"\naxis = "x"\nspin_inertia = 0.1\n', "closed",
                "wheel.x is neither fixed to the hub nor on a one-axis hinge of it"),
    "a second panel": ('[bodies.wing]\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n[joints.other]\nparent = "hub"\nchild = "wing"\nkind = "revolute"\naxis = "x"\n', "light",
                       "wing is a second body on a hinge"),
    "a loop": ('[couplings.loop]\nkind = "distance"\na = "antenna.tip"\nb = "panel"\nlength = 3.5\n', "closed", "loop couples bodies beside the tree"),
    "friction": ("", "linear", "joint sadm has friction or stops, which are not linear"),
    "gravity": ('[environment]\ngravity = "uniform"\nacceleration = [0.0, 0.0, -1.0]\n', "exact_linear", "it has an environment, which the linear form about rest has not"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_formulation_can_not_hold_is_refused_by_name(case):
    more, formulation, why = REFUSED[case]
    description = text(formulation) + more
    if case == "friction":
        description = description.replace("stiffness = 20.0", "stiffness = 20.0\nfriction = 0.1")
    with pytest.raises(DescriptionError) as caught:
        load_text(description)
    assert caught.value.problems == [f'formulation is {formulation!r}, expected "tree": {why}']
