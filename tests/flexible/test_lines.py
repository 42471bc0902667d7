"""Tables of modes whose nodes lie on a line stiffen as the built-in beam does; other bodies say where they do not."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE
from scipy.linalg import eigh, eigvals

from spacefmu.dynamics.algebra.rotation import E3, axis_angle_dcm
from spacefmu.dynamics.bodies.beam import Beam, beam_body
from spacefmu.dynamics.bodies.equations import bias, body_equations
from spacefmu.dynamics.bodies.line import foreshortening, lines_through_root
from spacefmu.dynamics.bodies.nodal import NodalTable, nodal_body
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.overview.magnitudes import warnings
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import close_fmu, open_unpacked, unpack
from tests.modes import frames

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
    found = foreshortening(lines_through_root(table.positions), table.positions, table.translations, table.rotations)
    wanted = np.array([node.second @ TILT.T for node in nodes]).transpose(1, 2, 0, 3)
    assert np.max(np.abs(found - wanted)) < bound * np.max(np.abs(wanted))


def turning_frequencies(body, speed):
    """Frequencies squared of small motion about steady rotation at `speed` about z [rad²/s²], ascending."""
    n, omega = body.modes, np.array([0.0, 0.0, speed])
    still = bias(body.integrals_at_build, omega, np.zeros(n), np.zeros(n))[6:]
    columns = [bias(body.integrals_at_build, omega, e, np.zeros(n))[6:] - still for e in np.eye(n)]
    mass = body.integrals_at_build.modal_mass
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
        assert lines_through_root(positions) is None


# A mast with a crossbar and one arm beyond its top: nodes 0 (the root) to 8, and the lines that join them.
MAST = np.array([[0, 0, 0], [0, 0, 1], [0.1, 0, 2], [0.9, 0.1, 2.1], [1.8, 0.2, 2.1], [-0.9, 0.1, 2.1], [-1.7, 0, 2], [0.1, 0.3, 3], [0.2, 0.8, 3.5]])  # fmt: skip
JOINED = [[0, 1, 2, 7, 8], [2, 3, 4], [2, 5, 6]]


def mast_modes(count=5):
    """Bars, lumped masses (P,), stiffness and the first mass-normalized modes (6P, N) clamped at the root, of a frame program of our tests."""
    bars = [(a, b) for line in JOINED for a, b in pairwise(line)]
    masses = np.array([0.0, 1.0, 2.0, 0.5, 1.5, 0.7, 1.2, 0.8, 1.0])
    _, stiffness = frames.frame(MAST, bars)
    inertia = np.diag(np.column_stack([masses, masses, masses, *[1e-3 * masses] * 3]).ravel())
    square, shapes = eigh(stiffness[6:, 6:], inertia[6:, 6:])
    return bars, masses, stiffness, np.vstack([np.zeros((6, count)), shapes[:, :count]]), square[:count]


def test_a_tree_of_lines_stiffens_as_a_frame_does():
    """The twelve unit loads: stiffness of the table's inertia against a frame's geometric stiffness under the axial forces of that load.

    Exact, as nodal loads give constant axial forces and shapes are cubics between nodes: measured 7e-13 of the largest.
    """
    bars, masses, stiffness, shapes, square = mast_modes()
    moved = shapes.reshape(len(MAST), 6, -1).transpose(2, 0, 1)
    numbers = [[p - 1 for p in line] for line in JOINED]
    table = NodalTable(
        tuple("abcdefgh"), MAST[1:], masses[1:], 1e-3 * masses[1:, None, None] * E3, moved[:, 1:, :3], moved[:, 1:, 3:], np.sqrt(square) / (2 * np.pi), np.zeros(len(square)),
    )  # fmt: skip
    tree, plain = nodal_body("mast", table, numbers), nodal_body("mast", table, [])
    rng = np.random.default_rng(1)
    for motion in [*np.eye(6), *np.hstack([np.zeros((6, 3)), rng.normal(size=(6, 3))])]:
        spin = np.zeros(3) if np.count_nonzero(motion) == 1 else motion[3:]
        a, alpha = (np.zeros(3), np.zeros(3)) if spin.any() else (motion[:3], motion[3:])
        loads = -masses[:, None] * (a + np.cross(alpha, MAST) + np.cross(spin, np.cross(spin, MAST)))
        axial = frames.tensions(MAST, bars, stiffness, loads)
        wanted = shapes.T @ frames.geometric_stiffness(MAST, bars, axial) @ shapes
        found = stiffness_under(tree.integrals_at_build, a, alpha, spin) - stiffness_under(
            plain.integrals_at_build, a, alpha, spin
        )
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-9 * np.abs(wanted).max())


def stiffness_under(integrals, a, alpha, omega):
    """∂(what the modes need)/∂η under a steady motion, (N, N)."""
    n = integrals.count

    def needed(eta):
        M, b = body_equations(integrals, omega, eta, np.zeros(n))
        return M.coupling.T @ np.concatenate([a, alpha]) + b[6:]

    return np.array([needed(e) - needed(np.zeros(n)) for e in np.eye(n)]).T


MAST_TEXT = """
name = "Mast"
[bodies.mast]
nodal_table = "mast.json"
{lines}
"""
LINES = 'lines = [["frame", "a", "b", "g", "h"], ["b", "c", "d"], ["b", "e", "f"]]'
WRONG = {
    "unknown": ('lines = [["frame", "z"]]', "z"),
    "apart": ('lines = [["frame", "a", "b", "g", "h"], ["c", "d"], ["b", "e", "f"]]', 'begins at "frame" or at a node of a line before it'),
    "twice": ('lines = [["frame", "a", "b", "g", "h"], ["b", "c", "d"], ["b", "e", "f", "d"]]', "every node on one line"),
    "left out": ('lines = [["frame", "a", "b", "g", "h"], ["b", "c", "d"]]', "lines is 'e', expected every node with mass on a line"),
    "both": (LINES + "\ngeometric_stiffness = [{ acceleration = [1.0, 0.0, 0.0], matrix = [[1.0]] }]", "is not allowed with geometric_stiffness"),
}  # fmt: skip


def write_mast(folder, turns=True):
    _, masses, _, shapes, square = mast_modes()
    moved = shapes.reshape(len(MAST), 6, -1).transpose(2, 0, 1)[:, 1:]
    table = {
        "node": list("abcdefgh"),
        "position": MAST[1:].tolist(),
        "mass": masses[1:].tolist(),
        "inertia": (1e-3 * masses[1:, None, None] * np.eye(3)).tolist(),
        "translation": moved[:, :, :3].tolist(),
        "frequency": (np.sqrt(square) / (2 * np.pi)).tolist(),
    }
    (folder / "mast.json").write_text(json.dumps(table | ({"rotation": moved[:, :, 3:].tolist()} if turns else {})))


def test_a_description_states_the_lines(tmp_path):
    write_mast(tmp_path)
    plain, tree = (load_text(MAST_TEXT.format(lines=lines), folder=tmp_path) for lines in ("", LINES))
    assert not plain.made_by[1].tree.links[0].body.stiffens
    assert tree.made_by[1].tree.links[0].body.stiffens
    assert tree.made_by[1].tree.links[0].body.nodes["d"].second is not None


@pytest.mark.parametrize("lines, sentence", WRONG.values(), ids=list(WRONG))
def test_lines_that_make_no_tree_are_refused(tmp_path, lines, sentence):
    write_mast(tmp_path)
    with pytest.raises(DescriptionError) as error:
        load_text(MAST_TEXT.format(lines=lines), folder=tmp_path)
    assert sentence in str(error.value)
    assert "bodies.mast.lines" in str(error.value)


def test_bent_lines_need_slopes(tmp_path):
    write_mast(tmp_path, turns=False)
    with pytest.raises(DescriptionError, match=r"expected a straight line, or rotations in the table"):
        load_text(MAST_TEXT.format(lines=LINES), folder=tmp_path)


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


SPUN_UP = FAST.format(rate=0.5, stiffening="false").replace("[5.0, 5.0, 5.0]", '[5.0, 5.0, 5.0]\nforces_at = ["frame"]')
TORQUE, SLOW, STEPS = "hub.torque[3]", "boom.turns_slowly", 12


def native_run(system):
    """Whether it turns slowly after each step of 0.1 s under 5 N m, and what the log warns of."""
    log, callbacks = [], fmi2CallbackFunctions()
    callbacks.logger = fmi2CallbackLoggerTYPE(lambda _, __, s, c, m: log.append((c.decode(), m.decode())))
    fmu, references = open_unpacked(unpack(build_native, system), FMU2Slave, callbacks=callbacks, loggingOn=True)
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.setReal([references[TORQUE]], [5.0])
    fmu.exitInitializationMode()
    slow = []
    for i in range(STEPS):
        fmu.doStep(0.1 * i, 0.1)
        slow.append(bool(fmu.getBoolean([references[SLOW]])[0]))
    close_fmu(fmu)
    return slow, [message for category, message in log if category == "logStatusWarning"]


def python_run(system):
    instance = Instance(system, "test")
    references = {variable.name: variable.reference for variable in instance.variables}
    instance.setup_experiment(0.0, None, None)
    instance.enter_initialization()
    instance.set([references[TORQUE]], [5.0], ("real",))
    instance.exit_initialization()
    slow = []
    for i in range(STEPS):
        instance.step(0.1 * i, 0.1)
        slow.append(bool(instance.get([references[SLOW]], ("boolean",))[0]))
    return slow, instance.notices


@pytest.mark.parametrize("run", [native_run, python_run])
def test_a_run_says_once_that_a_body_has_come_to_turn_too_fast(run):
    """Spun up from 0.5 rad/s past √0.1 ω₁ = 1.112 rad/s: the log warns where the first step begins beyond, and no more."""
    system = load_text(SPUN_UP)
    assert not [sentence for sentence in warnings(system) if "geometric stiffness" in sentence]
    slow, log = run(system)
    assert slow[0]
    assert not slow[-1]
    [said] = log
    begun = 0.1 * (slow.index(False) + 1)
    assert said.startswith(f"{SLOW} is false at time {begun:g}: its modes have no geometric stiffness")


@pytest.mark.parametrize("stiffening, had", [("true", False), ("false", True)])
def test_bodies_that_stiffen_have_nothing_to_say(stiffening, had):
    outputs = load_text(FAST.format(rate=0.5, stiffening=stiffening)).signals.outputs
    assert any(entry.name == SLOW for entry in outputs) == had
