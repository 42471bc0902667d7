"""Bodies of our own in the neutral form, to be written out in each format."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.bodies.beam import Beam, beam_body
from spacefmu.dynamics.bodies.integrals import SUMS
from spacefmu.dynamics.bodies.plate import Plate, isotropic, plate_body
from spacefmu.dynamics.modes.neutral import ModalBody


def neutral(body, damping=0.01) -> ModalBody:
    """An engine's body as a file would hold it: its nodes in order of their names."""
    nodes = [body.nodes[name] for name in sorted(body.nodes)]
    omega, modal_mass = 2.0 * np.pi * body.frequencies, np.diag(body.integrals_at_build.modal_mass)
    seconds = [node.second for node in nodes]
    return ModalBody(
        "own body",
        tuple(sorted(body.nodes)),
        np.array([node.position for node in nodes]),
        np.array([node.shape for node in nodes]).transpose(2, 0, 1),
        np.array([node.turn for node in nodes]).transpose(2, 0, 1),
        body.integrals_at_build,
        np.diag(modal_mass * omega**2),
        np.diag(2.0 * damping * modal_mass * omega),
        second=None if seconds[0] is None else np.array(seconds).transpose(1, 2, 0, 3),
    )


def beam(stiffening=True) -> ModalBody:
    """Bending in two planes, torsion and axial motion, with a tip body: every integral is at work."""
    given = Beam(2.0, 1.5, 40.0, 30.0, 12.0, 9e4, (0.006, 0.004), 0.8, (0.02, 0.03, 0.04))
    kinds = {"bending_y": 2, "bending_z": 2, "torsion": 1, "axial": 1}
    return neutral(beam_body("boom", given, kinds, 0.0, {"0": 0.0, "5": 0.5, "9": 1.0}, stiffening=stiffening))


def plate(stiffening=False) -> ModalBody:
    given = Plate(1.2, 0.5, 3.0, isotropic(25.0, 0.3))
    return neutral(
        plate_body("panel", given, 4, {"0": (0.6, 0.0), "1": (1.2, -0.25), "2": (1.2, 0.25)}, stiffening=stiffening)
    )


def assert_same(found: ModalBody, expected: ModalBody, tolerance: float) -> None:
    """Integrals, matrices, nodes: relative to the largest entry of each."""
    pairs = [(key, getattr(found.integrals, key), getattr(expected.integrals, key)) for key in SUMS]
    keys = ("positions", "translations", "rotations", "stiffness", "damping", "second")
    pairs += [(key, getattr(found, key), getattr(expected, key)) for key in keys]
    for key, ours, theirs in pairs:
        if theirs is None:
            assert ours is None, key
            continue
        size = max(np.max(np.abs(theirs), initial=0.0), 1e-300)
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=tolerance * size, err_msg=key)
