"""The path of propellant from a tank to a nozzle: straight pieces within bodies, through the centres of the joints between them.

A line through a joint keeps its length only if the joint rotates about the point where the line passes: fixed, revolute, universal, gimbal and
ball joints. Their centre has the same velocity on both bodies, so the momentum passed there does no work and the joint carries the force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..joints.kinds import AxesJoint, SphericalJoint
from ..tree.carrier import common_carrier
from ..tree.topology import Tree


@dataclass(frozen=True)
class Passage:
    """A body on the path: the links (by number) through whose joints the line enters and leaves; None: it begins or ends there."""

    body: int
    comes: int | None
    goes: int | None


def way(tree: Tree, tank: int, nozzle: int) -> list[Passage]:
    """Bodies from the one that carries the tank to that of the nozzle."""
    top = common_carrier(tree, tank, nozzle)
    inward, outward = _chain(tree, tank, top), _chain(tree, nozzle, top)[::-1]
    bodies, crossed = [*inward, top, *outward], [*inward, *outward]
    return [
        Passage(body, crossed[i - 1] if i else None, crossed[i] if i < len(crossed) else None)
        for i, body in enumerate(bodies)
    ]


def _chain(tree: Tree, body: int, top: int) -> list[int]:
    found = []
    while body != top:
        found.append(body)
        body = tree.inner_body(body)
    return found


def obstacle(tree: Tree, names: list[str], tank: int, nozzle: int) -> str:
    """Why no line is possible on this path, as the end of a sentence; "": one is possible. `names` of the joints."""
    if common_carrier(tree, tank, nozzle) < 0:
        return f"no joint connects {tree.links[tank].body.name} and {tree.links[nozzle].body.name}"
    for passage in way(tree, tank, nozzle):
        body = tree.links[passage.body].body
        if body.modes:
            return f"its line passes through {body.name}, which is flexible; it may pass only rigid bodies"
        if passage.goes is None:
            continue
        joint = tree.links[passage.goes].joint
        if not isinstance(joint, SphericalJoint) and (not isinstance(joint, AxesJoint) or joint.translations):
            return (
                f"its line passes through joint {names[passage.goes]}, which slides; it may pass only rotating joints"
            )
    return ""


def crossing(tree: Tree, k: Any, body: int, link: int | None):
    """Where a line passes the joint of a link, in the frame of a body beside it, (3,); None where it passes none."""
    if link is None:
        return None
    if body == link:
        return np.zeros(3)
    own = tree.links[link]
    return own.place.position if own.moved_place is None else k[own.moved_place]
