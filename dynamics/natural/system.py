"""A rigid spacecraft → System in natural coordinates, from the same description: `formulation = "natural"`.

States are points, vectors and the axes of joints; inputs, parameters and outputs are the tree's, by the same names. Motion, projections and jumps are
those of coupled spacecraft (spacecraft/coupled.py), with the rigid rows as one connection more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..bodies.body import RigidBody
from ..bodies.gimbal import Gimbal
from ..bodies.rotor import Rotor
from ..constraints import Condition, HeldFormula
from ..constraints.survey import agreeing_start
from ..constraints.watch import SPACE
from ..joints.kinds import AxesJoint, FreeJoint, SphericalJoint, SpinJoint
from ..loads.actuator import actuated
from ..spacecraft.assembly import dynamics_of
from ..spacecraft.coupled import Coupled
from ..spacecraft.given_start import GivenStart
from ..spacecraft.motion import Dynamics
from ..spacecraft.outputs import BodyMotion, SystemTotals
from ..spacecraft.signals import signal_table
from ..spacecraft.structure import Spacecraft
from ..spacecraft.system import routed
from ..system.contract import System
from ..system.signals import State, Terminal
from ..tanks.tank import Tank
from ..tether.spool import Spool
from .carriers import Carriers
from .dynamics import NaturalDynamics
from .inertia import carried_mass
from .layout import CartesianLayout
from .outputs import BallMotion
from .rigid import Rigid


class NotNatural(ValueError):
    """The craft has a part that natural coordinates do not support; the message names it."""


def natural_system(craft: Spacecraft, known: Dynamics | None = None) -> System:
    """The System; known: Dynamics of the tree, if they are there; `NotNatural` names what points and vectors can't express."""
    _check(craft)
    layout = CartesianLayout(Carriers(craft.tree, tuple(joint.name for joint in craft.joints)))
    rigid = Rigid("rigid", SPACE, SPACE, layout)
    coupled = replace(craft, couplings=(rigid, *craft.couplings), given_start=GivenStart(()))
    pieces = (SystemTotals(craft.environment.frame_text), *_shown_instead_of_states(craft), *craft.sensors)
    tree = dynamics_of(craft, known)
    X, X_dot, kappa = _start(tree, layout)
    table = signal_table(coupled, pieces, _states(craft, layout, X, X_dot))
    route = Coupled(NaturalDynamics(coupled, table, rigid, kappa), pieces)
    return replace(actuated(routed(route, table, tree), craft.actuators), made_by=(natural_system, craft))


def surveyed_natural(craft: Spacecraft, known: Dynamics | None = None) -> System:
    """The same, after a look at its start: `Refused` names couplings that clash."""
    system = natural_system(craft, known)
    owners = [coupling.name for coupling in craft.couplings for _ in range(coupling.rows)]
    if owners:
        agreeing_start(system, [""] * (system.motion.m - len(owners)) + owners)  # rigid rows stand first
    return system


def _check(craft: Spacecraft) -> None:
    advice = 'expected rigid bodies on joints that points and vectors can express, or formulation = "tree"'
    for link, joint in zip(craft.tree.links, craft.joints, strict=True):
        if link.body.modes:
            raise NotNatural(f"body {link.body.name} is flexible, {advice}")
        if isinstance(link.body, Tank | Spool):
            raise NotNatural(f"the mass of {link.body.name} is a state, {advice}")
        if not isinstance(link.body, RigidBody | Gimbal) and type(link.body) is not Rotor:
            raise NotNatural(f"{link.body.name} is an unbalanced wheel, {advice}")
        if link.parent < 0 and not isinstance(link.joint, FreeJoint) and craft.environment.frame_text.axes != "N":
            raise NotNatural(f"joint {joint.name} holds a body to an orbital frame, {advice}")
    for coupling in craft.couplings:
        if isinstance(coupling, Condition | HeldFormula):
            raise NotNatural(f"{coupling.name} is written in joint coordinates and speeds of the tree, {advice}")
    try:
        Carriers(craft.tree, tuple(joint.name for joint in craft.joints))
    except ValueError as error:
        raise NotNatural(f"{error}, {advice}") from None


def _start(tree: Dynamics, layout: CartesianLayout):
    """X and Ẋ of the tree's own start, and κ: the mean of what carries mass on the diagonal of M."""
    craft, table = tree.craft, tree.table
    x, u, k, d = (np.array(table.starts(group)) for group in ("states", "inputs", "parameters", "discretes"))
    bodies, _ = tree.placed(0.0, tree.begun(0.0, x, k), u, k, d)
    frames, _ = layout.carriers.frames_and_conditions([link.place.position for link in craft.tree.links])
    rigid = [i for i, link in enumerate(craft.tree.links) if not isinstance(link.joint, SpinJoint)]
    diagonal = np.diag(sum(carried_mass(frames[i], bodies[i].integrals) for i in rigid))
    return *layout.carriers.values(bodies), float(np.mean(diagonal))


def _states(craft: Spacecraft, layout: CartesianLayout, X, X_dot) -> tuple[list[State], list[State]]:
    """Points and vectors, then the axes of joints by the tree's own names; speeds likewise, then those of wheels."""
    positions: list[State] = []
    speeds: list[State] = []
    counted: dict[int, int] = {}
    for carrier, place, rate in zip(layout.carriers.rows, X, X_dot, strict=True):
        body = craft.tree.links[carrier.body].body.name
        counted[carrier.body] = counted.get(carrier.body, 0) + (carrier.direction is not None)
        name = f"{body}.point" if carrier.direction is None else f"{body}.vector{counted[carrier.body]}"
        what = f"origin of {body}'s frame" if carrier.direction is None else f"unit vector fixed in {body}"
        unit = "m" if carrier.direction is None else "1"
        rate_unit, bend_unit = ("m/s", "m/s2") if unit == "m" else ("1/s", "1/s2")
        positions.append(
            State(name, f"{what}, in N", unit, tuple(place), derivative=f"{name}_rate", reinit=True, tied=True)
        )
        speeds.append(
            State(
                f"{name}_rate",
                f"rate of the {what}, in N",
                rate_unit,
                tuple(rate),
                derivative_unit=bend_unit,
                reinit=True,
                tied=True,
            )
        )
    axes: tuple[list, list, list] = ([], [], [])
    for link, joint in zip(craft.tree.links, craft.joints, strict=True):
        if isinstance(link.joint, AxesJoint | SpinJoint):
            q, v = link.joint.states(joint.name, joint.q0, joint.v0, joint.forces.prescribed)
            terminal = Terminal(joint.forces.terminal or "frame", joint.name)
            q, v = ([replace(state, terminal=terminal) for state in own] for own in (q, v))
            axes[0].extend(q)
            axes[2 if isinstance(link.joint, SpinJoint) else 1].extend(v)
    return positions + axes[0], speeds + axes[1] + axes[2]


def _shown_instead_of_states(craft: Spacecraft) -> list:
    """Motion of free bodies and of ball joints, which the tree has as states."""
    pieces: list = []
    for i, (link, joint) in enumerate(zip(craft.tree.links, craft.joints, strict=True)):
        if isinstance(link.joint, FreeJoint) and link.parent < 0:
            pieces.append(BodyMotion(i, link.body.name, craft.environment.frame_text))
        elif isinstance(link.joint, SphericalJoint):
            pieces.append(BallMotion(i, joint.name))
    return pieces
