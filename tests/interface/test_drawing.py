"""The drawing in an FMU is that of its own spacecraft, the same bytes each time."""

from __future__ import annotations

import pytest

from fmu_src.interface import drawing
from fmu_src.interface.icon import generic_icon
from tests.catalogue_fmus import system_of


@pytest.mark.parametrize("name", ("HingedPanel", "TetheredMasses"))
def test_drawings_are_of_the_spacecraft_and_reproducible(name):
    first, second = (drawing.drawing_of(system_of(name)) for _ in range(2))
    assert first == second
    assert first.startswith(b"\x89PNG")
    assert first != generic_icon()


def test_a_controller_has_the_generic_icon():
    assert drawing.drawing_of(system_of("AttitudeController")) == generic_icon()
