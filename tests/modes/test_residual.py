"""Static shapes: the deflection under a load at a named place is exact, however few modes are kept."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

from spacefmu.dynamics.modes.calculix import read_matrices
from spacefmu.dynamics.modes.clamp import Clamped
from spacefmu.dynamics.modes.formats import FileOptions
from spacefmu.dynamics.modes.frame import node_of
from spacefmu.dynamics.modes.load import Wanted, load
from spacefmu.dynamics.modes.select import Selection, modes_of
from spacefmu.dynamics.modes.units import SETS
from tests.modes.test_coupled import whole

MM = SETS["mm-t-s"]


def deflection(body, node) -> np.ndarray:
    """Displacement and turn (6, 6) of a place under unit forces and torques there: Φ K⁻¹ Φᵀ."""
    motion = np.vstack([node.shape, node.turn])
    return motion @ np.diag(1.0 / np.diag(body.stiffness)) @ motion.T


def test_of_a_mesh_with_rotations():
    structure = whole()
    clamped = Clamped(structure, [0])
    at_four = np.flatnonzero(structure.node == 4)
    loads = np.zeros((structure.count, 6))
    loads[at_four, np.arange(6)] = 1.0
    exact = clamped.static(loads)[at_four]
    few = modes_of(clamped, Selection(first=3), {"end": ("4",)}, ())
    body = modes_of(clamped, Selection(first=3), {"end": ("4",)}, ("end",))
    assert body.residual == 6

    short = deflection(few, node_of(few, "end", ("4",)))
    assert np.abs(short - exact).max() > 0.01 * np.abs(exact).max()  # three modes alone miss it
    np.testing.assert_allclose(
        deflection(body, node_of(body, "end", ("4",))), exact, rtol=0.0, atol=1e-10 * np.abs(exact).max()
    )


def test_of_a_patch_on_solids(panel):
    """The patch's mean displacement under forces spread evenly over its nodes, against a plain sparse solve."""
    root, tip = tuple(map(str, panel.root)), tuple(map(str, panel.tip))
    wanted = Wanted(FileOptions(MM), root=root, places={"tip": tip}, selection=Selection(first=3), residual=("tip",))
    body, nodes = load(panel.folder / "free.sti", wanted)
    structure = read_matrices(panel.folder / "free.sti", MM)
    held = np.isin([structure.names[n] for n in structure.node], root)
    loads = np.zeros((structure.count, 3))
    on_tip = np.isin([structure.names[n] for n in structure.node], tip)
    loads[on_tip, structure.component[on_tip]] = 1.0 / len(tip)
    exact = loads[~held].T @ spsolve(structure.stiffness.tocsc()[~held][:, ~held], loads[~held])
    found = deflection(body, nodes["tip"])
    size = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    np.testing.assert_allclose(
        found[:3, :3] / size, exact / size, rtol=0.0, atol=1e-8
    )  # measured 1.4e-9: K's condition
    np.testing.assert_allclose(found[3:, :3], found[:3, 3:].T, atol=1e-12 * np.abs(found).max())


def test_they_have_the_damping_that_is_stated(panel):
    wanted = Wanted(
        FileOptions(MM),
        root=tuple(map(str, panel.root)),
        places={"tip": tuple(map(str, panel.tip))},
        selection=Selection(first=2),
        residual=("tip",),
        residual_damping=0.3,
    )
    body, _ = load(panel.folder / "free.sti", wanted)
    omega = 2.0 * np.pi * body.frequencies
    np.testing.assert_allclose(np.diag(body.damping) / (2.0 * omega), [0.0, 0.0] + [0.3] * body.residual, rtol=1e-12)


def test_eigenvectors_alone_have_none(panel):
    wanted = Wanted(FileOptions(MM), places={"tip": tuple(map(str, panel.tip))}, residual=("tip",))
    with pytest.raises(ValueError, match="has only modes"):
        load(panel.folder / "modes.frd", wanted)


def test_quasi_static_shapes_are_slow_and_bend_alike(panel):
    """With residual_frequency none is faster, the static deflection is the same to the last digits, and kept modes are untouched."""
    root, tip = tuple(map(str, panel.root)), tuple(map(str, panel.tip))
    plain = Wanted(FileOptions(MM), root=root, places={"tip": tip}, selection=Selection(first=3), residual=("tip",))
    fast, node = load(panel.folder / "free.sti", plain)
    limit = 2.0 * fast.frequencies[2]
    slow, slow_node = load(panel.folder / "free.sti", replace(plain, residual_frequency=limit))
    assert fast.frequencies[3:].max() > 10.0 * limit
    np.testing.assert_allclose(slow.frequencies[3:], np.minimum(fast.frequencies[3:], limit), rtol=1e-12)
    np.testing.assert_allclose(slow.frequencies[:3], fast.frequencies[:3], rtol=1e-14)
    np.testing.assert_allclose(
        deflection(slow, slow_node["tip"]), deflection(fast, node["tip"]), rtol=1e-12, atol=1e-20
    )
    omega, mu = 2.0 * np.pi * slow.frequencies, np.diag(slow.integrals.modal_mass)
    np.testing.assert_allclose((np.diag(slow.damping) / (2.0 * mu * omega))[3:], 0.5, rtol=1e-12)
    with pytest.raises(ValueError, match="expected residual_frequency above them"):
        load(panel.folder / "free.sti", replace(plain, residual_frequency=0.5 * limit))
