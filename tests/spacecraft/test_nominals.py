"""Nominal values of states and their derivatives: the rule of dynamics/spacecraft/nominals.py, by other routes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spacefmu.dynamics.bodies.body import FlexibleBody
from spacefmu.dynamics.bodies.integrals import Integrals
from spacefmu.dynamics.spacecraft.nominals import BENT
from spacefmu.dynamics.spacecraft.system import spacecraft_system
from spacefmu.fmu_src.interface.variables import variables_of
from tests.catalogue_fmus import ENTRIES, system_of
from tests.environment.craft import HUB, craft
from tests.environment.test_oblate_orbit import oblate


def nominals(system) -> dict[str, float | None]:
    return {variable.name: variable.signal.nominal for variable in variables_of(system)}


def craft_of(name: str):
    return system_of(name).made_by[1]


@pytest.mark.parametrize("name", ENTRIES)
def test_every_state_and_every_derivative_has_one(name):
    system = system_of(name)
    found = nominals(system)
    names = [state.name for state in system.signals.states]
    names += [rate.name for _, rate in system.signals.derivative_signals()]
    assert all(found[each] is not None and found[each] > 0.0 for each in names)


def test_numbers_of_a_hub_with_a_panel():
    """HingedPanel by hand: a panel of 6 m and the default experiment of 60 s; the first mode of its description."""
    found = nominals(system_of("HingedPanel"))
    assert found["hub.position[2]"] == 6.0
    assert found["hub.velocity[2]"] == pytest.approx(6.0 / 60.0)
    assert found["hub.acceleration[2]"] == pytest.approx(6.0 / 60.0**2)
    assert found["hub.quaternion[1]"] == found["sadm.angle"] == 1.0
    assert found["der(hub.quaternion[1])"] == found["sadm.rate"] == pytest.approx(1.0 / 60.0)
    frequency = {s.name: s.start for s in system_of("HingedPanel").signals.parameters}["panel.mode[1].frequency"]
    amplitude, rate = found["panel.mode[1].amplitude"], found["panel.mode[1].rate"]
    assert rate / amplitude == pytest.approx(2.0 * np.pi * frequency)
    assert found["panel.mode[1].acceleration"] / rate == pytest.approx(2.0 * np.pi * frequency)


def rescaled(body: FlexibleBody, factor: float) -> FlexibleBody:
    """The same body with its mode shapes longer by a factor, so amplitudes shorter."""
    power = {"s1": 1, "h1": 1, "h3": 1, "h4": 2, "h5": 2, "modal_mass": 2, "s1_second": 2}
    old = body.integrals_at_build
    longer = {name: getattr(old, name) * factor**order for name, order in power.items()}
    return replace(body, integrals_at_build=Integrals(old.mass, old.first, old.inertia, **longer), nodes={})


def test_shapes_may_be_scaled_at_will():
    """The same deflection counts as nominal, whatever the amplitude is called that makes it."""
    craft = craft_of("HingedPanel")
    links = [
        replace(link, body=rescaled(link.body, 10.0)) if isinstance(link.body, FlexibleBody) else link
        for link in craft.tree.links
    ]
    other = replace(craft, tree=replace(craft.tree, links=tuple(links)), sensors=())
    plain, scaled = nominals(system_of("HingedPanel")), nominals(spacecraft_system(other))
    for quantity in ("amplitude", "rate", "acceleration"):
        name = f"panel.mode[2].{quantity}"
        assert scaled[name] == pytest.approx(0.1 * plain[name], rel=1e-12)


def test_a_mode_bends_its_body_by_a_thousandth():
    """Root mean square of the displacement over a uniform beam's length, by quadrature of the clamped-free shape."""
    panel = next(link.body for link in craft_of("HingedPanel").tree.links if isinstance(link.body, FlexibleBody))
    length, root = 6.0, 1.8751040687119611
    s = (np.arange(20000) + 0.5) / 20000
    ratio = (np.sinh(root) - np.sin(root)) / (np.cosh(root) + np.cos(root))
    shape = np.cosh(root * s) - np.cos(root * s) - ratio * (np.sinh(root * s) - np.sin(root * s))
    shape /= shape[-1]  # a unit amplitude is a unit displacement of the tip
    spread = np.sqrt(np.mean(shape**2))
    distance = length * np.sqrt(np.mean(s**2))
    amplitude = nominals(system_of("HingedPanel"))["panel.mode[1].amplitude"]
    assert panel.modes == 4
    assert amplitude * spread == pytest.approx(BENT * distance, rel=0.02)


def test_a_nominal_that_a_piece_declares_is_kept():
    """The orbital frame that falls around an oblate planet says how far it is from its centre."""
    falling = craft(oblate(semi_major_axis=7e6), HUB)
    assert nominals(falling)["environment.orbit.position[1]"] == 7e6
