"""Modes about another point, free–free modes, roots and patches: against sums over mass points."""

import numpy as np
import pytest
from scipy.linalg import eigh

from spacefmu.dynamics.bodies.integrals import SUMS, integrals_of_points
from spacefmu.dynamics.modes.clamp import Clamped, modal_body
from spacefmu.dynamics.modes.frame import at_root, diagonal, node_of
from spacefmu.dynamics.modes.neutral import ModalBody, Structure, mixed

RNG = np.random.default_rng(8)
PLACES = RNG.uniform(-1.0, 1.0, (7, 3))
MASSES = RNG.uniform(0.5, 2.0, 7)
NAMES = tuple("abcdefg")


def points(translations, rotations=None, framed=False) -> ModalBody:
    """Mass points with these shapes (N, 7, 3), and some stiffness."""
    n = len(translations)
    integrals = integrals_of_points(PLACES, MASSES, translations)
    return ModalBody(
        "points",
        NAMES,
        PLACES,
        translations,
        rotations,
        integrals,
        np.diag(np.arange(1.0, n + 1.0)),
        np.zeros((n, n)),
        framed=framed,
    )


def test_a_frame_on_a_moving_root():
    """φ' = φ − a − b × (r − root), summed over the points again."""
    phi, psi = RNG.normal(size=(3, 7, 3)), RNG.normal(size=(3, 7, 3))
    found = at_root(points(phi, psi), ("c",), None)
    arms = PLACES - PLACES[2]
    moved = phi - phi[:, 2:3] - np.cross(psi[:, 2:3], arms)
    expected = integrals_of_points(arms, MASSES, moved)
    np.testing.assert_allclose(found.translations, moved, atol=1e-14)
    for key in SUMS:
        np.testing.assert_allclose(getattr(found.integrals, key), getattr(expected, key), atol=1e-13, err_msg=key)


def test_free_modes_become_clamped_ones():
    """All free–free modes of a structure, put into the frame of its root, span what its clamped modes span: the same frequencies.

    A lattice of springs between mass points; the root is three of them, tied by a stiff triangle.
    """
    n = 21
    stiffness = np.zeros((n, n))
    for i in range(7):
        for j in range(i):
            along = PLACES[i] - PLACES[j]
            along /= np.linalg.norm(along)
            value = 1e9 if max(i, j) <= 2 else RNG.uniform(50.0, 200.0)
            for (p, s), (q, t) in [((i, 1), (i, 1)), ((j, 1), (j, 1)), ((i, 1), (j, -1)), ((j, 1), (i, -1))]:
                stiffness[3 * p : 3 * p + 3, 3 * q : 3 * q + 3] += s * t * value * np.outer(along, along)
    mass = np.diag(np.repeat(MASSES, 3))
    dofs = np.arange(n)
    clamped = Clamped(Structure("lattice", NAMES, PLACES, dofs // 3, dofs % 3, mass, stiffness), [0, 1, 2])
    reference = modal_body(clamped, *clamped.modes())
    square, shapes = eigh(stiffness, mass)
    free = points(shapes[:, 6:].T.reshape(-1, 7, 3)[:12])
    free = ModalBody(**{**free.__dict__, "stiffness": np.diag(square[6:18])})
    found = diagonal(at_root(free, ("a", "b", "c"), PLACES[:3].mean(axis=0)))
    np.testing.assert_allclose(found.frequencies, reference.frequencies, rtol=1e-5)  # the triangle stretches by 1e-7
    np.testing.assert_allclose(np.abs(found.integrals.h1), np.abs(reference.integrals.h1), atol=1e-4)
    np.testing.assert_allclose(found.integrals.inertia, reference.integrals.inertia, rtol=1e-12)


def test_roots_that_are_not_rigid_are_refused():
    with pytest.raises(ValueError, match="RBE3"):
        at_root(points(RNG.normal(size=(2, 7, 3))), ("a", "b", "c"), None)
    with pytest.raises(ValueError, match="no node that stays at rest"):
        at_root(points(RNG.normal(size=(2, 7, 3))), None, None)
    with pytest.raises(ValueError, match="no rotations"):
        at_root(points(RNG.normal(size=(2, 7, 3))), ("a",), None)


def test_rigid_modes_are_refused():
    body = points(RNG.normal(size=(2, 7, 3)))
    body = ModalBody(**{**body.__dict__, "stiffness": np.diag([0.0, 4.0])})
    with pytest.raises(ValueError, match="rigid-body modes belong"):
        diagonal(body)


def test_a_patch_has_the_turn_of_its_nodes():
    """Nodes that move rigidly give that motion back; nodes on one line tell none."""
    shift, turn = RNG.normal(size=3), RNG.normal(size=3)
    body = points((shift + np.cross(turn, PLACES))[None])
    node = node_of(body, "patch", ("b", "d", "e", "g"))
    center = PLACES[[1, 3, 4, 6]].mean(axis=0)
    np.testing.assert_allclose(node.position, center)
    np.testing.assert_allclose(node.shape[:, 0], shift + np.cross(turn, center), atol=1e-14)
    np.testing.assert_allclose(node.turn[:, 0], turn, atol=1e-14)
    with pytest.raises(ValueError, match="on one line"):
        node_of(body, "patch", ("a", "b"))


def test_mixing_modes_is_mixing_shapes():
    phi, C = RNG.normal(size=(3, 7, 3)), RNG.normal(size=(3, 2))
    found = mixed(points(phi), C)
    expected = integrals_of_points(PLACES, MASSES, np.einsum("npi,na->api", phi, C))
    for key in SUMS:
        np.testing.assert_allclose(getattr(found.integrals, key), getattr(expected, key), atol=1e-12, err_msg=key)
