"""Parts that no catalogue entry has, in both versions of FMI: the same bits in co-simulation and model exchange, and `check` finds nothing.

Segments, growing booms, tethers that leave their reel and are cut, tanks, real actuators, gyros, sunlight, air and a magnetic field, prescribed motion,
couplings that let go."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.check.check import check
from tests.fmi3.test_versions import column, run
from tests.fmi3.units import fmu3_file
from tests.session import once, session_folder

EXAMPLES = Path(__file__).parents[2] / "examples"
# beside nothing: what a force-free, slack chain does. Its beads are accelerated by 8e-4 m/s2 at most, and CVode's positions are 6e-7 m off at 1e-10.
FOUND = {
    "deployed_tether": {"event-at-zero", "kinds-agree"},
    # of circular orbits, whose perigee is what rounding makes of it (eccentricity 5e-9)
    "actuators_real": {"directional-derivatives"},
    "prescribed": {"directional-derivatives"},
    "environment_perturbations": {"output-jumps"},
}
# keys that an example gets at its end, and the variable that shows that they act
ADDED = {"deployed_tether cut": ("cut = { at = 0.5, time = 2.0 }", "tether.severed")}
FILES = [
    *(pytest.param(name, marks=pytest.mark.ci) for name in (
        "keys/prescribed", "keys/extending", "deployed_tether", *ADDED, "burning", "couplings_separation", "gyros", "environment_perturbations",
    )),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("keys/segments", "actuators_real", "slosh", "extending_boom")),
]  # fmt: skip


@cache
def system_of(name: str):
    path = EXAMPLES / f"{name.split()[0]}.toml"
    if name in ADDED:
        text = path.read_text().replace('name = "', 'name = "Other', 1)
        return load_text(f"{text}\n{ADDED[name][0]}\n")
    return api.load(path)


def files_of(name: str) -> tuple[Path, Path]:
    """The FMUs of FMI 2.0 and 3.0."""
    system = system_of(name)
    old = once(session_folder() / "features" / f"{system.name}.fmu", lambda path: build_native(system, path, ["host"]))
    return old, fmu3_file(system)


@pytest.mark.parametrize("name", FILES)
def test_equal_bit_for_bit(name):
    """Over the first hundred steps; half as many in model exchange, by FMPy's CVode."""
    experiment = system_of(name).about.experiment
    for kind, steps in (("CoSimulation", 100), ("ModelExchange", 50)):
        stop = min(experiment["stop"], steps * experiment["step"])
        old, new = (run(file, kind, stop, experiment["step"], experiment["tolerance"]) for file in files_of(name))
        assert len(old) == len(new) > 10
        moved = 0
        for shown in new.dtype.names:
            found = new[shown]
            expected = old[shown] if found.ndim == 1 else column(old, shown, found.shape[1:])
            np.testing.assert_array_equal(found.astype(float), expected.astype(float), err_msg=f"{kind}: {shown}")
            moved += np.ptp(found.astype(float)) > 0.0
        assert moved > 3
        if name in ADDED:
            assert set(new[ADDED[name][1]]) == {0, 1}


@pytest.mark.parametrize("name", FILES)
def test_the_checker_finds_nothing(name):
    for file in files_of(name):
        report = check(file)
        assert report.defects == []
        found = [(each.rule.id, each.text) for each in report.findings]
        allowed = FOUND.get(Path(name.split()[0]).stem, set())
        assert [each for each in found if each[0] not in allowed] == []
        assert all("∂(system.orbit." in text for rule, text in found if rule == "directional-derivatives")
        assert sum(rule != "directional-derivatives" for rule, _ in found) <= len(allowed)
