"""Units of a file: finite-element programs have none, so the user states them."""

from __future__ import annotations

from dataclasses import dataclass

INCH, POUND_FORCE = 0.0254, 4.4482216152605


@dataclass(frozen=True)
class Units:
    """The file's units in SI: length [m], mass [kg], time [s]; angles are in rad everywhere."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def stiffness(self) -> float:
        """Of force per length, [kg/s²]."""
        return self.mass / self.time**2

    @property
    def damping(self) -> float:
        """Of force per velocity, [kg/s]."""
        return self.mass / self.time

    @property
    def inertia(self) -> float:
        return self.mass * self.length**2


# Consistent sets: force = mass × length / time². The name says length, mass (or the force it follows from), time.
SETS = {
    "SI": Units(),
    "m-kg-s": Units(),
    "mm-t-s": Units(1e-3, 1e3),  # N, MPa
    "mm-kg-s": Units(1e-3, 1.0),  # mN, kPa
    "in-lbf-s": Units(INCH, POUND_FORCE / INCH),  # mass in lbf s²/in
    "ft-lbf-s": Units(12 * INCH, POUND_FORCE / (12 * INCH)),  # mass in slugs
}
