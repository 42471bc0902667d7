"""Tables of modes whose nodes lie on a line stiffen as the built-in beam does; other bodies say where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE
from scipy.linalg import eigvals

from spacefmu.dynamics.bodies.beam import Beam, beam_body
from spacefmu.dynamics.bodies.equations import bias
from spacefmu.dynamics.bodies.line import foreshortening
from spacefmu.dynamics.bodies.nodal import NodalTable, nodal_body
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.overview.magnitudes import warnings
from spacefmu.dynamics.rotation import E3, axis_angle_dcm
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import close_fmu, open_unpacked, unpack

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
