"""Modes into the frame of the root; nodes and patches as places of a body; modes made diagonal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy  # imported only when used: most descriptions do not need it

from ..algebra.rotation import skew
from ..bodies.body import Node
from ..bodies.nodal import ORTHOGONAL, orthogonal_mixture, repairable_coupling
from .neutral import ModalBody, mixed, moved_frame

TIED = 1e-3  # allowed deviation of root nodes from a rigid motion, relative to the largest displacement of the mode

RIGID = 1e-4  # displacement relative to the root, relative to the largest one, below which a mode is rigid motion


def index_of(names, wanted) -> list[int]:
    """Indices of the nodes with these names; `ValueError` names one that does not exist."""
    place = {name: index for index, name in enumerate(names)}
    missing = [name for name in wanted if name not in place]
    if missing:
        shown = ", ".join(list(names)[:8]) + (", …" if len(names) > 8 else "")
        raise ValueError(f"has no node {missing[0]!r}; its {len(names)} nodes are {shown}")
    return [place[name] for name in wanted]


def rigid_fit(positions, translations, rotations):
    """The rigid motion nearest to that of some nodes: place (3,), shift (3, N), rotation (3, N) and the residual (N,).

    For one node with rotations it is exact. Several nodes give their mean, and the rotation that fits their translations best,
    least squares of |φ − a − b × (r − r₀)|² (and of the nodes' own turns where all have them).
    """
    center = positions.mean(axis=0)
    if len(positions) == 1:
        turn = np.full((3, len(translations)), np.nan) if rotations is None else rotations[:, 0, :].T
        return center, translations[:, 0, :].T, turn, np.zeros(len(translations))
    arms = positions - center
    shift = translations.mean(axis=1).T
    matrix = np.concatenate([-skew(arm) for arm in arms])
    left = (translations - shift.T[:, None, :]).reshape(len(translations), -1).T
    rows, wanted = [matrix], [left]
    if rotations is not None:  # weighted as the translations that they would cause at the patch's rim
        size = np.linalg.norm(arms, axis=1).max()
        rows.append(size * np.tile(np.eye(3), (len(arms), 1)))
        wanted.append(size * rotations.reshape(len(translations), -1).T)
    equations = np.concatenate(rows)
    if np.linalg.matrix_rank(equations, tol=1e-9 * np.abs(arms).max(initial=1e-300)) < 3:
        raise ValueError(
            "has nodes on one line; they must span an area, because a line does not determine the rotation about itself"
        )
    turn = np.linalg.lstsq(equations, np.concatenate(wanted), rcond=None)[0]
    return center, shift, turn, np.abs(left - matrix @ turn).max(axis=0)


def at_root(body: ModalBody, root: tuple[str, ...] | None, origin) -> ModalBody:
    """The body in the frame of its root: modes that move the root become modes clamped there.

    Without `root`, a file's own frame is kept; else the nodes that no mode moves are the root. RBE3-like roots, whose nodes move relative
    to each other, are refused: the frame would follow none of them.
    """
    size = np.abs(body.translations).max(axis=(1, 2), initial=0.0)
    if root is None and body.framed:
        return (
            body if origin is None else moved_frame(body, origin, np.zeros((3, body.count)), np.zeros((3, body.count)))
        )
    if root is None:
        still = np.all(np.abs(body.translations) <= 1e-9 * size[:, None, None], axis=(0, 2))
        if body.rotations is not None:
            still &= np.all(np.abs(body.rotations) <= 1e-9 * np.abs(body.rotations).max(), axis=(0, 2))
        if not still.any():
            raise ValueError(
                "has no node that stays at rest in all modes: they are free, or clamped elsewhere; give root = the node(s) to clamp"
            )
        root = tuple(name for name, rests in zip(body.names, still, strict=True) if rests)
    nodes = index_of(body.names, root)
    turns = None if body.rotations is None else body.rotations[:, nodes]
    center, shift, turn, left = rigid_fit(body.positions[nodes], body.translations[:, nodes], turns)
    if np.any(np.isnan(turn)):
        raise ValueError(
            f"root is the one node {root[0]}, which has no rotations; give several nodes that are not on one line"
        )
    worst = int(np.argmax(left / np.maximum(size, 1e-300)))
    if left[worst] > TIED * size[worst]:
        raise ValueError(
            f"root's nodes move relative to each other, by {left[worst] / size[worst]:.2g} of the largest displacement in mode {worst + 1}: "
            "the root must be tied rigidly (RBE2) or clamped; nodes of an averaged one (RBE3) follow no common frame"
        )
    point = center if origin is None else np.asarray(origin, float)
    at_point = shift + np.cross(turn.T, point - center).T
    moved = moved_frame(body, point, at_point, turn)
    elastic = np.flatnonzero(np.abs(moved.translations).max(axis=(1, 2), initial=0.0) > RIGID * size)
    notes = list(moved.notes)
    if len(elastic) < body.count:
        notes.append(f"{body.count - len(elastic)} rigid-body modes left out: that motion is the body's joint")
        moved = mixed(moved, np.eye(body.count)[:, elastic])
    if np.any(np.abs(shift[:, elastic]).max(axis=0, initial=0.0) > RIGID * size[elastic]):
        notes.append(
            "the modes were free at the root; clamped there they are as good as what they span, and too stiff where few are given: "
            "ask for modes with the root held, or for matrices"
        )
    return replace(moved, notes=tuple(notes))


def orthogonal(body: ModalBody) -> ModalBody:
    """Shapes of an eigenvalue analysis, orthogonalised with the least change: their couplings come from the limited number of printed digits."""
    modal_mass = body.integrals.modal_mass
    coupling = repairable_coupling(modal_mass, "has modes that are not")
    square = np.diag(body.stiffness) / np.diag(modal_mass)
    if coupling > ORTHOGONAL:
        body = mixed(body, orthogonal_mixture(modal_mass))
    stiffness = np.diag(square * np.diag(body.integrals.modal_mass))
    return replace(body, stiffness=stiffness, stated={**body.stated, "orthogonality": coupling})


def diagonal(body: ModalBody) -> ModalBody:
    """Modes of the pencil (K, M_η), by frequency, with unit modal mass: both matrices diagonal, the damping full."""
    mass, stiffness = body.integrals.modal_mass, 0.5 * (body.stiffness + body.stiffness.T)
    try:
        square, C = scipy.linalg.eigh(stiffness, 0.5 * (mass + mass.T))
    except scipy.linalg.LinAlgError:
        raise ValueError(
            "has a modal mass matrix that is not positive definite: some combination of its modes moves no mass"
        ) from None
    if square[0] <= 1e-9 * max(square[-1], 1e-300) and square[0] <= 1e-6:
        raise ValueError(
            f"has a mode of frequency {np.sqrt(max(square[0], 0.0)) / 2 / np.pi:.2g} Hz: rigid-body modes belong to the body's joint, not to its modes"
        )
    C = C * np.sign(C[np.argmax(np.abs(C), axis=0), np.arange(len(square))])
    body = mixed(body, C)
    n = body.count
    return replace(body, integrals=replace(body.integrals, modal_mass=np.eye(n)), stiffness=np.diag(square))


def node_of(body: ModalBody, name: str, members: tuple[str, ...]) -> Node:
    """A place of the body: a node of the file, or a patch of several with their mean motion and least-squares rotation."""
    nodes = index_of(body.names, members)
    turns = None if body.rotations is None else body.rotations[:, nodes]
    center, shift, turn, _ = rigid_fit(body.positions[nodes], body.translations[:, nodes], turns)
    if np.any(np.isnan(turn)):
        raise ValueError(
            f"node {members[0]} has no rotations (a mesh of solids); give a patch: a list of nodes around the place, which determine its rotation"
        )
    second = None if body.second is None else body.second[:, :, nodes].mean(axis=2)
    return Node(name, center, shift, turn, second)
