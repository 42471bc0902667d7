"""[jin1991] as a whole: the engine against brute force over mass points, on accelerations and on trajectories."""

import functools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacefmu.dynamics.system import evaluate, reference
from spacefmu.fmu_src.native.trace.fast import fast
from tests.compare import relative
from tests.papers.point_crafts import CRAFTS


@functools.cache
def craft(name):
    system, model = CRAFTS[name]()
    return fast(system), model, model.equations()


def random_state(model, seed):
    """(q, v): places and angles of order 1, amplitudes small enough for |Ψη| < 1, rates of order 1."""
    rng = np.random.default_rng(seed)
    q = []
    for kind in model.kinds:
        q += list(rng.uniform(-0.3, 0.3, 1)) if kind == "plain" else list(Rotation.random(random_state=seed).as_quat())
    _, chart, _ = model.split(np.array(q))
    return np.concatenate([q, rng.normal(size=len(chart)) * 0.7])


def engine_rates(system, state):
    """d/dt (q, v) by the engine; its last two states are the work integrals."""
    x = np.concatenate([state, [0.0, 0.0]])
    k = evaluate.constants(system, system.signals.starts("parameters"))
    return evaluate.motion(system, 0.0, x, np.zeros(system.nu), k, np.zeros(0))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", CRAFTS)
def test_accelerations(name, seed):
    """v̇ and q̇ at random states: 1e-12 relative. Measured 8e-15."""
    system, model, function = craft(name)
    state = random_state(model, seed)
    expected = model.rates(function, state)
    found = engine_rates(system, state)[0][: len(state)]
    assert relative(found, expected) < 1e-12


@pytest.mark.parametrize("name", CRAFTS)
def test_totals(name):
    """Momentum, angular momentum about the mass centre, energies: the outputs are those of the points. Measured 6e-16."""
    system, model, function = craft(name)
    state = random_state(model, 7)
    _, _, momentum, angular, kinetic, potential = (np.array(part).ravel() for part in function(*model.split(state)))
    y = engine_rates(system, state)[1]
    output = {key: y[system.signals.where("outputs", f"system.{key}")] for key in
              ("momentum", "angular_momentum", "kinetic_energy", "potential_energy", "mass_center")}  # fmt: skip
    about_origin = output["angular_momentum"] + np.cross(output["mass_center"], output["momentum"])
    for found, expected in ((output["momentum"], momentum), (about_origin, angular)):
        assert relative(found, expected) < 1e-12
    assert relative(output["kinetic_energy"], kinetic[0]) < 1e-13
    assert relative(output["potential_energy"], potential[0]) < 1e-13


@pytest.mark.parametrize("stop", [2.0, pytest.param(10.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CRAFTS)
def test_trajectory(name, stop):
    """Up to ten seconds of tumbling from a random state, both with DOP853 at 1e-12: the motions stay together. Measured 2e-12."""
    system, model, _ = craft(name)
    state = random_state(model, 11)
    times = np.linspace(0.0, stop, 11)
    expected = model.trajectory(state, times)
    x = np.concatenate([state, [0.0, 0.0]])
    found = reference.integrate(system, times, x=x).x[:, : len(state)]
    assert relative(found, expected) < 1e-9
