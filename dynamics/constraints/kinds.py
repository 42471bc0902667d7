"""The couplings as tables of primitive rows.

E are the coupling's axes on a, F those on b, columns x, y, z in N; z is the coupling's own axis.

    slides   letters: the place of b does not move along these axes of E
    squares  pairs of letters (e, f): axis e of E stays perpendicular to axis f of F
    spins    letters: no relative angular velocity about these axes of E
    rolls    letters: no slip along these axes of E at the contact, `radius` below the place of b along z
    edge     the contact is the lowest point of the edge of a disc about F's z instead; along z it is held by position
    apart    the distance of the places is held
    held     whether slides are conditions on positions, or only on velocities
    sliding  "a" or "b": which end carries the axes of the slides

[stroe] 2.2.2 fixed, 2.2.3 spherical, 2.2.4 translational, 2.2.5 distance; 2.3 the conditions by velocities.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CouplingKind:
    """Rows of one kind of coupling; the keys of its description follow from them (table.py)."""

    slides: str = ""
    squares: tuple[str, ...] = ()
    spins: str = ""
    rolls: str = ""
    edge: bool = False
    apart: bool = False
    held: bool = True
    sliding: str = "a"
    text: str = ""

    @property
    def rows(self) -> int:
        return len(self.slides) + len(self.squares) + len(self.spins) + len(self.rolls) + self.apart


ALIGNED = ("xy", "xz", "yz")
COAXIAL = ("xz", "yz")

KINDS = {
    # conditions on positions
    "fixed": CouplingKind("xyz", ALIGNED, text="nothing moves"),
    "spherical": CouplingKind("xyz", text="the places coincide"),
    "revolute": CouplingKind("xyz", COAXIAL, text="turns about the axis"),
    "universal": CouplingKind(
        "xyz", ("zz",), text="the places coincide, and the axis on a stays perpendicular to that on b"
    ),
    "prismatic": CouplingKind("xy", ALIGNED, text="slides along the axis"),
    "cylindrical": CouplingKind("xy", COAXIAL, text="slides along the axis and turns about it"),
    "planar": CouplingKind("z", COAXIAL, text="slides in the plane perpendicular to the axis and turns about it"),
    "translational": CouplingKind("", ALIGNED, text="no relative rotation"),
    "point_on_line": CouplingKind("xy", text="the place of b stays on the line along the axis"),
    "point_in_plane": CouplingKind("z", text="the place of b stays in the plane perpendicular to the axis"),
    "distance": CouplingKind(apart=True, text="the places keep their distance"),
    # conditions on velocities
    "translation_along_two": CouplingKind("z", held=False, text="no velocity along the axis"),
    "translation_along_one": CouplingKind("xy", held=False, text="only velocity along the axis"),
    "no_translation": CouplingKind("xyz", held=False, text="no relative velocity of the places"),
    "rotation_about_two": CouplingKind(spins="z", text="no relative rotation rate about the axis"),
    "rotation_about_one": CouplingKind(spins="xy", text="only relative rotation rate about the axis"),
    "no_rotation": CouplingKind(spins="xyz", text="no relative rotation rate"),
    "knife_edge": CouplingKind("z", held=False, sliding="b", text="no velocity along the axis on b"),
    "rolling_ball": CouplingKind("z", rolls="xy", text="a ball on b rolls on the plane perpendicular to the axis"),
    "rolling_disc": CouplingKind(
        rolls="xyz", edge=True, text="a disc on b rolls on the plane perpendicular to the axis"
    ),
}
