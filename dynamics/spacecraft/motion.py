"""Equations of motion of a spacecraft: from states and inputs to forces, accelerations and powers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ..algebra.rotation import cross, unit_quaternion
from ..bodies.equations import momenta
from ..environment import Scene
from ..system.layout import end_to_end
from ..system.signals import Bag, SignalTable
from ..tanks.propulsion import Propelling
from ..tree.attitude import attitudes
from ..tree.carrier import CarriedBodies, carried_by, common_carrier
from ..tree.composite import composite_equations
from ..tree.kane import PartialVelocities, bias_accelerations
from ..tree.kinematics import Moving, accelerations, move, particle, place_on
from ..tree.recursion import solve_recursively
from ..tree.topology import Tree
from .structure import Spacecraft


@dataclass(frozen=True)
class Moment:
    """All quantities at one time that do not need accelerations."""

    tree: Tree
    q: np.ndarray
    v: np.ndarray
    u: Bag
    k: Bag
    d: Bag
    surroundings: np.ndarray  # own states of the environment
    scene: Scene
    bodies: list[Moving]
    residual: list[np.ndarray]  # (6+N,) bias minus loads of each body
    passive: np.ndarray  # (nv,) springs, dampers, elastic forces
    drive: np.ndarray  # (nv,) input forces in joints
    propelling: Propelling
    load_power: object  # of forces, torques, thrusters [W]
    surroundings_power: object  # of sunlight, air and magnetic field [W]
    dissipated: object  # [W]
    known: np.ndarray | None  # (nv,) 1 where v̇ is prescribed or locked
    known_rates: np.ndarray | None
    x: Bag  # all states by quantity

    @cached_property
    def attitudes(self) -> list[np.ndarray]:
        """q_SB (4,) of every body; they never jump."""
        return attitudes(self.tree, self.q)


class Driven(Protocol):
    """The part of an Instant (outputs.py) that `state_rates` needs: accelerations (6+N,) of all bodies, groups of particles, and bias minus loads of each body
    without the forces of connections."""

    moment: Moment
    accelerations: list[np.ndarray]
    particles: tuple
    unheld: list[np.ndarray]


class Dynamics:
    """A spacecraft with its signal table: the functions from which its System is built.

    stiff, stiffness: of M, see system.contract.Staged.
    """

    stiff, stiffness = 0, 0.0

    def __init__(self, craft: Spacecraft, table: SignalTable):
        self.craft, self.tree, self.table = craft, craft.tree, table
        self.states, self.discretes = table.layouts["states"], table.layouts["discretes"]

    # ---- reading the arrays

    def split(self, x):
        """q (nq,) and v (nv,) of the state."""
        return x[self.states["coordinates"]], x[self.states["speeds"]]

    def surroundings(self, x):
        """The own states of the environment's frame."""
        return x[self.states["frame"]]

    def begun(self, t, x, k):
        """x with the environment's own states at their start; k the array of constants."""
        frame = self.craft.environment.frame
        return self.states.replaced(x, frame=frame.initial(t, Bag(self.table, "parameters", k)))

    def bags(self, u, k, d):
        return Bag(self.table, "inputs", u), Bag(self.table, "parameters", k), Bag(self.table, "discretes", d)

    def with_unit_quaternions(self, x):
        """x with unit quaternions. Within a step they deviate from unit length, and rows that are redundant by geometry would seem independent."""
        for span in self.tree.quaternions():
            x = np.concatenate([x[: span.start], unit_quaternion(x[span]), x[span.stop :]])
        return x

    def placed(self, t, x, u, k, d) -> tuple[list[Moving], Scene]:
        """The motion of all bodies, and their scene."""
        u, k, d = self.bags(u, k, d)
        scene = self.craft.environment.scene(t, self.surroundings(x), u, k, d)
        q, v = self.split(x)
        bodies = move(self.tree, q, v, k, scene.space, Bag(self.table, "states", x))
        return bodies, self.surrounded(scene, bodies, k)

    def surrounded(self, scene: Scene, bodies, k: Bag) -> Scene:
        """The scene with the values of fields that are evaluated once per craft."""
        roots = [body.position_N for body, link in zip(bodies, self.tree.links, strict=True) if link.parent < 0]
        return self.craft.environment.around(scene, roots, k)

    def around(self, bodies, scene: Scene) -> list[tuple[Moving, Scene]]:
        """Each body with the scene of its craft, which is that of its root."""
        roots: list[int] = []
        for link in self.tree.links:
            roots.append(roots[link.parent] if link.parent >= 0 else max(roots, default=-1) + 1)
        return [(body, replace(scene, root=root)) for body, root in zip(bodies, roots, strict=True)]

    # ---- forces

    def moment(self, t, x, u, k, d) -> Moment:
        bodies, scene = self.placed(t, x, u, k, d)
        q, v = self.split(x)
        u, k, d = self.bags(u, k, d)
        residual = [body.equations[1] for body in bodies]
        powers = [0.0, 0.0]
        for by, loads in enumerate((self.craft.loads, self.craft.environment.loads)):
            for load in loads:
                place = place_on(bodies[load.body], load.node, load.position(k))
                force, torque = load.wrench(u, k, place, scene)
                residual[load.body] = residual[load.body] - place.map.force(np.concatenate([force, torque]))
                powers[by] = powers[by] + force @ place.velocity + torque @ place.omega
        if self.craft.environment.fields:
            residual = [own - load for own, load in zip(residual, self.field_loads(bodies, scene, k), strict=True)]
        propelling = self.propelling(bodies, x, u, k, d)
        if self.craft.propulsion.burners:
            residual = [own - load for own, load in zip(residual, propelling.loads(bodies), strict=True)]
        passive, drive, dissipated, known, rates = self._joint_forces(bodies, q, v, u, k, d)
        dissipated = dissipated + propelling.dissipated
        return Moment(
            tree=self.tree, q=q, v=v, u=u, k=k, d=d, x=Bag(self.table, "states", x),
            surroundings=self.surroundings(x), scene=scene, bodies=bodies, residual=residual, propelling=propelling,
            passive=passive, drive=drive, load_power=powers[0], surroundings_power=powers[1], dissipated=dissipated, known=known, known_rates=rates,
        )  # fmt: skip

    def propelling(self, bodies, x, u: Bag, k: Bag, d: Bag) -> Propelling:
        """Burning thrusters and flows through bodies; x the array of states."""
        return self.craft.propulsion.at(self.tree, bodies, Bag(self.table, "states", x), u, k, d)

    def field_loads(self, bodies, scene: Scene, k: Bag) -> list[np.ndarray]:
        """Loads of gravity and other fields on each body, (6+N,)."""
        return [self.craft.environment.load(body, own, k) for body, own in self.around(bodies, scene)]

    def _joint_forces(self, bodies, q, v, u, k, d):
        """Along all speeds: passive forces, drive forces, dissipated power, prescribed and locked accelerations."""
        passive, drive, known, rates, dissipated, any_known = [], [], [], [], 0.0, False
        for i, (link, joint) in enumerate(zip(self.tree.links, self.craft.joints, strict=True)):
            q_i, v_i = q[self.tree.joint_q[i]], v[self.tree.joint_v[i]]
            in_joint, lost = joint.forces.passive(k, u, d, q_i, v_i)
            on_modes, lost_in_modes = link.body.passive(k, u, d, q[self.tree.mode_q[i]], v[self.tree.mode_v[i]])
            passive += [in_joint, on_modes]
            drive += [joint.forces.drive(k, u), link.body.drive(k, u)]
            dissipated = dissipated + lost + lost_in_modes
            given = joint.forces.known(k, u, d, q_i, v_i)
            any_known = any_known or given is not None
            mask, rate = given if given is not None else (np.zeros(link.joint.nv), np.zeros(link.joint.nv))
            modes = np.zeros(link.body.modes)
            of_length = link.body.known(k, u, d, q[self.tree.mode_q[i]], v[self.tree.mode_v[i]])
            any_known = any_known or of_length is not None
            on, rate_on = (modes, modes) if of_length is None else of_length
            known += [mask, on]
            rates += [rate, rate_on]
        passive, drive = np.concatenate(passive), np.concatenate(drive)
        if not any_known:
            return passive, drive, dissipated, None, None
        return passive, drive, dissipated, np.concatenate(known), np.concatenate(rates)

    # ---- energies and rates

    def potential(self, moment: Moment):
        """Elastic energy of joints and modes, and energy of gravity [J]."""
        energy = 0.0
        for i, (link, joint) in enumerate(zip(self.tree.links, self.craft.joints, strict=True)):
            energy = energy + joint.forces.potential(moment.k, moment.q[self.tree.joint_q[i]])
            energy = energy + link.body.potential(moment.k, moment.q[self.tree.mode_q[i]])
        environment = self.craft.environment
        return energy + sum(environment.potential(body, own, moment.k) for body, own in self.around(moment.bodies, moment.scene))  # fmt: skip

    def coordinate_rates(self, q, v):
        """q̇ = T(q) v of all joints and modes, (nq,)."""
        parts = []
        for i, link in enumerate(self.tree.links):
            parts += [link.joint.map(q[self.tree.joint_q[i]]) @ v[self.tree.joint_v[i]], v[self.tree.mode_v[i]]]
        return np.concatenate(parts)

    def state_rates(self, instant: Driven, v_dot, power, shown=(), connections=()):
        """ẋ = (q̇, v̇, power of inputs, dissipated power, rates of the environment's own states, of what is shown, of connections).

        `power`: of prescribed motion and connections, which is part of the inputs'."""
        moment, environment = instant.moment, self.craft.environment
        power = moment.load_power + moment.drive @ moment.v + power
        own = environment.frame.rates(moment.surroundings, moment.scene)
        work = [self.environment_power(instant)] if environment.works else []
        q_dot = self.coordinate_rates(moment.q, moment.v)
        parts = {"coordinates": q_dot, "speeds": v_dot, "energies": [power, moment.dissipated], "frame": own}
        parts["tanks"] = self.craft.propulsion.tank_rates(self.tree, moment.propelling)
        parts["propulsion"] = self.propulsion_rates(instant)
        parts |= {"environment_work": work, "shown": end_to_end(shown), "connections": end_to_end(connections)}
        return self.states.joined(parts)

    def propulsion_rates(self, instant: Driven):
        """Rates of the states of propulsion: thrusts, and momenta and energy of the exhaust."""
        moment, environment = instant.moment, self.craft.environment

        def gravity(position_N):
            probe = particle(1.0, position_N)
            return environment.load(probe, moment.scene, moment.k)[:3], environment.potential(
                probe, moment.scene, moment.k
            )

        now = (moment.x, moment.u, moment.k, gravity)
        return self.craft.propulsion.state_rates(moment.propelling, moment.bodies, instant.accelerations, *now)

    def environment_power(self, instant: Driven):
        """Power of the surroundings that is not stored as potential energy [W]: equal to d(T + V)/dt less the power of inputs, plus losses, but computed
        independently.

        Σ ∂V/∂t of bodies and particles, which is zero unless the frame moves; the power of loads at nodes; and that of S on bodies connected to it, ω·τ, τ the
        moment about S's origin of all loads from S: Σ r × (ṗ − loads), where inner forces cancel.
        """
        moment, environment = instant.moment, self.craft.environment
        power = moment.surroundings_power
        scene, k = moment.scene, moment.k
        points = [point for group in instant.particles for point in zip(*group, strict=True)]
        particles = [particle(mass, place, velocity) for mass, place, velocity, _ in points]
        each = [*self.around(moment.bodies, scene), *((body, scene) for body in particles)]
        power = power + sum(environment.power(body, own, k) for body, own in each)
        if not self.craft.tied or not environment.frame.orbiting:
            return power
        torque = np.zeros(3)
        for body, A, residual in zip(moment.bodies, instant.accelerations, instant.unheld, strict=True):
            force, moment_about = np.split((momenta(body.integrals, body.equations[0], A) + residual)[:6], 2)
            torque = torque + cross(body.position_N, body.dcm_NB @ force) + body.dcm_NB @ moment_about
        for (mass, place, _, acceleration), body in zip(points, particles, strict=True):
            torque = torque + cross(place, mass * acceleration - environment.load(body, scene, k)[:3])
        return power + (scene.space.dcm_NS @ scene.space.omega) @ torque

    # ---- the two routes to the accelerations

    def recursive(self, moment: Moment):
        """v̇ (nv,) and the power of prescribed motion, by the O(n) recursion."""
        forces = moment.passive + moment.drive
        v_dot, reactions = solve_recursively(
            self.tree, moment.bodies, moment.residual, forces, moment.known, moment.known_rates
        )
        return v_dot, self._prescribed_power(moment, reactions), reactions

    def _prescribed_power(self, moment: Moment, reactions):
        """Power of the drives of prescribed axes: the force that the joint transmits along the axis, less that of springs."""
        power = 0.0
        for i, joint in enumerate(self.craft.joints):
            transmitted = moment.bodies[i].H.T @ reactions[i]
            for axis in joint.forces.prescribed:
                p = self.tree.joint_v[i].start + axis
                power = power + moment.v[p] * (transmitted[axis] - moment.passive[p])
        return power

    def inertia(self, bodies, q, v):
        """M (nv, nv), partial velocities and bias accelerations of bodies in motion."""
        M, _, B = composite_equations(self.tree, bodies, [np.zeros(6 + link.body.modes) for link in self.tree.links])
        return M, PartialVelocities(self.tree, bodies), B

    def partial_velocities(self, bodies):
        """Only V and B."""
        return PartialVelocities(self.tree, bodies), bias_accelerations(self.tree, bodies)

    def seen_near(self, bodies, a: int, b: int, x, k: Bag) -> CarriedBodies | None:
        """The motion of two bodies relative to the body that carries both; None: no body does."""
        carrier, (q, v) = common_carrier(self.tree, a, b), self.split(x)
        return None if carrier < 0 else carried_by(self.tree, bodies[carrier], carrier, (a, b), q, v, k)

    def accelerations(self, bodies, v_dot):
        """A_i = (a, α, η̈) of every body."""
        return accelerations(bodies, self.tree, v_dot)

    def kane(self, moment: Moment):
        """M (nv, nv), right side (nv,), partial velocities and bias accelerations, by Kane's equations."""
        M, h, B = composite_equations(self.tree, moment.bodies, moment.residual)
        return M, moment.passive + moment.drive - h, PartialVelocities(self.tree, moment.bodies), B
