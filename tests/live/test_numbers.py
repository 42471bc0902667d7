"""What a live page computes: bit for bit what the same C gives natively with the same C library, saved states included,
and what the shipped FMU gives, within the tolerance of the run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacefmu.fmu_src import api
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT
from tests.live.witness import Experiment

CATALOGUE = ROOT / "fmu_src/catalogue"
EVERY = sorted(path.stem for path in (*CATALOGUE.glob("*.toml"), *CATALOGUE.glob("systems/*.toml")))
QUICK = ("FourBar", "TetheredPair", "AttitudeController")  # a loop, a cable with events, a sampled controller
# times the tolerance, relative to 1 + the largest value; measured 2.7 (ThermalFlutter, which grows), the others 0.04 at most
APART = 10.0
OF_ELLIPSES = ("orbit.perigee", "orbit.true_anomaly")  # angles from the perigee: they count by the eccentricity
# [s] until which C libraries are compared: behind a singularity of the gyros, passed at 5 s, last digits of their sines grow (3e-5 tolerances until 6 s, 4000 at 20 s)
UNTIL = {"GyroSlew": 6.0}


def test_every_entry_of_the_catalogue_is_compared():
    assert {entry.name for entry in api.catalogue.entries()} == set(EVERY)


def same_numbers(name: str, folder: Path) -> None:
    experiment = Experiment(name)
    found, said = experiment.in_node(folder)
    expected, _ = experiment.native(folder)
    assert np.isfinite(found).all()
    assert found.tobytes() == expected.tobytes()
    assert said["same"]  # from a state saved in the middle
    assert apart(experiment, found, api.simulate(fmu_file(name), record=experiment.names)) < APART


def apart(experiment: Experiment, found: np.ndarray, shipped: api.Result) -> float:
    """The largest difference of outputs, in tolerances."""
    names = experiment.names
    expected = shipped.values[:, [shipped.places[name] for name in names]]
    weights = np.ones_like(expected)
    for i, name in enumerate(names):
        for angle in OF_ELLIPSES:
            if name.endswith(angle):
                weights[:, i] = np.abs(shipped[name.replace(angle, "orbit.eccentricity")])
    scale = np.abs(expected).max(axis=0) + 1.0
    compared = shipped.time <= UNTIL.get(experiment.system.name, np.inf)
    return (weights * np.abs(found - expected) / scale)[compared].max() / experiment.tolerance


@pytest.mark.parametrize("name", QUICK)
def test_node_computes_what_native_code_does(name, tmp_path):
    same_numbers(name, tmp_path)


@pytest.mark.ci
@pytest.mark.parametrize("name", [name for name in EVERY if name not in QUICK])
def test_node_computes_what_native_code_does_for_every_entry(name, tmp_path):
    same_numbers(name, tmp_path)
