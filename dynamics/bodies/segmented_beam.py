"""Properties of a beam along its length → its segments (segments.py): masses at Gauss' points, stiffness and unloaded curvature by the same points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..algebra.rotation import skew
from .body import Nodes
from .heated import Heated
from .integrals import Integrals
from .properties import BESIDE, Beam, Profile
from .segments import KINDS, TURNS, BeamSegment, SegmentedBeam, segment_node
from .strain import POINTS, RigidSlice, Slices, Strained, spot, swept
from .thermal import Difference, Expansion, Mean, Thermal

# Inertia of a segment's (mean, slope) beside that of its masses: these times m h² in bending, ∫I dm in torsion, m in stretch (m its mass). Momenta have no part
# in it. 1/720 and 1/180 cancel the error of order h⁴ in a uniform beam's frequencies: the inertia that bends a segment into a shape that it lacks.
# 1/600, an error of order h⁶, lowers the highest frequency of bending, 77 √(EI/ρA)/h² without them, to 15. Proved by tests/flexible/test_segment_witnesses.py.
BENT, DRAWN = (1.0 / 720.0, 1.0 / 600.0), (0.0, 1.0 / 180.0)
WEIGHTS = np.polynomial.legendre.leggauss(3)[1] / 2.0  # of POINTS, on (0, 1)


def segmented_beam(name: str, beam: Beam, count: int, damping: dict[str, float], stations: dict[str, float], axes, profile: Profile, heated: Heated | None = None) -> BeamSegment:  # fmt: skip
    """The first segment, with the others behind it. damping: Kelvin–Voigt times [s] by kind; stations: named nodes, by x/L along the axis;
    axes (3, 3): the beam's x, y, z in body axes, as columns; heated: with temperatures of sections of a whole number of segments each."""
    kinds = tuple(kind for kind in KINDS if getattr(beam, kind) > 0.0)
    own = {kind: getattr(beam, kind) for kind in kinds} | {f"{kind}_damping": damping[kind] for kind in kinds}
    h = beam.length / count
    starts = np.arange(count) / count
    at = starts[:, None] + POINTS / count  # (count, 3) x/L
    share = WEIGHTS * profile.factor("mass", at)
    share = share / share.sum()  # of the whole mass, at each point
    pieces = [_piece(kinds, h, axes, profile.turning(row)) for row in at]
    whole = SegmentedBeam(name, beam.line_density * beam.length + beam.tip_mass, **own)
    segments = []
    for i, piece in enumerate(pieces):
        slices = [
            _slice(beam, part, spot(xi), axes, profile.mass_center) for xi, part in zip(POINTS, share[i], strict=True)
        ]
        if i == count - 1 and beam.tip_mass:
            slices.append(RigidSlice(spot(1.0), beam.tip_mass, np.zeros(3), axes @ np.diag(beam.tip_inertia) @ axes.T))
        units = tuple(_unit(kinds, kind, h, profile.factor(kind, at[i]), profile.tension_center) for kind in kinds)
        called = name if i == 0 else f"{name}.segment[{i + 1}]"
        nodes = Nodes({}, lambda position: None, "", _near(piece, h))
        mass = share[i].sum() * beam.line_density * beam.length
        added = {
            "torsion": mass * beam.polar_inertia / beam.line_density * np.array(DRAWN),
            "axial": mass * np.array(DRAWN),
        }
        inertia = np.concatenate([added.get(kind, mass * h**2 * np.array(BENT)) for kind in kinds])
        made = BeamSegment(called, whole, kinds, _integrals(Slices(piece, tuple(slices), inertia)), units, nodes, i + 1)
        segments.append(made if heated is None else replace(made, thermal=_port(name, kinds, heated, count, i, h)))
    first = replace(segments[0], nodes=_nodes(pieces, stations, beam.length, axes))
    if heated is not None and first.thermal is not None:
        middles = {f"section[{i}]": float(at) for i, at in enumerate(heated.middles, 1)}
        sections = tuple(_nodes(pieces, middles, beam.length, axes).values())
        first = replace(first, thermal=replace(first.thermal, sections=sections, axes=axes))
    return replace(first, following=tuple(segments[1:]), made_of=(beam, axes, profile))


