"""FMI 3.0 and 2.0 of the same model: valid by FMPy, and equal bit for bit in co-simulation and model exchange."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

import fmpy
import numpy as np
import pytest
from fmpy.sundials import CVodeSolver
from fmpy.validation import validate_fmu

from tests.catalogue_fmus import ENTRIES, QUICK, fmu_file, matrix, system_of
from tests.fmi3.units import fmu3_file

ALL = matrix()
# FMPy's CVode gives up after 500 steps between two output points, which stiff models need
PATIENT = partial(CVodeSolver, maxNumSteps=1_000_000)


def run(file, kind: str, stop: float, step: float, tolerance: float):
    shown = [v.name for v in fmpy.read_model_description(str(file)).modelVariables if v.causality == "output"]
    with patch("fmpy.sundials.CVodeSolver", PATIENT):
        return fmpy.simulate_fmu(
            str(file), fmi_type=kind, stop_time=stop, output_interval=step, output=shown, relative_tolerance=tolerance,
            logger=lambda *_: None,
        )  # fmt: skip


def column(result, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """An array over time from the entries that FMI 2.0 shows."""
    entries = [result[f"{name}[{','.join(str(i + 1) for i in place)}]"] for place in np.ndindex(shape)]
    return np.stack(entries, axis=1).reshape(-1, *shape)


def compare(name: str, kind: str, stop: float, step: float) -> None:
    tolerance = system_of(name).about.experiment["tolerance"]
    old = run(fmu_file(name), kind, stop, step, tolerance)
    new = run(fmu3_file(name), kind, stop, step, tolerance)
    assert len(old) == len(new) > 10
    for column_name in new.dtype.names:
        found = new[column_name]
        expected = old[column_name] if found.ndim == 1 else column(old, column_name, found.shape[1:])
        np.testing.assert_array_equal(found.astype(float), expected.astype(float), err_msg=column_name)


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("name", QUICK)
def test_equal_bit_for_bit(name, kind):
    """Over the first part of the default experiment."""
    experiment = system_of(name).about.experiment
    steps = 100.0 if kind == "ModelExchange" else 300.0
    compare(name, kind, min(experiment["stop"], steps * experiment["step"]), experiment["step"])


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("name", ENTRIES)
def test_equal_bit_for_bit_over_the_whole_experiment(name, kind):
    experiment = system_of(name).about.experiment
    compare(name, kind, experiment["stop"], experiment["step"])


@pytest.mark.parametrize("name", ALL)
def test_valid_and_whole(name):
    """FMPy finds nothing; every scalar of FMI 2.0 is an entry of one variable of FMI 3.0, of the same causality and start."""
    assert validate_fmu(str(fmu3_file(name))) == []
    old = {v.name: v for v in fmpy.read_model_description(str(fmu_file(name))).modelVariables}
    seen = set()
    for variable in fmpy.read_model_description(str(fmu3_file(name))).modelVariables:
        shape = tuple(int(each.start) for each in variable.dimensions)
        names = [variable.name] if not shape else [_entry(variable.name, place) for place in np.ndindex(shape)]
        if variable.name == "event_indicators":
            continue
        starts = str(variable.start).split() if variable.start is not None else [None] * len(names)
        for entry, start in zip(names, starts, strict=True):
            assert (old[entry].causality, old[entry].variability) == (variable.causality, variable.variability)
            assert old[entry].start == start
        seen |= set(names)
    assert seen == set(old)


def _entry(name: str, place: tuple[int, ...]) -> str:
    index = f"[{','.join(str(i + 1) for i in place)}]"
    return f"der({name[4:-1]}{index})" if name.startswith("der(") else name + index


def switches(file, kind: str, tolerance: float, **mode) -> np.ndarray:
    """Times at which the cable of TetheredPair lets go and catches [s], in the first 2000 s."""
    result = fmpy.simulate_fmu(
        str(file), fmi_type=kind, stop_time=2000.0, output_interval=20.0, output=["tether.taut"],
        relative_tolerance=tolerance, logger=lambda *_: None, **mode,
    )  # fmt: skip
    return result["time"][np.flatnonzero(np.diff(result["tether.taut"].astype(float))) + 1]


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
def test_events_by_tolerance(tolerance):
    """In event mode of co-simulation, and in model exchange, where FMPy's CVode sees them as exactly as it integrates.

    Measured, in s: co-simulation 1.9e-6, 1.9e-10, 9e-10; model exchange 1.5, 6.4e-3, 2.2e-4, to which the bounds were set.
    """
    right = [402.81836691789573, 1735.7279334120708]  # co-simulation at 1e-12; CVode at 1e-10 is 3.4e-6 off
    files = fmu_file("TetheredPair"), fmu3_file("TetheredPair")
    stepped = switches(files[1], "CoSimulation", tolerance, early_return_allowed=True, use_event_mode=True)
    np.testing.assert_allclose(stepped, right, rtol=0.0, atol=max(0.1 * tolerance, 1e-8))
    old, new = (switches(file, "ModelExchange", tolerance) for file in files)
    np.testing.assert_array_equal(new, old)
    np.testing.assert_allclose(new, right, rtol=0.0, atol=3e4 * tolerance)
