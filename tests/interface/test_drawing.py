"""The drawing in an FMU is that of its own spacecraft, the same bytes each time."""

from __future__ import annotations

import pytest

from dynamics.description import load_text
from fmu_src.interface import drawing
from fmu_src.interface.icon import generic_icon
from tests.catalogue_fmus import system_of
from tests.large_crafts import mixed_chain


@pytest.mark.parametrize("name", ("HingedPanel", "TetheredMasses"))
def test_drawings_are_of_the_spacecraft_and_reproducible(name):
    first, second = (drawing.drawing_of(system_of(name)) for _ in range(2))
    assert first == second
    assert first.startswith(b"\x89PNG")
    assert first != generic_icon()


def test_a_controller_has_the_generic_icon():
    assert drawing.drawing_of(system_of("AttitudeController")) == generic_icon()


@pytest.mark.parametrize(("links", "named"), [(3, True), (50, False)])
def test_many_small_bodies_are_dots_without_names(links, named):
    """Names would cover each other, and shapes would not be seen under the dots."""
    system = load_text(mixed_chain(links))
    figure = drawing.figure_of(*drawing.at_start(system.picture(), drawing.starts_of(system)), 0)
    assert ("link1" in {text.get_text() for text in figure.axes[0].texts}) == named
