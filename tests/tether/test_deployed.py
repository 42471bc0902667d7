"""A tether with mass that leaves its reel: laws over births, mergers and stops; closed forms; the massless limit."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import balance, column, drift
from tests.tether.craft import craft

RUNS = {
    "births": (craft(rate=0.8, velocity=(0.8, 4.0, 1.0)), 0.05, 15.0),
    "mergers": (craft(length=31.0, distance=31.35, rate=-1.0, velocity=(-1.0, 4.0, 1.0)), -0.04, 14.0),
    "full": (craft(rate=2.0, length=55.0, distance=55.4, velocity=(2.0, 4.0, 0.1)), 0.2, 4.0),
    "brake": (craft(rate=0.3, velocity=(0.5, 4.0, 0.2), brake=", brake = true"), 0.4, 8.0),
}


@pytest.mark.parametrize("name", RUNS)
def test_momentum_angular_momentum_and_energy(name):
    """Free in space: what is stowed, what is out, hub and probe together. Measured: P and H 5e-15, E 4e-12 of their largest values."""
    text, command, stop = RUNS[name]
    system = load_text(text)
    run = integrate(fast(system), np.linspace(0.0, stop, 16), u=np.array([command]))
    counts, stops = column(system, run, "line.beads_out"), column(system, run, "line.stopped")
    seen = {
        "births": np.ptp(counts) >= 2 and counts[-1] > counts[0],
        "mergers": counts[-1] < counts[0] and stops[-1] == -1,
        "full": stops[-1] == 1 and column(system, run, "line.reel.length")[-1] == pytest.approx(60.0),
        "brake": np.ptp(column(system, run, "line.reel.rate")) > 0.1,
    }
    assert seen[name]
    assert column(system, run, "line.tension").max() > 0.1
    momentum, angular = column(system, run, "system.momentum"), column(system, run, "system.angular_momentum")
    assert drift(momentum) < 1e-10 * np.linalg.norm(momentum[0])
    assert drift(angular) < 1e-10 * np.linalg.norm(angular[0])
    kinetic = column(system, run, "system.kinetic_energy")
    assert drift(balance(system, run)) < 1e-10 * kinetic.max()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (craft().replace("least_length = 14.5", "least_length = 13.0"), r"cables\.line\.least_length is 13\.0, expected at least 14 m"),
        (craft(length=61.0), r"cables\.line\.length is 61\.0, expected between 18 m, .* and full_length"),
        (craft().replace('a = "hub"', 'a = "space"'), r"cables\.line\.a is 'space', expected a body"),
        (craft().replace("rate = 0.4", "speed = 0.4"), r"cables\.line\.deployed\.reel has the unknown key 'speed'|reel has the unknown key 'speed'"),
        (craft() + '[couplings.rod]\nkind = "distance"\na = "hub"\nb = "probe"\nlength = 30.0\n', r"cables\.line\.kind 'deployed' can't be combined with couplings.*rod"),
    ],
)  # fmt: skip
def test_what_is_refused(text, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        load_text(text)
