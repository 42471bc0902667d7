"""Every commented example loads, starts, is the same on floats and on symbols, and runs; energy balances."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.description import load
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.cosim import read_system
from spacefmu.fmu_src.native.trace.fast import fast

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(path.name for path in EXAMPLES.glob("*.toml"))
MINE = (
    "actuators",
    "beam",
    "finite_element_calculix",
    "finite_element_nastran",
    "fixed_root",
    "initial_state",
    "joints",
    "modal_integrals",
    "nodal_table",
    "rigid_bodies",
    "sensors",
)


def test_the_examples_are_there():
    assert {f"{name}.toml" for name in MINE} <= set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_loads_starts_and_agrees_with_symbols(file):
    system = load(EXAMPLES / file)
    x, u, k, d = start(system)
    floats = motion(system, 0.0, x, u, k, d)
    symbols = motion(fast(system), 0.0, x, u, k, d)
    for a, b in zip(floats, symbols, strict=True):
        assert np.all(np.isfinite(a))
        np.testing.assert_allclose(
            a, b, rtol=1e-9, atol=1e-9 * np.max(np.abs(a), initial=1.0)
        )  # measured 1.9e-15 of the largest


@pytest.mark.parametrize("path", sorted((EXAMPLES / "keys").glob("*.toml")), ids=lambda path: path.stem)
def test_examples_of_rare_keys_load_and_start(path):
    """They stand in the reference of descriptions, a key a line: each is of a description that is one."""
    if tomllib.loads(path.read_text(encoding="utf-8")).get("kind") == "system":
        assert read_system(path).links
        return
    system = load(path)
    x, u, k, d = start(system)
    for values in motion(system, 0.0, x, u, k, d):
        assert np.all(np.isfinite(values))


@pytest.mark.parametrize("name", MINE)
def test_runs_and_balances_energy(name):
    """T + V − work + dissipated is constant, every real input held at 0.1 so that all that can move does."""
    system = fast(load(EXAMPLES / f"{name}.toml"))
    u = np.array([0.1 if signal.kind == "real" else signal.start for signal in system.signals.inputs])
    run = integrate(system, np.linspace(0.0, 0.3, 4), u=u, rtol=1e-11, atol=1e-12)
    assert np.all(np.isfinite(run.y))
    y, x = system.signals.where("outputs", "system.kinetic_energy"), system.signals.where("states", "system.work")
    potential, lost = (
        system.signals.where("outputs", "system.potential_energy"),
        system.signals.where("states", "system.dissipated_energy"),
    )
    balance = run.y[:, y] + run.y[:, potential] - run.x[:, x] + run.x[:, lost]
    turned_over = np.max(run.y[:, y])  # energy that moves: the balance itself may be zero
    assert turned_over > 0.0
    assert np.ptp(balance) <= 1e-9 * turned_over, np.ptp(balance) / turned_over  # measured ≤ 4e-11 (beam), else ≤ 6e-12
