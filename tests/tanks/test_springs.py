"""Slosh as spring-masses: balances while the tank drains, frequencies, and the same written out as bodies and joints."""

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import Bag
from spacefmu.fmu_src.native.trace.fast import fast

from .test_slosh import CYLINDER, PUSH, SLOSH, SPHERE, balanced, craft, frequencies, rest_of_a_tank

SPRINGS = SLOSH.replace("{{ modes", '{{ kind = "spring", modes')


@pytest.mark.parametrize("shape", [CYLINDER, SPHERE])
def test_spring_masses_balance_while_the_tank_drains(shape):
    """As pendulums do: momenta of craft plus exhaust at any state, energies and losses."""
    balanced(craft(shape, slosh=SPRINGS))


def test_spring_masses_have_the_pendulums_modes_at_their_acceleration():
    """SP-106: ω² = a ξ/R tanh(ξh/R) at the given acceleration of 1 m/s², on the ground and without weight alike."""
    found = [frequencies(g, 0.0, 0.3, SPRINGS) for g in (0.0, 9.81)]
    expected = [np.sqrt(xi / 0.4 * np.tanh(xi * 0.3 / 0.4)) for xi in (1.841183781, 5.331442774)]
    assert found[0] == pytest.approx(expected, rel=1e-3)
    assert found[1] == pytest.approx(found[0], rel=1e-8)


def test_the_same_spring_mass_written_out_as_bodies_and_joints():
    """A point mass on a planar joint with springs and dampers, and the rest as a rigid body: the same motion of the hub."""
    pieces = craft(modes=1, damping=0.05, tension=0.03, more=PUSH, slosh=SPRINGS)
    body = next(link.body for link in pieces.made_by[1].tree.links if link.body.name == "tank.main.slosh[1]")
    fixed = next(link.body for link in pieces.made_by[1].tree.links if link.body.name == "tank.main")
    x, _, k, _ = evaluate.start(pieces)
    signals = Bag(pieces.signals, "parameters", k), Bag(pieces.signals, "states", x)
    rest, bob = fixed.integrals(*signals), body.integrals(*signals)
    stiffness, damping = (bob.mass * curve.value(0.6) for curve in (body.mode.capillary, body.mode.damping))
    text = f"""{rest_of_a_tank(rest)}
[bodies.bob]
mass = {float(bob.mass)!r}
inertia = [1e-12, 1e-12, 1e-12]
[joints.slide]
parent = "hub"
child = "bob"
kind = "planar"
axis = "z"
place = {[float(v) for v in [0.1, 0.0, -0.3] + bob.first / bob.mass]}
stiffness = [{float(stiffness)!r}, {float(stiffness)!r}, 0.0]
damping = [{float(damping)!r}, {float(damping)!r}, 0.0]
initial = {{ position = [0.05, -0.02, 0.0] }}
""" + PUSH  # fmt: skip
    runs = []
    for system in (pieces, load_text(text)):
        u = np.array(system.signals.starts("inputs"))
        u[system.signals.where("inputs", "thruster.side.force")] = 400.0
        run = integrate(fast(system), [0.0, 1.0, 3.0], u=u)
        names = [f"hub.{name}" for name in ("velocity", "angular_velocity", "quaternion")]
        runs.append(np.column_stack([run.x[:, system.signals.where("states", name)] for name in names]))
        if system is pieces:
            swing = np.ptp(run.x[:, system.signals.where("states", "tank.main.slosh[1].position")], axis=0).max()
            lost = run.x[-1, system.signals.where("states", "system.dissipated_energy")]
    assert swing > 0.05
    assert lost > 0.1
    assert runs[0] == pytest.approx(runs[1], abs=1e-9)
