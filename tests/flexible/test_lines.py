"""Tables of modes whose nodes lie on a line stiffen as the built-in beam does; other bodies say where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigvals

from dynamics.bodies.beam import Beam, beam_body
from dynamics.bodies.equations import bias
from dynamics.bodies.line import foreshortening
from dynamics.bodies.nodal import NodalTable, nodal_body
from dynamics.description import load_text
from dynamics.overview.magnitudes import warnings
from dynamics.rotation import E3, axis_angle_dcm

NODES = 24
BEAM = Beam(1.0, 1.0, bending_y=1.0, bending_z=1.0)
TILT = axis_angle_dcm(np.array([0.6, 0.0, 0.8]), 0.7)


def sampled(turns=True, axes=E3):
    """The unit beam's first modes as a table: masses in the middles of equal parts, shapes as they are there; axes (3, 3) of the beam in the body's."""
    stations = (np.arange(NODES) + 0.5) / NODES
    body = beam_body("beam", BEAM, {"bending_y": 3, "bending_z": 3}, 0.0, {f"n{i}": s for i, s in enumerate(stations)})
    nodes = [body.nodes[f"n{i}"] for i in range(NODES)]
    table = NodalTable(
        names=tuple(node.name for node in nodes),
        positions=np.array([axes @ node.position for node in nodes]),
        masses=np.full(NODES, 1.0 / NODES),
        inertias=None,
        translations=np.array([axes @ node.shape for node in nodes]).transpose(2, 0, 1),
        rotations=np.array([axes @ node.turn for node in nodes]).transpose(2, 0, 1) if turns else None,
        frequencies=body.frequencies,
        damping=np.zeros(6),
    )
    return body, nodes, table


@pytest.mark.parametrize("turns, bound", [(True, 5e-5), (False, 1e-3)])
def test_nodes_are_drawn_inward_as_the_beams(turns, bound):
    """H at every node against the beam's own quadrature of its slopes: measured 2.1e-5 with turns, 4e-4 without, of the largest."""
    _, nodes, table = sampled(turns, TILT)
    found = foreshortening(table.positions, table.translations, table.rotations)
    wanted = np.array([node.second @ TILT.T for node in nodes]).transpose(1, 2, 0, 3)
    assert np.max(np.abs(found - wanted)) < bound * np.max(np.abs(wanted))


def turning_frequencies(body, speed):
    """Frequencies squared of small motion about steady rotation at `speed` about z [rad²/s²], ascending."""
    n, omega = body.modes, np.array([0.0, 0.0, speed])
    still = bias(body.baked, omega, np.zeros(n), np.zeros(n))[6:]
    columns = [bias(body.baked, omega, e, np.zeros(n))[6:] - still for e in np.eye(n)]
    mass = body.baked.modal_mass
    own = np.diag(np.diag(mass) * (2.0 * np.pi * body.frequencies) ** 2)
    return np.sort(np.real(eigvals(own + np.array(columns).T, mass)))


@pytest.mark.parametrize("speed", [0.0, 1.0, 5.0, 12.0])
def test_a_table_turns_at_the_frequencies_of_the_beam(speed):
    """The issue's cantilever, ω₁ = 3.5, at Ω = 5: without H its chordwise pole is unstable, ω² = 12.4 − 25. Measured 0.2 % from the beam's."""
    beam, _, table = sampled()
    found, wanted = turning_frequencies(nodal_body("table", table), speed), turning_frequencies(beam, speed)
    assert np.all(found > 0.0)
    np.testing.assert_allclose(found[:4], wanted[:4], rtol=0.01)


def test_only_lines_through_the_root_have_a_load_path():
    _, _, table = sampled()
    bent = table.positions + np.outer(np.arange(NODES) == 5, [0.0, 0.01, 0.0])
    doubled = np.concatenate([table.positions[:-1], table.positions[-2:-1]])
    few = table.positions[:2]
    for positions in (bent, doubled, table.positions + [0.0, 0.1, 0.0], few):
        assert foreshortening(positions, table.translations[:, : len(positions)]) is None


FAST = """
name = "Fast"
[bodies.hub]
mass = 10.0
inertia = [5.0, 5.0, 5.0]
[bodies.hub.initial]
angular_velocity = [0.0, 0.0, {rate}]
[bodies.boom.beam]
length = 1.0
mass = 1.0
bending_y = 1.0
modes = {{ bending_y = 2 }}
stiffening = {stiffening}
[joints.root]
parent = "hub"
child = "boom"
kind = "fixed"
"""


@pytest.mark.parametrize("rate, stiffening, told", [(1.0, "false", False), (1.2, "false", True), (5.0, "false", True), (5.0, "true", False)])  # fmt: skip
def test_modes_that_do_not_stiffen_are_told(rate, stiffening, told):
    """From Ω² = 0.1 ω₁² on, ω₁ = 3.516: by `check` and at the build."""
    system = load_text(FAST.format(rate=rate, stiffening=stiffening))
    found = [sentence for sentence in warnings(system) if "geometric stiffness" in sentence]
    assert len(found) == told
    if told:
        assert f"boom turns at {rate:g} rad/s" in found[0]
        assert ("unstable" in found[0]) == (rate > 3.516)
