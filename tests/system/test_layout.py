"""Named parts of arrays: where they stand, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import load
from spacefmu.dynamics.system.layout import Layout
from spacefmu.dynamics.system.signals import SignalTable, State
from spacefmu.fmu_src.catalogue import find

X = np.arange(6.0)


def test_parts_are_read_replaced_and_joined_by_name():
    layout = Layout({"q": 2, "v": 3, "none": 0, "work": 1})
    assert layout.size == 6
    assert layout["v"] == slice(2, 5)
    assert {name: list(part) for name, part in layout.parts(X).items()} == {
        "q": [0, 1],
        "v": [2, 3, 4],
        "none": [],
        "work": [5],
    }
    assert list(layout.replaced(X, v=-X[layout["v"]])) == [0, 1, -2, -3, -4, 5]
    assert list(layout.joined({"work": [9], "v": [6, 7, 8], "q": [4, 5]})) == [4, 5, 6, 7, 8, 9]
    assert layout.followed_by("more", 2)["more"] == slice(6, 8)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"q": [1.0, 2.0]}, "part 'v' has 0 entries, expected 1"),
        ({"q": [1.0], "v": [1.0]}, "part 'q' has 1 entries, expected 2"),
        ({"q": [1.0, 2.0], "v": [1.0], "w": []}, "no part is named 'w'"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, words):
    with pytest.raises(ValueError, match=words):
        Layout({"q": 2, "v": 1}).joined(parts)


def test_a_table_refuses_parts_of_another_size():
    """A piece whose states no part names would otherwise shift all that stand behind it."""
    table = SignalTable(states=[State("x", "", start=(0.0, 0.0))])
    assert table.in_parts({"states": Layout({"q": 1, "v": 1})}).layouts["states"]["v"] == slice(1, 2)
    with pytest.raises(ValueError, match="the parts of the states have 3 entries, expected 2"):
        table.in_parts({"states": Layout({"q": 3})})


def test_parts_of_a_spacecraft_hold_what_their_names_say():
    """Two free bodies and a cable on an orbit: the names of states, part by part."""
    signals = load(find("TetheredPair")).signals
    parts = signals.layouts["states"].parts([state.name for state in signals.states])
    assert parts["energies"] == ["system.work", "system.dissipated_energy"]
    assert (len(parts["coordinates"]), len(parts["speeds"])) == (14, 12)
    assert all("velocity" in name for name in parts["speeds"])
    assert parts["environment_work"] == ["system.environment_work"]
    modes = signals.layouts["discretes"].parts([state.name for state in signals.discretes])
    assert modes["locks"] == []
    assert modes["connections"][0] == "tether.taut"
