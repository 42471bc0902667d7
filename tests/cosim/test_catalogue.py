"""Every entry of the catalogue: builds, validates, and runs its default experiment like the reference integration."""

import numpy as np
import pytest
from fmpy.validation import validate_fmu

from dynamics.reference import integrate
from fmu_src import catalogue, cosim
from fmu_src.native.fast import fast
from fmu_src.results import Result
from tests.catalogue_fmus import ENTRIES, fmu_file, system_of
from tests.compare import undefined_angles


@pytest.mark.parametrize("name", ENTRIES)
def test_runs_like_the_reference(name):
    """Default experiment, at most 20 s of it, with constant inputs that are small for the size of the craft.

    Outputs are compared in units of the largest value of their array (position[1..3] together), at least 1.
    """
    system, fmu = system_of(name), fmu_file(name)
    assert validate_fmu(str(fmu)) == []
    inputs = [
        s.start if s.kind != "real" or s.unit == "1" else s.start + 0.01 * (i % 5)
        for i, s in enumerate(system.signals.inputs)
    ]
    stop, step = min(system.experiment["stop"], 20.0), 0.5
    names = tuple(s.name for s in system.signals.inputs)
    table = Result(np.array([0.0, stop]), names, np.array([inputs, inputs]))
    run = cosim.simulate(fmu, stop, step, {"solver.tolerance": 1e-12}, table if names else None)
    reference = integrate(fast(system), run.time, u=np.array(inputs))
    undefined = undefined_angles(run, run.names)
    for i, signal in enumerate(system.signals.outputs):
        if signal.name in undefined:
            continue
        array = [
            j for j, other in enumerate(system.signals.outputs) if other.name.split("[")[0] == signal.name.split("[")[0]
        ]
        scale = max(1.0, np.abs(reference.y[:, array]).max())
        error = np.abs(run[signal.name] - reference.y[:, i]).max() / scale
        assert error < 1e-9, f"{signal.name}: {error:.1e}"


@pytest.mark.parametrize("name", ENTRIES)
def test_python_flavour_validates(name):
    assert validate_fmu(str(fmu_file(name, "python"))) == []


def test_every_entry_is_what_its_file_says():
    for entry in catalogue.entries():
        assert entry.name == entry.path.stem
        assert len(entry.description) <= 130
