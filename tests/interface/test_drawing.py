"""The drawing in an FMU is that of its own spacecraft, the same bytes each time."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src.interface import drawing
from spacefmu.fmu_src.interface.canvas import VIEW, Canvas
from spacefmu.fmu_src.interface.icon import generic_icon
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
    canvas = drawing.drawn(*drawing.at_start(system.about.picture(), drawing.starts_of(system)), 0)
    assert ("link1" in {text for _, text in canvas.names}) == named


def test_what_is_nearer_covers_what_is_farther():
    """A red triangle before a blue one, whichever is drawn first, and each where it belongs."""
    shape = np.array([VIEW[0] + VIEW[1], -VIEW[0] + VIEW[1], -VIEW[1]])
    red, blue = np.array([[255.0, 0.0, 0.0, 255.0]]), np.array([[0.0, 0.0, 255.0, 255.0]])
    for order in (1, -1):
        canvas = Canvas((100, 100), np.concatenate([2.0 * shape]))
        for corners, color in [(0.5 * shape + VIEW[2], red), (shape - VIEW[2], blue)][::order]:
            canvas.triangles(corners[None], color)
        image = canvas.finished()
        assert image.getpixel((50, 50)) == (255, 0, 0)
        assert image.getpixel((50, 68)) == (0, 0, 255)  # its tip, below the red one's
        assert image.getpixel((50, 15)) == (255, 255, 255)
