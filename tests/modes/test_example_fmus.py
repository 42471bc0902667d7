"""Satellites from file to FMU: the examples with bodies from Nastran and from CalculiX, built in both flavours and run."""

import numpy as np
import pytest

from spacefmu.fmu_src import api
from tests.cli.command import ROOT
from tests.compare import relative


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "start", "bent"),
    [("nastran", "gimbal.rate[1]", "boom.dish.displacement"), ("calculix", "hinge.rate", "panel.tip.displacement")],
)
def test_from_file_to_fmu(example, start, bent, tmp_path):
    """Five seconds of motion that begins in a joint: the structure bends, momentum and angular momentum stay zero (measured 4e-16);
    the Python FMU's outputs are the native one's, relative to the largest value of each, at least 1e-3 (measured 6e-13).
    """
    system = api.load(ROOT / f"examples/finite_element_{example}.toml")
    native, python = (
        api.simulate(api.build(system, tmp_path / f"{flavour}.fmu", flavour=flavour), stop=5.0, step=0.1, start_values={start: 0.2})
        for flavour in ("native", "python")
    )  # fmt: skip
    assert np.abs(native[bent]).max() > 1e-6
    for momentum in ("system.momentum", "system.angular_momentum"):
        assert np.ptp(native[momentum], axis=0).max() < 1e-12
    assert python.names == native.names
    worst = {name: relative(python[name], native[name], floor=1e-3) for name in native.names}
    assert max(worst.values()) < 1e-9, max(worst, key=worst.get)
