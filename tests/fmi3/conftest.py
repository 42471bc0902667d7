"""Instances of FMI 3.0 FMUs that are freed after the test."""

from __future__ import annotations

import pytest
from fmpy.fmi3 import FMU3Slave

from tests.fmi3.units import Unit3


@pytest.fixture
def unit():
    units: list[Unit3] = []

    def create(of, kind=FMU3Slave, **options) -> Unit3:
        units.append(Unit3(of, kind, **options))
        return units[-1]

    yield create
    for each in units:
        each.free()
