"""The drawing in an FMU is that of its own spacecraft: boxes with the bodies' mass properties, the same bytes each time."""

from __future__ import annotations

import numpy as np
import pytest

from fmu_src.interface import drawing
from fmu_src.interface.icon import generic_icon
from tests.catalogue_fmus import system_of


def test_a_box_has_the_inertia_of_its_body():
    """Inertia of a uniform box about its centre, m/12 (b² + c²) and so on, turned into the hub's axes, is the description's."""
    system = system_of("HingedPanel")
    craft = system.made_by[1]
    hub = drawing._at_start(system, craft)[0]
    corners = drawing._box(hub, smallest=0.0)
    edges = corners[[4, 2, 1]] - corners[0]  # along the three sides
    sides = np.linalg.norm(edges, axis=1)
    directions = edges.T / sides
    mass = craft.tree.links[0].body.mass.start
    principal = mass / 12.0 * (np.sum(sides**2) - sides**2)
    found = directions @ np.diag(principal) @ directions.T
    assert found == pytest.approx(craft.tree.links[0].body.inertia, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("name", ("HingedPanel", "TetheredMasses"))
def test_drawings_are_of_the_spacecraft_and_reproducible(name):
    first, second = (drawing.drawing_of(system_of(name)) for _ in range(2))
    assert first == second
    assert first.startswith(b"\x89PNG")
    assert first != generic_icon()


def test_a_controller_has_the_generic_icon():
    assert drawing.drawing_of(system_of("AttitudeController")) == generic_icon()
