"""The picture of several units, in the frame S of the first: everything is named unit.name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate

import numpy as np

from ..picture.picture import Picture, PicturedBody, Placed
from ..system.signals import SignalTable
from .table import named

NEAR = 1e-6  # [m] between the origins of frames that count as one


def together(pictures: Mapping[str, Picture]) -> Picture:
    """Several pictures as one. Their frames share the axes of N, and the planet's centre, or none of them has a planet.

    The coordinates are those of all units, one after the other.
    """
    first = next(iter(pictures.values()))
    for unit, own in pictures.items():
        if bool(own.planet) != bool(first.planet):
            raise ValueError(f"{unit}: one of {', '.join(pictures)} has a planet and another does not; units that are drawn together need the same space")  # fmt: skip
    groups: dict[str, list] = {
        group: [named(unit, each) for unit, own in pictures.items() for each in own.coordinates.quantities(group)]
        for group in SignalTable.GROUPS
    }
    bodies: list[PicturedBody] = []
    lines, jets, shapes = [], [], []
    for unit, own in pictures.items():
        before = len(bodies)
        for body in own.bodies:
            spin = body.spin and (*body.spin[:2], f"{unit}.{body.spin[2]}")
            parent = body.parent + before if body.parent >= 0 else body.parent
            vessel = body.vessel and replace(
                body.vessel,
                fill=f"{unit}.{body.vessel.fill}",
                propellant=f"{unit}.{body.vessel.propellant}",
                capacity=f"{unit}.{body.vessel.capacity}",
            )
            bodies.append(replace(body, name=f"{unit}.{body.name}", parent=parent, spin=spin, vessel=vessel))
        for line in own.lines:
            lines.append(replace(line, **{key: f"{unit}.{name}" for key, name in vars(line).items() if name and key != "sort"}))  # fmt: skip
        jets += [replace(jet, name=f"{unit}.{jet.name}", body=jet.body + before, force=f"{unit}.{jet.force}") for jet in own.jets]  # fmt: skip
        shapes += [replace(shape, body=f"{unit}.{shape.body}") for shape in own.shapes]
    ends = {
        group: list(accumulate(len(getattr(own.coordinates, group)) for own in pictures.values()))[:-1]
        for group in ("states", "inputs", "parameters")
    }

    def place(t, x, u, p) -> Placed:
        arrays = zip(*(np.split(np.asarray(values), ends[group]) for group, values in zip(ends, (x, u, p), strict=True)), strict=True)  # fmt: skip
        return _gathered(
            {unit: own.place(t, *each) for (unit, own), each in zip(pictures.items(), arrays, strict=True)}
        )

    return Picture(
        bodies=tuple(bodies),
        lines=tuple(lines),
        jets=tuple(jets),
        coordinates=SignalTable(**groups),
        place=place,
        moved_by=tuple(f"{unit}.{name}" for unit, own in pictures.items() for name in own.moved_by),
        planet=first.planet,
        shapes=tuple(shapes),
    )


def _gathered(placed: dict[str, Placed]) -> Placed:
    """All places, in the first one's frame: r_S = R_SN (R_NS′ r_S′ + o′ − o), o: origins of the frames."""
    units = list(placed.values())
    first = units[0]

    def apart(own: Placed):
        return np.zeros(3) if own.origin is None or first.origin is None else own.origin - first.origin

    def moved(own: Placed, points):
        return (points @ own.dcm_NS.T + apart(own)) @ first.dcm_NS

    def same(own: Placed) -> bool:
        if own.positions.dtype == object:  # unknown for symbols
            return own is first
        return np.allclose(apart(own), 0.0, atol=NEAR) and np.allclose(own.dcm_NS, first.dcm_NS, atol=1e-9)

    return replace(
        first,
        positions=np.concatenate([moved(own, own.positions) for own in units]),
        dcms=np.concatenate([first.dcm_NS.T @ own.dcm_NS @ own.dcms for own in units]),
        amplitudes=tuple(each for own in units for each in own.amplitudes),
        ends=np.concatenate([moved(own, own.ends) for own in units]),
        nozzles=np.concatenate([moved(own, own.nozzles) for own in units]),
        sun=next((first.dcm_NS.T @ own.dcm_NS @ own.sun for own in units if own.sun is not None), None),
        elsewhere=tuple(f"{unit}." for unit, own in placed.items() if not same(own)),
    )
