"""The text on reference frames in descriptions of variables: origin and axes, worded the same everywhere.

One convention: positions, velocities, accelerations, attitudes and angular velocities of bodies, nodes and the mass centre
are relative to the frame S of the roots, which is N, or O on an orbit, as seen from S and in its axes; angular velocities in the axes of
the rotating body. Those under `inertial` are relative to N, from the planet's centre; those under `orbital` relative
to L, the orbital frame of the craft itself. Momenta, forces of couplings and energies belong to motion relative to the origin of S in the
non-rotating axes of N: only these satisfy conservation laws.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FrameText:
    """`axes`: the frame's name; `origin`: of positions; `note`: explanation of the frame, if its name is not sufficient."""

    axes: str = "N"
    origin: str = "the origin of N"
    note: str = ""

    @property
    def place(self) -> str:
        """Of a position."""
        return f"from {self.origin}, in axes of {self.axes}{self._noted}"

    @property
    def motion(self) -> str:
        """Of a velocity or an acceleration."""
        return f"relative to {self.axes}, in axes of {self.axes}{self._noted}"

    @property
    def attitude(self) -> str:
        """Of a quaternion."""
        return f"relative to {self.axes}, scalar first{self._noted}"

    @property
    def turning(self) -> str:
        """Of an angular velocity."""
        return f"relative to {self.axes}, in its own axes{self._noted}"

    @property
    def angles(self) -> str:
        return f"relative to {self.axes}{self._noted}"

    @property
    def relative(self) -> str:
        """The text for motion relative to the origin, in non-rotating axes."""
        return "" if self.axes == "N" else f" of motion relative to {self.origin}"

    @property
    def gravity(self) -> str:
        """The text for the potential energy of gravity."""
        return "energy of gravity" if self.axes == "N" else f"differential energy of gravity, zero at {self.origin}"

    @property
    def _noted(self) -> str:
        return f" ({self.note})" if self.note else ""


INERTIAL = FrameText()
PLANETARY = FrameText("N", "the planet's centre")
FALLING = FrameText(
    "O", "the origin of O", "O: orbital frame, falls on environment.orbit; x outward, y along track, z normal"
)
FALLING_OBLATE = FrameText("O", "the origin of O", "O: orbital frame, falls on environment.orbit with J2; x outward, y along track, z normal")  # fmt: skip
FOLLOWING = FrameText("O", "the origin of O", "O: orbital frame, moves along the table environment.orbit.file; x outward, y along track, z normal")  # fmt: skip
TURNED = FrameText("O", "the origin of O", "O: its origin is on environment.orbit, its axes follow the table environment.orbit.attitude")  # fmt: skip
OWNED = FrameText("O", "the origin of O", "O: its origin falls at the input environment.orbit.position, its axes are those of N")  # fmt: skip
LOCAL = FrameText(
    "L", "the system's mass centre", "L: the craft's own orbital frame, LVLH; x outward, y along track, z normal"
)
