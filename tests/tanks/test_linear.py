"""Linear models about a burning state: derivatives by CasADi against dual numbers, and in closed form."""

import numpy as np
import pytest

from spacefmu.dynamics.algebra.dual import duals, rates_of
from spacefmu.fmu_src.linearize.model import linearize, start_of

from .crafts import HUB, NOZZLE, TANK, craft

SLOSH = "dry = 5.0\nslosh = { damping = 0.01, acceleration = 1.0, surface_tension = 0.03, position = [0.02, 0.01] }"
RISING = ("isp = 200.0", "isp = 200.0\nrise_time = 0.3")
BURNING = {"thruster.main.force": 500.0, "thruster.main.thrust": 480.0}


@pytest.mark.parametrize("slosh", [SLOSH, SLOSH.replace("{ damping", '{ kind = "spring", damping')])
def test_slopes_of_a_burning_craft_with_slosh(slosh):
    """A and B in full form, which CasADi derives, against dual numbers, to 1e-12 of their largest entry per row."""
    system = craft(HUB, TANK, NOZZLE, a=("dry = 5.0", slosh), b=RISING)
    model = linearize(system, values=BURNING, full_form=True)
    x, u, k, d = start_of(system, 0.0, BURNING)
    none = np.zeros(0)

    def slopes(x, u):
        return rates_of(system.motion.finish(0.0, x, u, k, d, none, none, none)[0])

    A = np.column_stack([slopes(duals(x, e), u) for e in np.eye(x.size)])
    B = np.column_stack([slopes(x, duals(u, e)) for e in np.eye(u.size)])
    scale = np.maximum(1.0, np.abs(A).max(axis=1))[:, None]
    assert np.abs((model.A - A) / scale).max() < 1e-12
    assert np.abs((model.B - B) / scale).max() < 1e-12
    assert np.abs(model.A).max() > 100.0  # the energy of the exhaust


def test_a_craft_that_burns_gets_lighter_in_closed_form():
    """Thrust along x through everything's centre: ∂v̇/∂m = −F/m², ∂ṁ/∂T = −1/c, pole of the thrust −1/τ."""
    system = craft(HUB, TANK, NOZZLE, a=('kind = "sphere"\nradius = 0.4\noutlet = "-z"', 'kind = "point"'), b=RISING,
        c=("mass_center = [0.02, -0.01, 0.05]", ""), d=("place = [0.1, 0.2, -0.3]", "place = [0.0, 0.0, 0.0]"),
        e=("place = [-0.7, 0.1, 0.2]", "place = [0.0, 0.0, 0.0]"), f=("direction = [1.0, 0.3, 0.2]", 'direction = "x"'),
        g=("angular_velocity = [0.1, 0.2, 0.3], ", ""))  # fmt: skip
    model = linearize(system, values=BURNING, full_form=True)
    names = [entry.name for entry in system.signals.states]
    v, m, T = (names.index(name) for name in ("hub.velocity[1]", "tank.main.propellant", "thruster.main.thrust"))
    whole = 100.0 + 5.0 + 120.0
    assert model.A[v, m] == pytest.approx(-480.0 / whole**2, rel=1e-12)
    assert model.A[v, T] == pytest.approx(1.0 / whole, rel=1e-12)
    assert model.A[m, T] == pytest.approx(-1.0 / (200.0 * 9.80665), rel=1e-12)
    assert model.A[T, T] == pytest.approx(-1.0 / 0.3, rel=1e-12)
    assert model.B[T, 0] == pytest.approx(1.0 / 0.3, rel=1e-12)
