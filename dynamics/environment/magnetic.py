"""A magnetic dipole on a body in the planet's dipole field: torque m × B.

    B = B_s (a/R)³ [3 (d·e) e − d]     with B_s the field at the magnetic equator, a the planet's radius, e = R/R,
                                       d the planet's dipole axis (unit), which turns with it about N's z axis.

For the Earth d points to 9.4° from the south pole. Proved by tests/environment/test_surfaces.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import maximum, minimum
from ..bodies.body import Node
from ..loads.wrench import Load
from ..system.keys import Declaration, Key, Resolver
from ..system.pieces import Declared, Piece, input_, output, parameter
from ..system.signals import SMALLEST, Parameter
from ..tree.kinematics import Place
from .frames import Scene
from .planet import FIELD_EARTH, RADIUS, SPIN_EARTH, TILT_EARTH
from .surrounding import Around, Surrounding


@dataclass(frozen=True)
class DipoleField(Around):
    """environment.magnetic.*: strength [T], angle of d from −z [rad], its right ascension at time 0, spin [rad/s]."""

    name = "environment.magnetic"
    strength: Declared[Parameter] = parameter("field at the planet's magnetic equator", "T")
    tilt: Declared[Parameter] = parameter("angle between the dipole axis and the planet's south pole", "rad")
    longitude: Declared[Parameter] = parameter("right ascension of the dipole's southern pole at time 0", "rad")
    spin: Declared[Parameter] = parameter("rate at which it turns with the planet", "rad/s")

    def at(self, t, R, k):
        """B (3,) [T] in N at R (3,) [m] from the planet's centre."""
        tilt = k[self.tilt]
        turned = k[self.longitude] + k[self.spin] * t
        d = np.array([np.sin(tilt) * np.cos(turned), np.sin(tilt) * np.sin(turned), -np.cos(tilt)])
        r = np.sqrt(R @ R)
        e = R / r
        ratio = k[RADIUS] / r
        return k[self.strength] * ratio * ratio * ratio * (3.0 * (d @ e) * e - d)

    def shown(self, body, name):
        return (FieldAt(body, name, self),)


@dataclass(frozen=True)
class FieldAt(Piece):
    """The field at a body's frame, in its axes."""

    body: int
    name: str
    field: DipoleField

    magnetic_field = output("the planet's magnetic field at {self.name}'s frame, in axes of {self.name}", "T", (0.0, 0.0, 0.0))  # fmt: skip

    def values(self, instant):
        body, scene = instant.moment.bodies[self.body], instant.moment.scene
        R = scene.position_N + body.position_N
        return body.dcm_NB.T @ self.field.at(scene.time, R, instant.moment.k)


MAGNETIC = Surrounding("The planet's dipole field: strength at the magnetic equator [T], tilt, right ascension of its southern pole at time 0.", {
    "strength": Key("number", "at the magnetic equator, on the planet's radius [T]", FIELD_EARTH),
    "tilt": Key("angle", "of the dipole from the south pole", TILT_EARTH),
    "longitude": Key("angle", "right ascension at time 0 of the pole in the southern hemisphere, where field lines leave the planet", 0.0),
    "spin": Key("number", "of the planet [rad/s]", SPIN_EARTH),
}, lambda table, names: DipoleField(table.strength, table.tilt, table.longitude, table.spin), "the planet's field", outputs=(FieldAt,))  # fmt: skip


@dataclass(frozen=True)
class Dipole(Load):
    """A residual dipole (parameter) plus a commanded one (input) at a body's frame [A m²], in its axes."""

    name: str
    body: int
    node: Node
    residual: Declared[Parameter] = parameter("constant part of {self.name}, in axes of its body", "A.m2", np.zeros(3))
    field: DipoleField | None = None
    limit: Declared[Parameter] = parameter("largest commanded part of {self.name} along each axis: what its coils saturate at", "A.m2", None, min=SMALLEST)  # fmt: skip

    of_surroundings = True

    command = input_("commanded part of {self.name}, in axes of its body", "A.m2", np.zeros(3))

    def wrench(self, u, k, place: Place, scene: Scene):
        assert self.field is not None  # a description without a field is refused
        B = place.dcm_NP.T @ self.field.at(scene.time, scene.position_N + place.position_N, k)
        return np.zeros(3), cross(self._given(u, k) + k[self.residual], B)

    def _given(self, u, k):
        command = u[self.command]
        return command if self.limit is None else maximum(minimum(command, k[self.limit]), -k[self.limit])


def make_dipole(table: Any, names: Resolver) -> Dipole | None:
    field, found = names.environment.medium(DipoleField), names.node("body")
    if field is None:
        names.does_nothing("a table environment.magnetic")
    return found and Dipole(names.signal, *found, table.residual, field, table.limit)


DIPOLE = Declaration("A magnetic dipole on a body: a constant residual one plus the input dipole.<name>.command [A m²].", {
    "body": Key("place", "a body, or one of its nodes"),
    "residual": Key("vector", "constant part, in body axes [A m²]", (0.0, 0.0, 0.0)),
    "limit": Key("positive", "largest commanded part along each axis: what coils saturate at [A m²]; default none", None),
}, make_dipole)  # fmt: skip
