"""Spacecraft → System. Without rows it is one stage (the recursion); rows bring Kane's equations and a solve."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..loads.actuator import actuated
from ..scalar import MANY
from ..signals import Bag
from ..system import Attitude, Projection, Staged, System
from .coupled import Coupled
from .linear_satellite import linear_satellite
from .motion import Dynamics
from .outputs import SystemTotals
from .picture import picture_of
from .route import Route
from .satellite_route import ClosedForm
from .signals import signal_table
from .structure import Spacecraft
from .tree_route import TreeRoute


def spacecraft_system(craft: Spacecraft) -> System:
    """The System of a spacecraft, in the formulation that it asks for, with its actuators."""
    return replace(actuated(_plain_system(craft), craft.actuators), made_by=(spacecraft_system, craft))


def _plain_system(craft: Spacecraft) -> System:
    if craft.formulation in LINEAR:
        return linear_satellite(craft, light=craft.formulation == "linear")
    pieces = (SystemTotals(craft.environment.frame_text), *craft.sensors)
    table = signal_table(craft, pieces)
    dynamics = Dynamics(craft, table)
    route = _route(craft, dynamics, pieces)
    return routed(
        dynamics,
        route.motion(),
        indicator_count=route.indicator_count,
        without_rates=BENT_TOO_FAR if any(link.body.modes for link in craft.tree.links) else "",
        initialize=route.initialize,
        update=route.update(),
        projections=(*unit_quaternions(dynamics), *route.projections()),
        attitudes=_attitudes(craft),
        tabled=sum(2 * link.body.modes for link in craft.tree.links if link.body.modes >= MANY),
        picture=partial(picture_of, craft),
    )


def routed(dynamics: Dynamics, motion: Staged, **more) -> System:
    """The System of a spacecraft whose route gives this motion, in whatever coordinates; `more`: what it has beside motion and laws."""
    craft, table = dynamics.craft, dynamics.table
    return System(
        name=craft.name,
        description=craft.description,
        signals=table,
        motion=motion,
        check=lambda p: np.array([value for _, value in broken_laws(dynamics, p)]),
        laws=tuple(sentence for sentence, _ in broken_laws(dynamics, np.array(table.starts("parameters")))),
        experiment=craft.experiment,
        documentation=craft.documentation,
        baked=craft.baked,
        **more,
    )


LINEAR = ("linear", "exact_linear")
SATELLITE = ("closed", "light", *LINEAR)  # formulations of [tkachev]


def _route(craft: Spacecraft, dynamics: Dynamics, pieces) -> Route:
    if craft.formulation in SATELLITE:
        return ClosedForm(dynamics, pieces, light=craft.formulation == "light")
    return (Coupled if craft.rows else TreeRoute)(dynamics, pieces)


# M(η) is exact to second order only: of a body bent by a good part of its length it can lose its sign (scalar.spd_solve).
BENT_TOO_FAR = (
    ": the mass matrix is not positive definite, as where a flexible body is bent beyond the range of its modes"
)


def broken_laws(dynamics: Dynamics, p):
    k = Bag(dynamics.table, "parameters", p)
    return [law for piece in (*dynamics.craft.pieces(), *dynamics.craft.couplings) for law in piece.laws(k)]


def _attitudes(craft: Spacecraft) -> tuple[Attitude, ...]:
    """The unit quaternions of all joints; their angular velocities are the last three speeds of the joint."""
    tree, found = craft.tree, []
    for i, (link, joint) in enumerate(zip(tree.links, craft.joints, strict=True)):
        span = link.joint.quaternion
        if span is not None:
            found.append(Attitude(joint.name, tree.joint_q[i].start + span.start, tree.nq + tree.joint_v[i].stop - 3))
    return tuple(found)


def unit_quaternions(dynamics: Dynamics):
    """Unit quaternions as a projection: residual (|q|² − 1)/2, moved to q/|q| at once, however long; zero stays."""
    spans = dynamics.tree.quaternions()
    if not spans:
        return ()
    count = len(spans)

    def assemble(t, x, u, k, d):
        excess = np.array([0.5 * (x[span] @ x[span] - 1.0) for span in spans])
        return np.eye(count), np.eye(count), np.zeros(count), -excess, np.zeros(0)

    def finish(t, x, u, k, d, z, multipliers, carry):
        return dynamics.with_unit_quaternions(x)

    names = tuple(dynamics.table.states[span.start].name.removesuffix("[1]") for span in spans)
    stage = Staged(finish, assemble, count, count, 0)
    return (Projection("unit quaternions", stage, 1e-15, names, "is zero, which is no attitude"),)
