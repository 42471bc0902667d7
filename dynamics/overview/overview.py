"""The overview of a System before it is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..bodies.segments import BeamSegment
from ..constraints.survey import redundant_rows
from ..joints.kinds import AxesJoint, FreeJoint, SphericalJoint, SpinJoint
from ..linearize.reduce import Derivatives, NotLinearizable
from ..spacecraft.motion import Dynamics
from ..spacecraft.route import Connections
from ..spacecraft.structure import Spacecraft
from ..spacecraft.system import spacecraft_system
from ..system.contract import System
from ..system.evaluate import Refused, project, start
from ..system.signals import Bag
from ..tanks.slosh import SloshBowl
from .linear import Vibration, modes, solver_for
from .magnitudes import warnings
from .mass import MassProperties, of_all, of_body, of_particles
from .segments import Convergence, convergence


@dataclass(frozen=True)
class Branch:
    """A body of the tree: the joint that carries it, the joint's kind, the parent's index (−1: space)."""

    body: str
    joint: str
    kind: str
    parent: int
    modes: int
    segments: int = 0  # of a beam in segments: how many


@dataclass(frozen=True)
class Overview:
    """cables: those with mass. freedom: degrees of freedom, speeds of the tree minus independent conditions, plus three per bead of a
    cable. redundant: names of redundant couplings."""

    name: str
    description: str
    tree: tuple[Branch, ...]
    bodies: tuple[MassProperties, ...]
    cables: tuple[MassProperties, ...]
    whole: MassProperties | None
    speeds: int
    beads: int
    conditions: int
    freedom: int
    redundant: tuple[str, ...]
    modes: tuple[Vibration, ...] | None  # None: not requested, or `no_modes`
    no_modes: str  # why there is no linear model here
    solver: str
    signals: dict[str, tuple[str, ...]]
    warnings: tuple[str, ...]
    convergence: tuple[Convergence, ...] = ()  # of beams in segments; with the modes


def overview(
    system: System, derivatives: Derivatives | None = None, values: Mapping[str, float] | None = None
) -> Overview:
    """The overview; frequencies only with derivatives of the System, as spacefmu.fmu_src.native.trace.jacobian has them. `Refused` if there
    is no start. values: replace start values and parameters, by name; an array's name means all of its elements.
    """
    x, u, k, d = _started(system, values or {})
    craft: Any = system.made_by[1] if system.made_by is not None else None
    tree_states = isinstance(craft, Spacecraft) and system.nx >= craft.tree.nq + craft.tree.nv and _by_tree(system)
    at_rest = _at_rest(system, craft, x, u, k, d) if tree_states else x
    found, why = None, ""
    if derivatives is not None and system.nx:
        try:
            found = tuple(modes(system, derivatives, at_rest, u, k, d))
        except NotLinearizable as error:
            why = str(error)
    tree: tuple[Branch, ...] = ()
    bodies: tuple[MassProperties, ...] = ()
    cables: list[MassProperties] = []
    whole = None
    counts: tuple[int, int, int, int, tuple[str, ...]] = (0, 0, 0, 0, ())
    if isinstance(craft, Spacecraft):
        tree, owner = _branches(craft)
        # other formulations of the same craft have other states; masses and degrees of freedom are those of the tree
        base = system if tree_states else spacecraft_system(replace(craft, formulation="tree"))
        x, u, k, d = (x, u, k, d) if tree_states else _started(base, values or {})
        dynamics = Dynamics(craft, base.signals)
        placed, scene = dynamics.placed(0.0, x, u, k, d)
        each = [of_body(link.body.name, body) for link, body in zip(craft.tree.links, placed, strict=True)]
        bodies = _of_beams(tree, owner, placed, each)
        beads = 0
        for coupling, view in Connections(dynamics).views(0.0, placed, scene, x, u, k, d):
            if (own := coupling.particles(view)) is not None:
                cables.append(of_particles(coupling.name, placed[0], *own[:2]))
                beads += getattr(coupling, "beads", len(own[0]))
        whole = of_all(placed, each, cables)
        counts = _freedom(base, craft, beads, x, u, k, d)
    return Overview(
        system.name,
        system.about.description,
        tree,
        bodies,
        tuple(cables),
        whole,
        *counts,
        found,
        why,
        solver_for(list(found or ()), float(system.about.experiment["stop"])),
        {group: tuple(q.name for q in system.signals.quantities(group)) for group in system.signals.GROUPS},
        tuple(warnings(system)),
        convergence(craft) if derivatives is not None and isinstance(craft, Spacecraft) else (),
    )


def _started(system: System, values: Mapping[str, float]):
    given = {
        group: [values.get(own.name, values.get(own.array, own.start)) for own in getattr(system.signals, group)]
        for group in ("states", "inputs", "parameters", "discretes")
    }
    return start(system, 0.0, given["states"], given["inputs"], given["parameters"], given["discretes"])


def _by_tree(system: System) -> bool:
    """Whether its states are the coordinates and speeds of the tree."""
    assert system.made_by is not None  # the craft comes from it
    function, craft = system.made_by
    return function is spacecraft_system and craft.formulation in ("tree", "closed", "light")


def _at_rest(system: System, craft: Spacecraft, x, u, k, d):
    """The start without motion except that of wheels, for natural frequencies; on an orbit unchanged, where a body at rest moves."""
    if craft.environment.frame.orbiting or any(hasattr(field, "mu") for field in craft.environment.fields):
        return x
    x = x.copy()
    speeds = x[system.signals.layouts["states"]["speeds"]]  # a view of x
    for i, link in enumerate(craft.tree.links):
        if not isinstance(link.joint, SpinJoint):
            speeds[craft.tree.speeds_of(i)] = 0.0
    return project(system, 0.0, x, u, k, d)


def _branches(craft: Spacecraft) -> tuple[tuple[Branch, ...], list[int]]:
    """The bodies of the description, and the body of each link: the segments of a beam are one body."""
    found: list[Branch] = []
    owner: list[int] = []
    for link, joint in zip(craft.tree.links, craft.joints, strict=True):
        parent = owner[link.parent] if link.parent >= 0 else -1
        if isinstance(link.body, BeamSegment) and link.body.number > 1:
            owner.append(parent)
            continue
        segments = len(link.body.chain) if isinstance(link.body, BeamSegment) else 0
        owner.append(len(found))
        modes = link.body.modes * max(segments, 1)
        found.append(Branch(link.body.name, joint.name, _kind(link.joint), parent, modes, segments))
    return tuple(found), owner


def _of_beams(tree, owner: list[int], placed, each: list[MassProperties]) -> tuple[MassProperties, ...]:
    """Masses of the bodies of the description; for a beam in segments that of the whole beam, from its frame."""
    found = []
    for i, branch in enumerate(tree):
        links = [n for n, own in enumerate(owner) if own == i]
        parts = [each[n] for n in links]
        whole = parts[0] if len(parts) == 1 else of_all([placed[n] for n in links], parts, [])
        found.append(replace(whole, name=branch.body))
    return tuple(found)


def _kind(joint) -> str:
    if isinstance(joint, AxesJoint):
        n, m = len(joint.translations), len(joint.rotations)
        known = {
            (0, 0): "fixed",
            (0, 1): "revolute",
            (1, 0): "prismatic",
            (0, 2): "universal",
            (1, 1): "cylindrical",
            (2, 1): "planar",
        }
        return known.get((n, m), f"{n} translations, {m} rotations")
    names = {FreeJoint: "free", SphericalJoint: "spherical", SpinJoint: "wheel", SloshBowl: "slosh"}
    return names.get(type(joint), type(joint).__name__.removesuffix("Joint").lower())


def _freedom(system: System, craft: Spacecraft, beads: int, x, u, k, d) -> tuple[int, int, int, int, tuple[str, ...]]:
    """(speeds, beads, active conditions, degrees of freedom, redundant couplings) at the start."""
    owners = [coupling for coupling in craft.couplings for _ in range(coupling.rows)]
    if not owners or system.motion.assemble is None:
        return craft.tree.nv, beads, 0, craft.tree.nv + 3 * beads, ()
    G = np.asarray(system.motion.assemble(0.0, x, u, k, d)[1], float).reshape(system.motion.m, system.motion.n)
    discretes = Bag(system.signals, "discretes", d)
    closed = [i for i, coupling in enumerate(owners) if coupling.active(discretes) > 0.5]
    rows, count = redundant_rows(G[closed]) if closed else ([], 0)
    names = tuple(dict.fromkeys(owners[closed[i]].name for i in rows)) if count else ()
    return craft.tree.nv, beads, len(closed), craft.tree.nv + 3 * beads - (len(closed) - count), names


__all__ = ["Overview", "Refused", "overview"]
