"""[tkachev]'s last section: a free satellite oscillates no slower than the slowest of its clamped appendages, and its example of two masses on a chain."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.linalg import eigh

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.satellite.test_linear import text

# ---- Two masses on a chain (the paper's Fig. 2 and 3): springs C₁ from M to m₁ and C₂ from m₁ to m₂; y is measured from M.

M, M1, M2, C1, C2 = 5.0, 2.0, 1.0, 300.0, 200.0
STIFFNESS = np.array([[C1 + C2, -C2], [-C2, C2]])


def clamped():
    """L₂, M held: ω² (2,) and U with y = Uθ, UᵀA₂U = E: θ are the normal coordinates."""
    return eigh(STIFFNESS, np.diag([M1, M2]))


def free_by_normal_coordinates(base):
    """ω (2,) of L₁ = ½(M + m₁ + m₂)Ẋ² + ½θ̇ᵀθ̇ − ½(M + m₁ + m₂)(μᵀUθ̇)² − ½θᵀΛθ: only the kinetic energy has changed."""
    values, U = clamped()
    total = base + M1 + M2
    row = (np.array([M1, M2]) / total) @ U
    return np.sqrt(eigh(np.diag(values), np.eye(2) - total * np.outer(row, row), eigvals_only=True))


def free_by_places(base):
    """ω (2,) of the same three masses by their places in space."""
    K = np.array([[C1, -C1, 0.0], [-C1, C1 + C2, -C2], [0.0, -C2, C2]])
    return np.sqrt(np.abs(eigh(K, np.diag([base, M1, M2]), eigvals_only=True)[1:]))


CHAIN = """
name = "Chain"
[bodies.base]
mass = {base}
inertia = [1.0, 1.0, 1.0]
[bodies.first]
mass = 2.0
inertia = [1.0, 1.0, 1.0]
[bodies.second]
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[joints.one]
parent = "base"
child = "first"
kind = "prismatic"
axis = "x"
stiffness = 300.0
[joints.two]
parent = "first"
child = "second"
kind = "prismatic"
axis = "x"
stiffness = 200.0
"""


APPENDAGE = """
name = "Chain"
[bodies.base]
mass = {base}
inertia = [1.0, 1.0, 1.0]
[bodies.chain]
nodal_table = "chain.json"
[joints.root]
parent = "base"
child = "chain"
kind = "fixed"
"""


def chain_file(folder):
    """The chain as a flexible body of two mass points with its clamped modes, as a finite-element program would give it."""
    values, U = clamped()
    table = {
        "node": ["m1", "m2"], "position": [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], "mass": [M1, M2],
        "frequency": (np.sqrt(values) / (2.0 * np.pi)).tolist(), "damping": [0.0, 0.0],
        "translation": [[[value, 0.0, 0.0] for value in column] for column in U.T.tolist()],
    }  # fmt: skip
    (folder / "chain.json").write_text(json.dumps(table), "utf-8")


def frequencies(model):
    """ω [rad/s] of what oscillates, ascending."""
    return np.array([2.0 * np.pi * mode.frequency for mode in model.modes if mode.frequency > 0.0])


@pytest.mark.parametrize("description", [CHAIN, APPENDAGE], ids=["chain of bodies", "clamped modes"])
def test_two_masses_on_a_chain(description, tmp_path):
    """L₁ in normal coordinates of L₂, by places, as a chain of bodies, and as an appendage with clamped modes: the same to 1e-9."""
    expected = free_by_places(M)
    np.testing.assert_allclose(free_by_normal_coordinates(M), expected, rtol=1e-12)
    chain_file(tmp_path)
    (tmp_path / "chain.toml").write_text(description.format(base=M), "utf-8")
    found = frequencies(api.linearize(tmp_path / "chain.toml", outputs=["base.rotation"]))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_chain_is_no_slower_free_than_clamped_and_alike_on_a_heavy_base():
    """A larger M makes the kinetic energy larger and every frequency lower, down to those of L₂, where M is infinite."""
    held = np.sqrt(clamped()[0])
    rows = np.array([free_by_normal_coordinates(base) for base in (0.1, 1.0, 10.0, 100.0, 1e9)])
    assert np.all(np.diff(rows, axis=0) < 0.0)
    assert np.all(rows > held)
    np.testing.assert_allclose(rows[-1], held, rtol=1e-8)


# ---- The whole satellite: free, no gravity, no spring in the hinge, nothing controlled, no damping

LOOSE = {"sadm.stiffness": 0.0, "sadm.damping": 0.0}


def undamped(system):
    names = [parameter.name for parameter in system.signals.parameters]
    return LOOSE | {name: 0.0 for name in names if ".mode[" in name and name.endswith(".damping")}


def clamped_frequencies(system):
    """ω [rad/s] of the modes of all appendages, each clamped at its root, ascending."""
    return np.sort([2.0 * np.pi * p.start for p in system.signals.parameters if p.name.endswith("].frequency")])


def test_no_oscillation_is_slower_than_the_slowest_clamped_appendage():
    """Light and heavy hubs, any angle of the hinge: the k-th frequency is above the k-th clamped one of all appendages together."""
    system = load_text(text("tree"))
    held, derivatives = clamped_frequencies(system), ExactDerivatives(system)
    for mass in (5.0, 50.0, 5000.0):
        inertia = {f"hub.inertia.{axes}": mass / 5.0 for axes in ("xx", "yy", "zz")}
        for angle in (0.0, 1.0, 2.5):
            values = undamped(system) | inertia | {"hub.mass": mass, "sadm.angle": angle}
            found = frequencies(api.linearize(system, values=values, derivatives=derivatives))
            assert len(found) == len(held)  # a hinge without a spring adds no oscillation
            assert np.all(found >= held * (1.0 - 1e-9))
            assert found[0] > held[0]


def test_on_an_immovable_hub_with_a_held_hinge_they_are_the_clamped_ones():
    """The bound is sharp: the same text, a hub of 1e9 kg and a hinge of 1e12 N m/rad."""
    system = load_text(text("tree"))
    heavy = {"hub.mass": 1e9} | {f"hub.inertia.{axes}": 1e9 for axes in ("xx", "yy", "zz")}
    found = frequencies(api.linearize(system, values=undamped(system) | heavy | {"sadm.stiffness": 1e12}))
    held = clamped_frequencies(system)
    np.testing.assert_allclose(found[: len(held)], held, rtol=1e-5)
