"""What a report of runs is made of is made once: descriptions are read, tables and pictures are built for the first run of them."""

from __future__ import annotations

from collections import Counter

import pytest

from spacefmu.dynamics.picture.picture import Picture
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.system.signals import SignalTable
from spacefmu.fmu_src import api
from tests.catalogue_fmus import fmu_file

# One table for the check of the start, the System and its picture. Dynamics: with that table, and with the System's signals for the masses.
WANTED = {Picture: 1, SignalTable: 1, Dynamics: 2}


@pytest.fixture
def made(monkeypatch):
    count: Counter[type] = Counter()

    def counted(cls):
        init = cls.__init__

        def counting(self, *arguments, **named):
            count[cls] += 1
            init(self, *arguments, **named)

        monkeypatch.setattr(cls, "__init__", counting)

    for cls in WANTED:
        counted(cls)
    return count


def test_pictures_and_tables_are_made_once(made, tmp_path):
    path = fmu_file("HingedPanel")
    run, heavy = (api.simulate(path, 1.0, 0.1, {"hub.mass": mass}) for mass in (500.0, 600.0))
    made.clear()
    api.report(run, tmp_path / "one.html")
    assert made == WANTED
    made.clear()
    api.report(run, tmp_path / "two.html", compare=heavy)
    assert made == WANTED


def test_a_system_keeps_its_picture():
    craft = api.load("HingedPanel")
    assert craft.about.picture() is craft.about.picture()