def _port(name: str, kinds, heated: Heated, count: int, i: int, h: float) -> Thermal:
    """Of segment i, in one of the beam's sections: h times the free curvature, or strain, of that section is the segment's mean coordinate."""
    sections = heated.sections[0]
    expansion = Expansion(name, heated.expansion)

    def of(kind: str) -> np.ndarray:
        shapes = np.zeros((2 * len(kinds), sections))
        shapes[2 * kinds.index(kind), i * sections // count] = h
        return shapes

    loads: list[Difference | Mean] = [
        Difference(name, axis, of(f"bending_{axis}"), expansion, size) for axis, size in heated.thickness.items()
    ]
    if "axial" in kinds:
        loads.append(Mean(name, of("axial"), expansion, heated.reference))
    return Thermal(name, tuple(loads), expansion=expansion)


def _piece(kinds, h: float, axes, turning) -> Strained:
    """turning (3, 3): curvature of the unloaded beam at Gauss' points, in beam axes [rad/m]."""
    N = 2 * len(kinds)
    start, slope, stretch = np.zeros((3, N)), np.zeros((3, N)), np.zeros((2, N))
    for i, kind in enumerate(kinds):
        if kind in TURNS:
            about, sign = TURNS[kind]
            axis = sign * axes[:, about]
            start[:, 2 * i], start[:, 2 * i + 1], slope[:, 2 * i + 1] = axis, -axis, 2.0 * axis
        else:
            stretch[:, 2 * i : 2 * i + 2] = np.array([[1.0, -1.0], [0.0, 2.0]]) / h
    mean, change = WEIGHTS @ turning, 3.0 * ((WEIGHTS * (2.0 * POINTS - 1.0)) @ turning)
    return Strained(h, axes[:, 0], start, slope, h * (axes @ (mean - change)), 2.0 * h * (axes @ change), stretch)


def _slice(beam: Beam, share: float, at, axes, center) -> RigidSlice:
    """A share of the beam's mass as a rigid section; its inertia is a lamina's, diag(I_y + I_z, I_y, I_z), about its mass centre."""
    J = np.diag([beam.polar_inertia, *beam.section_inertia]) * beam.length
    return RigidSlice(at, share * beam.line_density * beam.length, axes[:, 1:] @ np.array(center), share * (axes @ J @ axes.T))  # fmt: skip


def _unit(kinds, kind: str, h: float, factor, tension_center) -> np.ndarray:
    """U (N, N) = (1/h) Σ w f c cᵀ [1/m], c (N,) at each of Gauss' points: the derivative of h times the strain of this kind by the coordinates."""
    U = np.zeros((2 * len(kinds),) * 2)
    y, z = tension_center
    # the strain at the tension centre is ε − y κ_z + z κ_y; bending along z is −κ_y
    arms = {"axial": 1.0, "bending_y": -y, "bending_z": -z} if kind == "axial" else {kind: 1.0}
    for xi, weight, f in zip(POINTS, WEIGHTS, factor, strict=True):
        c = np.zeros(2 * len(kinds))
        for i, each in enumerate(kinds):
            c[2 * i : 2 * i + 2] = arms.get(each, 0.0) * np.array([1.0, 2.0 * xi - 1.0])
        U += weight * f / h * np.outer(c, c)
    return np.where(np.abs(U) > 1e-15 * np.max(np.abs(U)), U, 0.0)


def _integrals(slices: Slices) -> Integrals:
    """Of the unloaded segment; its motion is made of `slices`."""
    piece, sections = slices.piece, slices.sections
    N = piece.start.shape[1]
    still = np.zeros(N)
    mass, first, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    for section, at in zip(sections, swept(piece, [each.at for each in sections], still, still), strict=True):
        R = at.section.R
        r = at.r + R @ section.offset
        mass, first = mass + section.mass, first + section.mass * r
        inertia = inertia + R @ section.inertia @ R.T - section.mass * (skew(r) @ skew(r))
    pairs = N, N
    none = Integrals(
        mass, np.zeros(3), np.zeros((3, 3)), np.zeros((3, N)), np.zeros((N, 3)),
        np.zeros((N, 3, 3)), np.zeros((*pairs, 3)), np.zeros((*pairs, 3, 3)), np.zeros(pairs),
    )  # fmt: skip
    return replace(none, first=first, inertia=inertia, alone=none, slices=slices)


def _nodes(pieces: list[Strained], stations: dict[str, float], length: float, axes) -> Nodes:
    """Named nodes of the whole beam; places on its axis, if it is straight."""
    frames = [(np.zeros(3), np.eye(3))]
    for piece in pieces:
        at, dcm = frames[-1]
        end = segment_node("end", piece, 1.0)
        frames.append((at + dcm @ end.place, dcm @ end.dcm))

    def node_at(name: str, station: float):
        i = min(int(station * len(pieces)), len(pieces) - 1)
        at, dcm = frames[i]
        local = segment_node(name, pieces[i], station * len(pieces) - i, i)
        return replace(local, place=at + dcm @ local.place, dcm=dcm @ local.dcm)

    straight = not any(np.any(piece.rest_start) or np.any(piece.rest_slope) for piece in pieces)

    def found_at(position):
        x, *across = axes.T @ position / length
        on_axis = straight and np.hypot(*across) <= BESIDE and -BESIDE <= x <= 1.0 + BESIDE
        return node_at("place", float(np.clip(x, 0.0, 1.0))) if on_axis else None

    where = f"on its axis, from the root to {length:g} m" if straight else "at its nodes, as it is curved"
    named = {name: node_at(name, station) for name, station in stations.items()}
    return Nodes(named, found_at, where, _near(pieces[0], length / len(pieces)))


def _near(piece: Strained, h: float):
    """How its coordinates move points near it (P, 3), to first order (spacefmu.dynamics.bodies.body.Nodes)."""

    def near(points):
        nodes = [segment_node("", piece, xi) for xi in np.clip(points @ piece.direction / h, 0.0, 1.0)]
        places = np.array([node.position for node in nodes]).reshape(-1, 3)
        moved = np.array([node.shape.T for node in nodes]).reshape(len(nodes), -1, 3)
        turned = np.array([node.turn.T for node in nodes]).reshape(len(nodes), -1, 3)
        return places, moved.swapaxes(0, 1), turned.swapaxes(0, 1)

    return near
