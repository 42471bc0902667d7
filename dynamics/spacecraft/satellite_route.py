"""The closed form as a route: the same spacecraft, states and outputs, accelerations from (18) of [tkachev] instead of the recursion.

`satellite_of` checks whether a spacecraft has this form: a free rigid hub, at most one flexible body fixed to it and at most one on a one-axis hinge. It names
any other part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algebra.rotation import E3, cross, skew
from ..algebra.scalar import spd_solve
from ..bodies.body import RigidBody
from ..bodies.extending import Extending
from ..bodies.integrals import rigid_integrals
from ..environment import CentralGravity, InertialFrame, Scene
from ..joints import AxesJoint, FreeJoint
from ..satellite.closed_form import Appendage, Loads, N, S, appendage, hub_acceleration
from ..satellite.gravity import first_order_gravity, satellite_center
from ..system.signals import Bag
from ..tree.kinematics import accelerations
from .motion import Dynamics, Moment
from .reactions import joint_reactions
from .structure import Spacecraft
from .tree_route import TreeRoute


@dataclass(frozen=True)
class Satellite:
    """Which links are the antenna and the panel; None: there is none."""

    antenna: int | None
    panel: int | None


def satellite_of(craft: Spacecraft, linear: bool = False) -> tuple[Satellite | None, str]:
    """The satellite, or None and a sentence on a part that the form of [tkachev] (or its linear form) does not include."""
    places: dict[str, int | None] = {"antenna": None, "panel": None}
    hub, *others = craft.tree.links
    if hub.parent >= 0 or not isinstance(hub.joint, FreeJoint) or not isinstance(hub.body, RigidBody):
        return None, f"{hub.body.name} is not a free rigid hub"
    for i, (link, joint) in enumerate(zip(others, craft.joints[1:], strict=True), 1):
        if hasattr(link.body, "chain"):
            return None, f"{link.body.name} is a beam in segments, which bends by large angles"
        if isinstance(link.body, Extending):
            return None, f"{link.body.name} is a beam that extends"
        axes = isinstance(link.joint, AxesJoint) and not link.joint.translations and len(link.joint.rotations)
        if link.parent != 0 or axes is False or axes > 1:
            return None, f"{link.body.name} is neither fixed to the hub nor on a one-axis hinge of it"
        kind = "panel" if axes else "antenna"
        if places[kind] is not None:
            return None, f"{link.body.name} is a second {'body on a hinge' if axes else 'body fixed to the hub'}"
        laws = [axis.law for axis in getattr(joint.forces, "axes", ())]
        if linear and any(law.friction is not None or law.stop is not None for law in laws):
            return None, f"joint {joint.name} has friction or stops, which are not linear"
        if joint.forces.prescribed or joint.forces.locks:
            return None, f"the motion of joint {joint.name} is prescribed or can be locked"
        places[kind] = i
    if craft.couplings:
        return None, f"{craft.couplings[0].name} couples bodies beside the tree"
    if not isinstance(craft.environment.frame, InertialFrame):
        return None, "its frame is that of an orbit"
    if linear and (craft.environment.fields or craft.environment.loads):
        return None, "it has an environment, which the linear form about rest has not"
    return Satellite(**places), ""


class SatelliteDynamics(Dynamics):
    """The planet's gravity is that of the paper: one linear field about the satellite's mass centre. Other fields are those of the general engine."""

    def field_loads(self, bodies, scene: Scene, k: Bag) -> list[np.ndarray]:
        environment = self.craft.environment
        central = [field for field in environment.fields if isinstance(field, CentralGravity)]
        others = replace(environment, fields=tuple(field for field in environment.fields if field not in central))
        loads = [others.load(body, scene, k) for body in bodies]
        center_N = satellite_center(bodies)
        for field in central:
            attracted = [first_order_gravity(k[field.mu], center_N, body) for body in bodies]
            loads = [a + b for a, b in zip(loads, attracted, strict=True)]
        return loads


class ClosedForm(TreeRoute):
    """`light`: without the terms of order m_a/m and m_p/m."""

    def __init__(self, dynamics: Dynamics, pieces, light: bool = False):
        super().__init__(SatelliteDynamics(dynamics.craft, dynamics.table), pieces)
        found, why = satellite_of(dynamics.craft)
        if found is None:
            raise ValueError(
                f"{dynamics.craft.name}: {why}; [tkachev]'s satellite has a free hub, one antenna and one panel"
            )
        self.satellite, self.light = found, light

    def solved(self, moment: Moment):
        """v̇ (nv,), the power of prescribed motion (none), and the joints' reactions."""
        tree = self.dynamics.tree
        hub = moment.bodies[0]
        center = hub.integrals.first / hub.integrals.mass
        hub_inertia = hub.integrals.inertia + hub.integrals.mass * (skew(center) @ skew(center))
        antenna, _, on_antenna = self._appendage(moment, self.satellite.antenna, center)
        panel, e, on_panel = self._appendage(moment, self.satellite.panel, center)
        on_hub = -moment.residual[0] + hub.equations[1]
        mass = sum(body.integrals.mass for body in moment.bodies)
        along = moment.passive + moment.drive
        loads = Loads(
            force=on_hub[:3] + on_antenna[:3] + on_panel[:3],
            torque=on_hub[3:6] - cross(center, on_hub[:3])
            + sum((cross(x.arm, w[:3]) + w[3:6] for x, w in ((antenna, on_antenna), (panel, on_panel))), np.zeros(3)),
            hinge=e @ on_panel[3:6] + (along[tree.joint_v[self.satellite.panel].start] if self.satellite.panel else 0.0),
            antenna=on_antenna[6:] + self._modal(along, self.satellite.antenna),
            panel=on_panel[6:] + self._modal(along, self.satellite.panel),
        )  # fmt: skip
        share = 0.0 if self.light else 1.0 / mass
        matrix = S(hub_inertia, antenna, panel, e, share)
        right = N(hub_inertia, antenna, panel, e, hub.omega, loads, share, mass)
        z = self._solve(matrix, right)
        fallen = hub_acceleration(antenna, panel, e, loads, mass, z)
        frame = fallen - cross(z[:3], center) - cross(hub.omega, cross(hub.omega, center))
        n = antenna.L.shape[1]
        parts = [hub.dcm_NB @ frame, z[:3]]
        for i in range(1, len(moment.bodies)):
            parts += [z[4 : 4 + n]] if i == self.satellite.antenna else [z[3:4], z[4 + n :]]
        v_dot = np.concatenate(parts)
        A = accelerations(moment.bodies, tree, v_dot)
        return v_dot, 0.0, joint_reactions(tree, moment, A, [])

    def _solve(self, matrix, right):
        """Without a panel there is no hinge: its row, which is zero, is left out."""
        if self.satellite.panel is not None:
            return spd_solve(matrix, right)
        kept = [i for i in range(len(right)) if i != 3]
        found = spd_solve(matrix[np.ix_(kept, kept)], right[kept])
        return np.concatenate([found[:3], np.zeros(1), found[3:]])

    def _modal(self, along, link):
        return np.zeros(0) if link is None else along[self.dynamics.tree.mode_v[link]]

    def _appendage(self, moment: Moment, link: int | None, center) -> tuple[Appendage, np.ndarray, np.ndarray]:
        """The terms of (18) for a body; the hinge's axis; and its external load (6+N,), force and torque at its attachment in hub axes."""
        hub = moment.bodies[0]
        if link is None:
            nothing = rigid_integrals(0.0, np.zeros(3), np.zeros((3, 3)))
            none = np.zeros(0)
            return appendage(nothing, np.zeros(3), E3, hub.omega, np.zeros(3), none, none), np.zeros(3), np.zeros(6)
        body, tree = moment.bodies[link], self.dynamics.tree
        arm = hub.dcm_NB.T @ (body.position_N - hub.position_N) - center
        dcm = hub.dcm_NB.T @ body.dcm_NB
        spin = dcm @ body.omega - hub.omega
        joint = tree.links[link].joint
        assert isinstance(joint, AxesJoint)  # satellite_of has checked this
        e = tree.links[link].mount @ np.array(joint.rotations[0]) if joint.rotations else np.zeros(3)
        load = body.equations[1] - moment.residual[link]
        turned = np.concatenate([dcm @ load[:3], dcm @ load[3:6], load[6:]])
        return appendage(body.integrals, arm, dcm, hub.omega, spin, body.eta, body.eta_dot), e, turned
