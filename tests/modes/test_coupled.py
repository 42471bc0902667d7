"""Superelements on a rigid and on a flexible base: the engine's frequencies equal those of a direct assembly of the matrices."""

import numpy as np
import pytest
from scipy.linalg import block_diag, eigh

from spacefmu.dynamics.bodies.body import RigidBody, plain_node
from spacefmu.dynamics.linearize.reduce import linearized
from spacefmu.dynamics.modes.clamp import Clamped, modal_body
from spacefmu.dynamics.modes.frame import node_of
from spacefmu.dynamics.modes.load import flexible_body
from spacefmu.dynamics.modes.neutral import Structure
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.modes.engine import TILT, natural_frequencies, on_each_other
from tests.modes.frames import BARS, PLACES, craig_bampton, frame, rigid_motion

NAMES = tuple(str(p) for p in range(len(PLACES)))
MASS, STIFFNESS = frame(PLACES, BARS)
BOUNDARY = np.r_[0:6, 24:30]  # nodes 0 and 4


def whole() -> Structure:
    """Every degree of freedom of the frame."""
    dofs = np.arange(6 * len(PLACES))
    return Structure("frame", NAMES, PLACES, dofs // 6, dofs % 6, MASS, STIFFNESS)


def reduced(modes: int) -> Structure:
    """The frame as a superelement: boundary nodes 0 and 4, and generalized coordinates."""
    mass, stiffness, _ = craig_bampton(MASS, STIFFNESS, BOUNDARY, modes)
    node = np.r_[np.zeros(6, int), np.full(6, 4), np.full(modes, -1)]
    return Structure("superelement", NAMES, PLACES, node, np.r_[0:6, 0:6, np.zeros(modes, int)], mass, stiffness)


def body_of(structure: Structure, name: str):
    clamped = Clamped(structure, [0])
    body = modal_body(clamped, *clamped.modes())
    return flexible_body(name, body, {"end": node_of(body, "end", ("4",))})


def direct(mass, stiffness):
    square = eigh(stiffness, mass, eigvals_only=True)
    return np.sqrt(square[6:])


def tied(outer_mass, outer_stiffness, root_motion):
    """The outer structure's matrices over (motion of its base, its own free degrees of freedom); its root follows `root_motion` (6, b)."""
    T = block_diag(root_motion, np.eye(len(outer_mass) - 6))
    return T.T @ outer_mass @ T, T.T @ outer_stiffness @ T


ON_TILTED = np.kron(np.eye(2), TILT.T)  # components of the base's motion in the outer body's axes


@pytest.mark.parametrize("structure", [whole(), reduced(9)], ids=["mesh", "superelement"])
def test_on_a_rigid_base(structure):
    hub = RigidBody(
        "hub", 40.0, np.zeros(3), np.diag([3.0, 4.0, 5.0]), {"mount": plain_node("mount", (0.4, 0.1, -0.2))}
    )
    found = natural_frequencies(on_each_other(hub, "mount", body_of(structure, "boom")))
    at_mount = ON_TILTED @ rigid_motion([[0.4, 0.1, -0.2]], np.zeros(3))
    mass, stiffness = (np.asarray(m) for m in tied(structure.mass, structure.stiffness, at_mount))
    mass[:6, :6] += block_diag(40.0 * np.eye(3), np.diag([3.0, 4.0, 5.0]))
    expected = direct(mass, stiffness)
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9)  # measured 4e-10


def test_the_linear_model_has_them_too():
    """`spacefmu linearize` of a spacecraft with a superelement: poles of the engine's own linearization."""
    structure = reduced(1)
    hub = RigidBody("hub", 40.0, np.zeros(3), np.diag([3.0, 4.0, 5.0]), {"mount": plain_node("mount", np.zeros(3))})
    system = on_each_other(hub, "mount", body_of(structure, "boom"))
    x, u, k, d = start(system)
    A = linearized(system, ExactDerivatives(system), 0.0, x, u, k, d).A
    mass, stiffness = (np.asarray(m) for m in tied(structure.mass, structure.stiffness, ON_TILTED))
    mass[:6, :6] += block_diag(40.0 * np.eye(3), np.diag([3.0, 4.0, 5.0]))
    expected = direct(mass, stiffness)
    found = np.sort(np.abs(np.linalg.eigvals(A).imag))[-2 * len(expected) :: 2]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_on_a_flexible_base():
    """A superelement at the far interface of another one, whose frame is free in space."""
    inner, outer = reduced(12), reduced(7)
    found = natural_frequencies(on_each_other(body_of(inner, "boom"), "end", body_of(outer, "dish")))
    at_end = np.zeros((6, len(inner.mass)))
    at_end[:, 6:12] = ON_TILTED
    mass, stiffness = (np.asarray(m) for m in tied(outer.mass, outer.stiffness, at_end))
    n = len(inner.mass)
    mass[:n, :n] += inner.mass
    stiffness[:n, :n] += inner.stiffness
    expected = direct(mass, stiffness)
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9)  # measured 4e-10


def test_mass_properties_of_a_mesh_are_those_of_its_bars():
    """By hand: each bar a thin rod with its section's inertia."""
    clamped = Clamped(whole(), [0])
    body = modal_body(clamped, *clamped.modes(4))
    line = 2700.0 * 4e-4
    lengths = np.array([np.linalg.norm(PLACES[b] - PLACES[a]) for a, b in BARS])
    centers = np.array([(PLACES[a] + PLACES[b]) / 2 for a, b in BARS])
    np.testing.assert_allclose(body.integrals.mass, line * lengths.sum(), rtol=1e-12)
    np.testing.assert_allclose(body.integrals.first, line * lengths @ centers, rtol=1e-12, atol=1e-14)
    assert clamped.grounding < 1e-13
    assert not body.distributed  # rotations carry mass that no one node tells
