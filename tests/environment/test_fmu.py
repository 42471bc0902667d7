"""Native FMUs with an environment and with plates: valid, and equal to SciPy's integration of the same System."""

from pathlib import Path

import numpy as np
import pytest
from fmpy.validation import validate_fmu

from spacefmu.dynamics.description import load
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src import cosim
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast

EXAMPLES = Path(__file__).parents[2] / "examples"
UNDEFINED = ("system.orbit.perigee", "system.orbit.true_anomaly")  # a circular orbit has no perigee


@pytest.mark.parametrize(
    "name, stop, step",
    [
        pytest.param("environment_orbit", 100.0, 10.0, marks=pytest.mark.ci),
        ("environment_perturbations", 100.0, 10.0),
        pytest.param("plate", 2.0, 0.25, marks=pytest.mark.slow),
    ],
)
def test_equals_the_reference(name, stop, step, tmp_path):
    """Every output to 1e-9 of the largest value of its array over the run, or of 1 (measured 2.5e-11 at most).

    Tolerances are far below that: a satellite on an orbit turns at 1e-3 rad/s and slower, and integrates its errors for minutes.
    """
    system = load(EXAMPLES / f"{name}.toml")
    fmu = build_native(system, tmp_path / f"{name}.fmu", ["host"])
    assert validate_fmu(str(fmu)) == []
    run = cosim.simulate(fmu, stop, step, {"solver.tolerance": 1e-13})
    reference = integrate(fast(system), run.time, rtol=1e-13, atol=1e-15)
    signals = system.signals.outputs
    arrays = np.array([signal.name.split("[")[0] for signal in signals])
    compared = [i for i, signal in enumerate(signals) if signal.name not in UNDEFINED]
    assert len(compared) > 20
    for i in compared:
        size = max(1.0, np.abs(reference.y[:, arrays == arrays[i]]).max())
        error = np.abs(run[signals[i].name] - reference.y[:, i]).max() / size
        assert error < 1e-9, f"{signals[i].name}: {error:.1e}"
