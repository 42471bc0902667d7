"""Bodies whose modes are not their own: full mass, stiffness and damping matrices; and inputs that act on modes.

Modes mixed by any regular matrix, φ' = φ Q, span the same motions: with M' = QᵀMQ, K' = QᵀKQ, D' = QᵀDQ the spacecraft
moves as with the orthogonal modes it came from.
"""

from dataclasses import dataclass, replace

import numpy as np

from spacefmu.dynamics.bodies.body import FlexibleBody, Node
from spacefmu.dynamics.bodies.integrals import integrals_of_points
from spacefmu.dynamics.joints import AxesJoint, FreeJoint
from spacefmu.dynamics.joints.axis import Axis, AxisLaw
from spacefmu.dynamics.joints.forces import AxesForces, NoForces
from spacefmu.dynamics.loads import BodyWrench
from spacefmu.dynamics.spacecraft import LinkJoint, Spacecraft, spacecraft_system
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.pieces import input_
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import Bag, SignalTable
from spacefmu.dynamics.tree.topology import Link, Tree
from spacefmu.fmu_src.native.trace.fast import fast
from tests.tree.random_trees import point_table, rigid

MODES = 4


def craft_with(panel: FlexibleBody, eta, eta_dot) -> Spacecraft:
    """A free hub, the panel on a driven hinge, and a force at the panel's tip."""
    rng = np.random.default_rng(3)
    hub, hinge = rigid(rng, "hub"), AxesJoint((), ((0.0, 0.6, 0.8),))
    law = AxisLaw(stiffness=2.0, damping=0.3, drive="force")
    axes = tuple(Axis("hinge", suffix, kind, law, "") for kind, suffix in hinge.named_axes())
    none = np.zeros(0)
    links = (
        Link(hub, FreeJoint(), -1, hub.nodes["tip"], np.eye(3)),
        Link(panel, hinge, 0, hub.nodes["tip"], np.eye(3)),
    )
    joints = (
        LinkJoint("hub", NoForces(6), np.array([0, 0, 0, 1.0, 0, 0, 0]), rng.normal(size=6) * 0.3, none, none),
        LinkJoint("hinge", AxesForces(axes), np.array([0.4]), np.array([0.5]), eta, eta_dot),
    )
    loads = (BodyWrench("tip", 1, panel.nodes["tip"]),)
    return Spacecraft("Mixed", "panel with mixed modes", Tree(links), joints, loads)


def panels():
    """The same panel with orthogonal modes, and with modes mixed by Q; and Q."""
    rng = np.random.default_rng(11)
    rho, mass, phi, inertia, psi = point_table(rng, MODES)
    own = integrals_of_points(rho, mass, phi, inertia, psi)
    frequencies, ratios = rng.uniform(0.2, 1.0, MODES), rng.uniform(0.01, 0.1, MODES)
    plain = FlexibleBody("panel", own, frequencies, ratios, {"tip": Node("tip", rho[-1], phi[:, -1].T, psi[:, -1].T)})
    Q = np.eye(MODES) + 0.4 * rng.normal(size=(MODES, MODES))
    angular, mu = 2.0 * np.pi * frequencies, np.diag(own.modal_mass)
    phi, psi = np.einsum("nm,npi->mpi", Q, phi), np.einsum("nm,npi->mpi", Q, psi)
    mixed = FlexibleBody(
        "panel",
        integrals_of_points(rho, mass, phi, inertia, psi),
        frequencies,
        ratios,
        {"tip": Node("tip", rho[-1], phi[:, -1].T, psi[:, -1].T)},
        stiffness_matrix=Q.T @ np.diag(mu * angular**2) @ Q,
        damping_matrix=Q.T @ np.diag(2.0 * ratios * mu * angular) @ Q,
    )
    return plain, mixed, Q


def test_mixed_modes_move_the_spacecraft_alike():
    """v̇ of hub and hinge, the power balance and all energies, at a state with everything in motion: 1e-12 relative."""
    plain, mixed, Q = panels()
    eta, eta_dot = np.array([0.2, -0.1, 0.15, 0.05]), np.array([-0.4, 0.3, 0.2, 0.1])
    systems = [
        spacecraft_system(craft_with(plain, Q @ eta, Q @ eta_dot)),
        spacecraft_system(craft_with(mixed, eta, eta_dot)),
    ]
    rates, outputs = [], []
    for system in systems:
        x, _, k, d = start(system)
        x_dot, y, _ = motion(system, 0.0, x, np.linspace(-1.0, 2.0, system.nu), k, d)
        rates.append(x_dot)
        outputs.append(y)
    nq = 7 + 1 + MODES
    np.testing.assert_allclose(rates[1][nq : nq + 7], rates[0][nq : nq + 7], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(Q @ rates[1][nq + 7 : -2], rates[0][nq + 7 : -2], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(rates[1][-2:], rates[0][-2:], rtol=1e-12)
    np.testing.assert_allclose(outputs[1], outputs[0], rtol=1e-12, atol=1e-12)


def test_full_matrices_take_the_place_of_parameters_and_scale_with_the_mass():
    plain, mixed, _ = panels()
    assert [signal.name for signal in mixed.parameters()] == ["panel.mass"]
    only_damping = replace(plain, damping_matrix=mixed.damping_matrix)
    assert [s.name for s in only_damping.parameters()][1:] == [
        f"panel.mode[{i}].frequency" for i in range(1, MODES + 1)
    ]
    twice = Bag(
        SignalTable(parameters=mixed.parameters()), "parameters", np.array([2.0 * mixed.integrals_at_build.mass])
    )
    columns = np.eye(MODES)
    held, damped = (np.transpose([load(twice, column) for column in columns]) for load in (mixed.held, mixed.damped))
    np.testing.assert_allclose(held, 2.0 * mixed.stiffness_matrix, rtol=1e-15)
    np.testing.assert_allclose(damped, 2.0 * mixed.damping_matrix, rtol=1e-15)


@dataclass(frozen=True)
class Warmed(FlexibleBody):
    """A panel with one input that loads its modes, as a temperature difference will."""

    temperature_difference = input_("between the faces of {self.name}", "K")

    def drive(self, k, u):
        return np.array([1.0, -0.5, 0.3, 0.2]) * u[self.temperature_difference]


def test_work_of_an_input_on_modes_is_part_of_the_balance():
    """T + V = T₀ + V₀ + work − dissipated, to 1e-9 of the energies at stake with an input that acts on modes."""
    plain, _, _ = panels()
    warmed = Warmed("panel", plain.integrals_at_build, plain.frequencies, plain.damping_ratios, plain.nodes)
    system = spacecraft_system(craft_with(warmed, np.zeros(MODES), np.zeros(MODES)))
    u = np.zeros(system.nu)
    u[system.signals.where("inputs", "panel.temperature_difference")] = 3.0
    run = integrate(fast(system), [0.0, 1.0, 2.0], u=u)
    table = system.signals
    energy = sum(run.y[:, table.where("outputs", f"system.{kind}_energy")] for kind in ("kinetic", "potential"))
    work, lost = (run.x[:, table.where("states", f"system.{kind}")] for kind in ("work", "dissipated_energy"))
    assert work[-1] > 0.1
    np.testing.assert_allclose(energy - work + lost, energy[0], rtol=1e-9)
