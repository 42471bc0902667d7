"""Motion, forces and inertia passed on by factors (dynamics/tree/transfer.py) against the 6×6 products that they stand for."""

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import E3, axis_angle_dcm, skew
from spacefmu.dynamics.tree.transfer import HERE, Transfer

RNG = np.random.default_rng(20)


def turned(axis):
    return axis_angle_dcm(np.asarray(axis) / np.linalg.norm(axis), RNG.normal())


TURNS = {"about y": [0.0, 1.0, 0.0], "about any axis": RNG.normal(size=3)}


def transfer(axis, modes):
    return Transfer(turned(axis), RNG.normal(size=3), RNG.normal(size=(3, modes)), RNG.normal(size=(3, modes)))


def multiplied_out(T: Transfer):
    """diag(R, R) [[E, −r~, Φ], [0, E, Ψ]], as the text has it."""
    none = np.zeros((3, 3))
    return np.block([[T.dcm_CB, none], [none, T.dcm_CB]]) @ np.block([[E3, -skew(T.arm), T.shape], [none, E3, T.turn]])


@pytest.mark.parametrize("modes", [0, 3])
@pytest.mark.parametrize("name", TURNS)
def test_factors_are_the_matrix(name, modes):
    T = transfer(TURNS[name], modes)
    matrix = multiplied_out(T)
    assert np.allclose(T.matrix, matrix, rtol=0.0, atol=1e-14)
    for columns in ((), (4,)):
        A, F = RNG.normal(size=(6 + modes, *columns)), RNG.normal(size=(6, *columns))
        assert np.allclose(T.motion(A), matrix @ A, rtol=0.0, atol=1e-13)
        assert np.allclose(T.force(F), matrix.T @ F, rtol=0.0, atol=1e-13)
    half = RNG.normal(size=(6, 6))
    Ia = half @ half.T
    frame, coupling, seen = T.inertia(Ia)
    found = np.block([[frame, coupling], [coupling.T, T.modes.T @ seen @ T.modes]])
    assert np.allclose(found, matrix.T @ Ia @ matrix, rtol=0.0, atol=1e-12)
    assert np.array_equal(frame, frame.T)


def test_one_after_another():
    """From B to C and on to D is the product of both; where C has no modes."""
    T, s, dcm = transfer(TURNS["about any axis"], 3), RNG.normal(size=3), turned([1.0, 2.0, 3.0])
    on = multiplied_out(Transfer(dcm, s, HERE.shape, HERE.turn))
    assert np.allclose(T.then(s, dcm).matrix, on @ T.matrix, rtol=0.0, atol=1e-13)
