"""Tables of beams: the part common to both forms, and beams in segments (spacefmu.dynamics.bodies.segments)."""

from __future__ import annotations

import numpy as np

from ..bodies.beam import Beam, bending_roots, rod_roots
from ..bodies.body import checked_inertia
from ..bodies.segmented_beam import Profile, segmented_beam
from ..bodies.segments import KINDS, BeamSegment
from ..picture.geometry import axes_of
from .errors import GIVEN, Problems, show
from .tables.bodies import BodyTable
from .tables.elastic import BeamTable
from .thermal import heated_segments

OF_SEGMENTS = ("curvature", "profile", "mass_center", "tension_center")
OF_MODES = ("modes", "stiffening", "extends")


def properties(beam: BeamTable) -> Beam:
    about_y, about_z = sections_of(beam)
    return Beam(
        length=beam.length,
        line_density=beam.mass / beam.length,
        bending_y=beam.bending_y,
        bending_z=beam.bending_z,
        torsion=beam.torsion,
        axial=beam.axial,
        section_inertia=(about_y / beam.length, about_z / beam.length),
        tip_mass=beam.tip_mass,
        tip_inertia=beam.tip_inertia,
    )


def sections_of(beam: BeamTable) -> tuple[float, float]:
    """Inertia of all sections about the beam's y and z: for a round beam half the polar inertia about each."""
    return beam.section_inertia or (0.5 * (beam.polar_inertia or 0.0),) * 2


def placed_nodes(path, table, problems, fits, expected) -> dict:
    """The nodes whose place is valid for the kind of body; problems for the others."""
    for node, place in table.nodes.items():
        if not fits(place):
            problems.add(f"{path}.nodes.{node}", place, expected)
    return {node: place for node, place in table.nodes.items() if fits(place)}


def stations_of(path: str, table: BodyTable, problems: Problems) -> dict[str, float]:
    """Named nodes of a beam, by x/L."""
    return placed_nodes(
        path,
        table,
        problems,
        lambda place: isinstance(place, float) and 0.0 <= place <= 1.0,
        "x/L on a beam, a number from 0 to 1",
    )


def check_section(path: str, beam: BeamTable, twist: str, problems: Problems) -> None:
    """Checks a beam's section, tip and axes; twist: the name of its torsion, "" for one that does not twist."""
    if beam.polar_inertia is not None and beam.section_inertia is not None:
        problems.add(f"{path}.beam.polar_inertia", beam.polar_inertia, "nothing with section_inertia; give one of them")
    if twist and not sum(sections_of(beam)) > 0.0:
        problems.add(f"{path}.beam.polar_inertia", sum(sections_of(beam)), f"a positive inertia for {twist}")
    try:
        checked_inertia(np.diag(beam.tip_inertia))
    except ValueError as error:
        problems.found.append(f"{path}.beam.tip_inertia is {show(list(beam.tip_inertia))}, {error}")
    if beam.second_axis is not None and np.linalg.norm(np.cross(beam.axis, beam.second_axis)) < 1e-6:
        problems.add(f"{path}.beam.second_axis", beam.second_axis, f"another direction than axis = {beam.axis}")


def in_segments(path: str, name: str, table: BodyTable, problems: Problems) -> BeamSegment | None:
    """A beam in segments; the damping ratio applies to the first mode of each kind."""
    beam, before = table.beam, len(problems.found)
    assert beam is not None  # which is why this way was taken
    assert beam.segments is not None
    for key in OF_MODES:
        if key in beam.model_fields_set:
            problems.add(f"{path}.beam.{key}", getattr(beam, key), "nothing with segments; give one of them")  # fmt: skip
    if table.shape is not None:
        problems.add(f"{path}.shape", GIVEN, "nothing: a beam with segments is drawn by its section")
    kinds = [kind for kind in KINDS if getattr(beam, kind) > 0.0]
    if not kinds:
        problems.add(f"{path}.beam.segments", beam.segments, f"at least one positive stiffness ({', '.join(KINDS)}); a beam without any is a rigid body")  # fmt: skip
    check_section(path, beam, "torsion" if "torsion" in kinds else "", problems)
    if any(beam.tension_center) and "axial" not in kinds:
        problems.add(f"{path}.beam.tension_center", list(beam.tension_center), "nothing on a beam without axial stiffness")  # fmt: skip
    profile = _profile(f"{path}.beam", beam, problems)
    ratio = 0.0 if table.damping is None else table.damping[0]
    if table.damping is not None and len(table.damping) != 1:
        problems.add(f"{path}.damping", table.damping, "one damping ratio, of the first mode of each kind")
    stations = stations_of(path, table, problems)
    heated = heated_segments(path, beam, kinds, table.thermal, problems)
    if len(problems.found) > before:
        return None
    made = properties(beam)
    times = {kind: 2.0 * ratio / _first_frequency(made, kind) for kind in kinds}
    axes = axes_of(beam.axis, beam.second_axis)
    return segmented_beam(name, made, beam.segments, times, stations, axes, profile, heated)


def _first_frequency(beam: Beam, kind: str) -> float:
    """[rad/s] of a uniform straight beam with these properties, clamped at its root."""
    mass = beam.line_density * beam.length
    if kind.startswith("bending"):
        about = 2 if kind == "bending_y" else 1
        (root,) = bending_roots(1, beam.tip_mass / mass, beam.tip_inertia[about] / (mass * beam.length**2))
        return float(root**2 * np.sqrt(getattr(beam, kind) / (beam.line_density * beam.length**4)))
    inertia, tip = (
        (beam.polar_inertia, beam.tip_inertia[0]) if kind == "torsion" else (beam.line_density, beam.tip_mass)
    )
    (root,) = rod_roots(1, tip / (inertia * beam.length))
    return float(root * np.sqrt(getattr(beam, kind) / inertia) / beam.length)


def _profile(path: str, beam: BeamTable, problems: Problems) -> Profile:
    constant = ((0.0, 1.0), (beam.curvature, beam.curvature))
    centers = {"mass_center": beam.mass_center, "tension_center": beam.tension_center}
    given = beam.profile
    if given is None:
        return Profile({}, constant, **centers)
    x = given.x
    if len(x) < 2 or x[0] != 0.0 or x[-1] != 1.0 or np.any(np.diff(x) <= 0.0):
        problems.add(f"{path}.profile.x", x, "stations x/L that rise from 0 to 1")
    columns = {key: getattr(given, key) for key in ("mass", *KINDS, "curvature") if getattr(given, key) is not None}
    for key, values in columns.items():
        if len(values) != len(x):
            problems.add(f"{path}.profile.{key}", values, f"{len(x)} values, one per station of x")
        if key in KINDS and not getattr(beam, key) > 0.0:
            problems.add(f"{path}.profile.{key}", values, f"nothing: {path}.{key} is zero")
    if "curvature" in columns and "curvature" in beam.model_fields_set:
        problems.add(f"{path}.curvature", list(beam.curvature), "nothing with profile.curvature")
    bent = columns.pop("curvature", None)
    factors = {key: (tuple(x), tuple(values)) for key, values in columns.items()}
    return Profile(factors, constant if bent is None else (tuple(x), tuple(bent)), **centers)
