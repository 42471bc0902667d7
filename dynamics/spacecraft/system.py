"""Spacecraft → System. Without rows it is one stage (the recursion); with rows it uses Kane's equations and a solve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..algebra.scalar import MANY
from ..bodies.extending import Extending
from ..bodies.segments import AS_MANY, BeamSegment
from ..loads.actuator import actuated
from ..system.contract import About, System
from ..system.signals import Bag, SignalTable
from .assembly import dynamics_of, shown_by
from .coupled import Coupled
from .linear_satellite import LinearSatellite
from .motion import Dynamics
from .picture import picture_of
from .route import Route
from .satellite_route import ClosedForm
from .structure import Spacecraft
from .tree_route import TreeRoute


def spacecraft_system(craft: Spacecraft, known: Dynamics | None = None) -> System:
    """The System of a spacecraft, in its formulation, with its actuators. known: its Dynamics, if they are there."""
    return replace(actuated(_plain_system(craft, known), craft.actuators), made_by=(spacecraft_system, craft))


def _plain_system(craft: Spacecraft, known: Dynamics | None) -> System:
    if craft.formulation in LINEAR:
        fixed_at_build = (*craft.fixed_at_build, "the hinge's angle that the equations are linearized about")
        linear = LinearSatellite(replace(craft, fixed_at_build=fixed_at_build), light=craft.formulation == "linear")
        return routed(linear, linear.table)
    dynamics = dynamics_of(craft, known)
    return routed(_route(craft, dynamics, shown_by(craft)), dynamics.table, dynamics)


def routed(route: Route, table: SignalTable, drawn: Dynamics | None = None) -> System:
    """The System with these signals and this route, in any coordinates and formulation. drawn: Dynamics of the tree, if the route has others."""
    dynamics, craft = route.dynamics, route.dynamics.craft
    return System(
        name=craft.name,
        about=About(
            craft.description,
            craft.documentation,
            craft.experiment,
            craft.fixed_at_build,
            picture=picture_of(drawn or dynamics),
        ),
        signals=table,
        motion=route.motion(),
        indicator_count=route.indicator_count,
        slow_indicators=route.slow_indicators,
        check=lambda p: np.array([value for _, value in broken_laws(dynamics, p)]),
        laws=tuple(sentence for sentence, _ in broken_laws(dynamics, np.array(table.starts("parameters")))),
        without_rates=_without_rates(craft),
        initialize=route.initialize,
        next_time=route.next_time(),
        update=route.update(),
        projections=route.projections(),
        attitudes=route.attitudes(),
        tabled=sum(2 * link.body.modes for link in craft.tree.links if link.body.modes >= MANY)
        + sum(state.size for state in craft.propulsion.states())
        - sum(AS_MANY for link in craft.tree.links if isinstance(link.body, BeamSegment)),
    )


LINEAR = ("linear", "exact_linear")
SATELLITE = ("closed", "light", *LINEAR)  # formulations of [tkachev]


def _route(craft: Spacecraft, dynamics: Dynamics, pieces: Any) -> Route:
    if craft.formulation in SATELLITE:
        return ClosedForm(dynamics, pieces, light=craft.formulation == "light")
    return (Coupled if craft.rows or craft.held_lengths else TreeRoute)(dynamics, pieces)


# M(η) is exact to second order only: for deflections comparable to the body's length it may not be positive definite (scalar.spd_solve).
BENT_TOO_FAR = ": the mass matrix is not positive definite, for example because a flexible body is bent beyond the range of its modes"


TOO_LONG = ": the mass matrix is not positive definite, for example because a beam that extends is longer than its full length or fully retracted, or is bent beyond the range of its modes"


def _without_rates(craft: Spacecraft) -> str:
    bodies = [link.body for link in craft.tree.links]
    if any(isinstance(body, Extending) for body in bodies):
        return TOO_LONG
    return BENT_TOO_FAR if any(body.modes for body in bodies) else ""


def broken_laws(dynamics: Dynamics, p: Any) -> Any:
    k = Bag(dynamics.table, "parameters", p)
    return [law for piece in (*dynamics.craft.pieces(), *dynamics.craft.couplings) for law in piece.laws(k)]
