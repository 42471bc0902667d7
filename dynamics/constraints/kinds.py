"""The couplings as tables of primitive rows.

E are the coupling's axes on a, F those on b, columns x, y, z in N; z is the coupling's own axis.

    slides   letters: the place of b does not move along these axes of E
    squares  pairs of letters (e, f): axis e of E stays square to axis f of F
    spins    letters: no relative angular velocity about these axes of E
    rolls    letters: no slip along these axes of E at the contact, `radius` below the place of b along z
    edge     the contact is the lowest point of the edge of a disc about F's z instead; along z it is held by position
    apart    the distance of the places is held
    held     whether slides are conditions on positions, or on velocities alone
    sliding  "a" or "b": which end carries the axes of the slides

[stroe] 2.2.2 fixed, 2.2.3 spherical, 2.2.4 translational, 2.2.5 distance; 2.3 the conditions by velocities.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """Rows of one kind of coupling; `takes` lists what its description has to give."""

    slides: str = ""
    squares: tuple[str, ...] = ()
    spins: str = ""
    rolls: str = ""
    edge: bool = False
    apart: bool = False
    held: bool = True
    sliding: str = "a"
    takes: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return len(self.slides) + len(self.squares) + len(self.spins) + len(self.rolls) + self.apart


ALIGNED = ("xy", "xz", "yz")
COAXIAL = ("xz", "yz")

KINDS = {
    # conditions on positions
    "fixed": Kind("xyz", ALIGNED),
    "spherical": Kind("xyz"),
    "revolute": Kind("xyz", COAXIAL),
    "universal": Kind("xyz", ("zz",), takes=("axis_b",)),
    "prismatic": Kind("xy", ALIGNED),
    "cylindrical": Kind("xy", COAXIAL),
    "planar": Kind("z", COAXIAL),
    "translational": Kind("", ALIGNED),
    "point_on_line": Kind("xy"),
    "point_in_plane": Kind("z"),
    "distance": Kind(apart=True, takes=("length",)),
    # conditions on velocities
    "translation_along_two": Kind("z", held=False),
    "translation_along_one": Kind("xy", held=False),
    "no_translation": Kind("xyz", held=False),
    "rotation_about_two": Kind(spins="z"),
    "rotation_about_one": Kind(spins="xy"),
    "no_rotation": Kind(spins="xyz"),
    "knife_edge": Kind("z", held=False, sliding="b"),
    "rolling_ball": Kind("z", rolls="xy", takes=("radius",)),
    "rolling_disc": Kind(rolls="xyz", edge=True, takes=("radius", "axis_b")),
}
