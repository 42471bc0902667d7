"""Outputs for thermal models of a flexible body's sections: their positions, and the light on them as the body is deformed.

A section's axes are those of the body's beam or plate (x along it), turned with the local slope: a bent boom turns its sections toward the Sun or away from it:
bending feeds back on heating (Thornton, Kim, J. Spacecraft Rockets 30 (1993) 438).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import E3
from ..algebra.scalar import maximum
from ..bodies.segments import SegmentNode
from ..bodies.thermal import Thermal
from ..system.pieces import Piece
from ..system.signals import Quantity
from ..tree.bent import bent
from ..tree.kinematics import place_on
from .frames import Scene
from .planet import RADIUS
from .planet_light import PlanetLight, view_of_sphere
from .sun import Sun

AXES = {"x": E3[0], "y": E3[1], "z": E3[2]}


@dataclass(frozen=True)
class SectionLight(Piece):
    """Outputs NAME.section.QUANTITY[i]; those of a face along an axis end with it, and have two columns for the faces at + and −."""

    body: int
    name: str
    words = ("section",)
    terminal = "thermal_sections"
    terminal_name = "{self.name}.section"
    port: Thermal
    sun: Sun
    planet: PlanetLight | None

    def outputs(self) -> list[Quantity]:
        n, of = len(self.port.sections), f"section {{i}} of {self.name}"
        vectors, scalars, faces = np.zeros((n, 3)), np.zeros(n), np.zeros((n, 2))

        def row(name, text, unit, start):
            return Quantity(f"{self.name}.section.{name}", text, unit, start)

        rows = [
            row(
                "position",
                f"place of the middle of {of} from {self.name}'s frame, deformed, in axes of {self.name}",
                "m",
                vectors,
            ),
            row("rotation", f"elastic rotation vector of {of} (its slopes), in axes of {self.name}", "rad", vectors),
            row("sun_direction", f"unit vector to the Sun, in axes of {of}, deformed", "1", vectors),
            row("sunlit", f"{of}: {self.sun.lit_text}", "1", scalars),
            row("sunlight", f"flux of sunlight as a vector toward the Sun, in axes of {of}", "W/m2", vectors),
        ]
        for axis in self.port.faces:
            text = f"cosine of the Sun's incidence on the +{axis} face of {of}; negative: on the other face"
            rows.append(row(f"incidence_{axis}", text, "1", scalars))
            rows.append(
                row(f"solar_flux_{axis}", f"sunlight on the faces at +{axis} and -{axis} of {of}", "W/m2", faces)
            )
        if self.planet is None:
            return rows
        rows += [
            row("planet_direction", f"unit vector to the planet's centre, in axes of {of}", "1", vectors),
            row("planet_sine", f"sine of the planet's angular radius, seen from {of}", "1", scalars),
            row("planet_albedo", f"sunlight scattered by the planet below {of}, at its surface", "W/m2", scalars),
            row("planet_infrared", f"infrared radiation of the planet below {of}, at its surface", "W/m2", scalars),
        ]
        for axis in self.port.faces:
            text = f"view factor to the planet from the faces at +{axis} and -{axis} of {of}"
            rows.append(row(f"planet_view_{axis}", text, "1", faces))
        return rows

    def values(self, instant) -> np.ndarray:
        moment = instant.moment
        found = [self._seen(node, moment) for node in self.port.sections]
        return np.concatenate([np.ravel(rows) for rows in zip(*found, strict=True)])

    def _seen(self, node, moment) -> list:
        """The values of one section, in the order of the outputs."""
        scene: Scene = moment.scene
        k, number = moment.k, self.body + node.link
        place = place_on(moment.bodies[number], node, turned=self.port.axes)
        R = scene.position_N + place.position_N
        toward, lit, flux = place.dcm_NP.T @ scene.sun_N, self.sun.lit(R, scene, k), self.sun.flux(k)
        values = [*self._moved(node, place, moment), toward, lit, flux * lit * toward]
        for axis in self.port.faces:
            cosine = AXES[axis] @ toward
            values += [cosine, flux * lit * _on_both_faces(cosine)]
        if self.planet is None:
            return values
        r = np.sqrt(R @ R)
        down, sine = place.dcm_NP.T @ (-R / r), k[RADIUS] / r
        values += [down, sine, self.planet.scattered(R, scene.sun_N, flux, k), k[self.planet.infrared]]
        for axis in self.port.faces:
            cosine = AXES[axis] @ down
            values.append(np.array([view_of_sphere(cosine, sine), view_of_sphere(-cosine, sine)]))
        return values

    def _moved(self, node, place, moment) -> list:
        """Place (3,) of a section from the body's frame, and its elastic rotation vector (3,)."""
        if isinstance(node, SegmentNode):
            displacement, rotation = bent(moment, self.body, self.body + node.link, node, place)
            return [node.place + displacement, rotation]
        eta = moment.bodies[self.body].eta
        return [node.position + node.displacement(eta), node.turn @ eta]


def _on_both_faces(cosine):
    """Of light from `cosine` to a normal: what falls on the face, and on the one behind it (2,)."""
    return np.array([maximum(cosine, 0.0), maximum(-cosine, 0.0)])
