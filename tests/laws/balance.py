"""The laws that every run has to keep: momentum, angular momentum, energy = work − losses."""

from __future__ import annotations

import numpy as np

from tests.compare import relative

LIMIT = 1e-10


def output(system, run, name):
    return run.y[:, system.signals.where("outputs", f"system.{name}")]


def energy_balance(system, run):
    """Kinetic + potential − work of inputs and surroundings + dissipated (jumps included), (n,); and the largest kinetic energy."""
    table = system.signals
    work, dissipated = (run.x[:, table.where("states", f"system.{name}")] for name in ("work", "dissipated_energy"))
    if "system.environment_work" in [state.name for state in table.states]:
        work = work + run.x[:, table.where("states", "system.environment_work")]
    kinetic = output(system, run, "kinetic_energy")
    return kinetic + output(system, run, "potential_energy") - work + dissipated, kinetic.max()


def assert_momenta(system, run):
    """Momentum and angular momentum constant. Scales: √(2 m E) with the mass m = 1 kg at least, and the largest |H|."""
    energy = output(system, run, "kinetic_energy").max()
    for name in ("momentum", "angular_momentum"):
        found = output(system, run, name)
        assert relative(found, np.tile(found[0], (len(found), 1)), floor=np.sqrt(2.0 * energy)) < LIMIT, name


def assert_energy(system, run):
    """The balance is constant, relative to the largest kinetic energy."""
    total, size = energy_balance(system, run)
    assert relative(total, np.full(len(total), total[0]), floor=size) < LIMIT


def assert_laws(system, run):
    assert_momenta(system, run)
    assert_energy(system, run)
