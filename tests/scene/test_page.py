"""What the view's page is told beside the scene: the whole orbit behind a stretch of it, the variables that are plotted at first, events."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spacefmu.fmu_src.results import Result
from spacefmu.fmu_src.view.page import MARKS, first_variables, marks, whole_orbit


def ellipse(eccentric):
    """Places (n, 3) and times of an orbit of semi-major axis 1.2 and eccentricity 0.1 about a planet of μ = 1, inclined."""
    e, a = 0.1, 1.2
    flat = a * np.column_stack([np.cos(eccentric) - e, np.sqrt(1.0 - e * e) * np.sin(eccentric), 0.0 * eccentric])
    tilt = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, -0.6], [0.0, 0.6, 0.8]])
    return (eccentric - e * np.sin(eccentric)) * a**1.5, flat @ tilt.T  # Kepler's equation


def test_it_is_found_from_a_tenth_of_it():
    found = whole_orbit(*ellipse(np.linspace(0.3, 0.9, 200)))
    _, true = ellipse(np.linspace(0.0, 2.0 * np.pi, 3601))
    nearest = np.array([np.linalg.norm(true - point, axis=1).min() for point in found])
    assert nearest.max() < 2e-3  # the distance of the places on the true one
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.clip(np.linalg.norm(found, axis=1), 1.08, 1.32), abs=1e-3)


def test_what_is_no_orbit_has_none():
    time = np.linspace(0.0, 1.0, 50)
    assert len(whole_orbit(time[:1], np.ones((1, 3)))) == 0
    assert len(whole_orbit(time, np.column_stack([1.0 + 9.0 * time, 9.0 * time, time]))) == 0  # straight on


def test_two_variables_that_move_are_plotted_at_first():
    """Of each kind the first one that moves by more than noise, displacements before angles before turning."""
    time = np.linspace(0.0, 1.0, 50)
    names = (
        "hub.angular_velocity[1]",
        "hinge.angle",
        "a.displacement[1]",
        "b.displacement[1]",
        "b.displacement[2]",
        "w",
    )
    moves = (1.0, 1.0, 1e-12, 1.0, 0.0, 1.0)
    run = Result(time, names, np.outer(np.sin(time), moves))
    assert first_variables(run, list(names)) == ["b.displacement", "hinge.angle"]
    assert first_variables(run, ["w"]) == ["w"]
    assert first_variables(None, []) == []


def test_events_of_a_variable_are_marked_whole_or_not_at_all():
    """Half of a thruster's pulses would look as if it had stopped there."""
    rare, often, cut = [[1.0, "latch.closed", 1]], [[0.01 * i, "jet.on", i % 2] for i in range(MARKS)], [[2.0, "valve.open", 1]]  # fmt: skip
    told = {"switched": sorted(rare + often + cut), "more": {"valve.open": 7}}
    run = Result(np.array([0.0, 9.0]), (), np.zeros((2, 0)), origin={"events": {"": told}})
    assert marks(run) == [[1.0, 1.0, "latch.closed = 1"]]
    assert len(marks(replace(run, origin={"events": {"": {"switched": often}}}))) == MARKS
