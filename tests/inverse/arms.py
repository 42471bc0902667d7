"""Descriptions for the tests of this folder, and what they are judged by."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import constants, motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast

PLANAR, SPATIAL, SEVEN = ("SpaceManipulatorPlanar", "SpaceManipulatorSpatial", "SpaceManipulator")


def text_of(name: str) -> str:
    return dict(api.load(name).about.described_by)[f"{name}.toml"].decode()


def with_inverse(name: str, inverse: str, **changes: str):
    """A catalogue entry with an [inverse] table; `changes` replace texts of the description."""
    text = text_of(name)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return load_text(text + inverse)


def output(system, run, name):
    """Values (n, …) of an output or state over a run."""
    group, values = (
        ("states", run.x) if name in {s.name.split("[")[0] for s in system.signals.states} else ("outputs", run.y)
    )
    return values[:, system.signals.where(group, name)]


def at_start(system, name):
    """An output's value at the start."""
    y = motion(system, 0.0, *start(system))[1]
    return y[system.signals.where("outputs", name)]


def run(system, stop, points=21, rtol=1e-10, atol=1e-12):
    return integrate(fast(system), np.linspace(0.0, stop, points), rtol=rtol, atol=atol)


__all__ = [
    "LOOP",
    "ON_LOOP",
    "PLANAR",
    "SEVEN",
    "SPATIAL",
    "at_start",
    "constants",
    "output",
    "run",
    "text_of",
    "with_inverse",
]

# Joints that go round a loop, and the arm's start on it.
LOOP = """
[inverse.paths.shoulder]
joint = "shoulder"
formula = ["1 + 0.5*cos(time)"]
[inverse.paths.elbow]
joint = "elbow"
formula = ["1 + 0.5*sin(time)"]
"""
ON_LOOP = {"position = 1.0, rate = 0.1": "position = 1.5", "position = -1.2, rate = -0.05": "position = 1.0"}
