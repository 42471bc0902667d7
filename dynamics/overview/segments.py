"""Convergence of a beam in segments: its tip under a load with large deflection, with its number of segments and with twice as many.

The beam is clamped at its root, with a force 3K/L² of fixed direction at its tip: a uniform beam's tip moves by 0.6 of its length. For each
segment K e = Sᵀf + Qᵀ(r × f), with f the force in its axes and r from its end to the tip: solved by substitution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.segmented_beam import segmented_beam
from ..bodies.segments import BeamSegment
from ..spacecraft.structure import Spacecraft

PASSES, SHARE, CLOSE = 300, 0.4, 1e-10


@dataclass(frozen=True)
class Convergence:
    """Of a beam: with `segments`, its tip differs by `change` (relative to the length) from that with twice as many; its deflection is `bent` of its length."""

    beam: str
    segments: int
    bent: float
    change: float


def convergence(craft: Spacecraft) -> tuple[Convergence, ...]:
    """For all beams in segments that bend."""
    firsts = [link.body for link in craft.tree.links if isinstance(link.body, BeamSegment) and link.body.number == 1]
    return tuple(found for body in firsts if (found := _of(body)) is not None)


def _of(body: BeamSegment) -> Convergence | None:
    beam, axes, profile = body.made_of
    bending = [kind for kind in ("bending_y", "bending_z") if kind in body.kinds]
    if not bending:
        return None
    kind = min(bending, key=lambda each: getattr(beam, each))
    across = axes[:, 1 if kind == "bending_y" else 2]
    force = 3.0 * getattr(beam, kind) / beam.length**2 * across
    count = len(body.chain)
    tips, stiffness = [], {each: getattr(beam, each) for each in body.kinds}
    for segments in (count, 2 * count):
        chain = segmented_beam(body.name, beam, segments, dict.fromkeys(body.kinds, 0.0), {}, axes, profile)
        tips.append(_tip(chain, stiffness, force))
    unloaded = _tip(chain, stiffness, 0.0 * force)
    return Convergence(
        body.name,
        count,
        float(np.linalg.norm(tips[1] - unloaded)) / beam.length,
        float(np.linalg.norm(tips[0] - tips[1])) / beam.length,
    )


def _tip(first: BeamSegment, stiffness: dict[str, float], force) -> np.ndarray:
    """The tip (3,) under the force, from the beam's frame."""
    held = [np.linalg.inv(sum(stiffness[kind] * U for kind, U in zip(each.kinds, each.unit_stiffness, strict=True))) for each in first.chain]  # fmt: skip
    e = np.zeros((len(held), first.modes))
    ends = [each.end for each in first.chain]
    for _ in range(PASSES):
        at, dcm, frames = np.zeros(3), np.eye(3), []
        for node, own in zip(ends, e, strict=True):
            place = node.swept(None, own, np.zeros(first.modes))
            frames.append((place, dcm, at + dcm @ place.r))
            at, dcm = frames[-1][2], dcm @ place.section.R
        change = 0.0
        for i, (place, turned, end) in enumerate(frames):
            f, arm = turned.T @ force, turned.T @ (at - end)
            wanted = held[i] @ (place.S.T @ f + place.section.Q.T @ np.cross(arm, f))
            change = max(change, float(np.max(np.abs(wanted - e[i]))))
            e[i] += SHARE * (wanted - e[i])
        if change < CLOSE:
            break
    return at
