"""Tables `thermal` of bodies → data for their makers, and the port of bodies with given modes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ..bodies.body import FlexibleBody
from ..bodies.heated import Heated
from ..bodies.thermal import Difference, Mean, Thermal
from .errors import Problems
from .tables.bodies import BodyTable, ThermalTable
from .tables.elastic import BeamTable

OF_GIVEN_MODES = ("loads", "mean_loads", "places")
OF_ANALYTICAL = ("expansion", "thickness", "sections", "static_shapes", "static_damping")


def heated_beam(path: str, kinds: Collection[str], given: ThermalTable | None, problems: Problems) -> Heated | None:
    """Of a beam with modes, or segments, of these kinds: a single thickness applies to every plane of bending."""
    if given is None:
        return None
    bends = [kind.removeprefix("bending_") for kind in kinds if kind.startswith("bending_")]
    thickness = given.thickness if isinstance(given.thickness, dict) else dict.fromkeys(bends, given.thickness)
    for axis, size in thickness.items():
        if axis not in bends:
            problems.add(
                f"{path}.thermal.thickness.{axis}",
                size,
                f"a beam that bends in bending_{axis}",
            )
    if not thickness and "axial" not in kinds:
        problems.add(f"{path}.thermal", list(kinds), "bending or axial modes, which temperatures could load")
    if not isinstance(given.sections, int):
        problems.add(f"{path}.thermal.sections", given.sections, "one number: a beam has sections along it")
    return _heated(path, given, thickness, problems, bool(bends))


def heated_segments(path: str, beam: BeamTable, kinds, given: ThermalTable | None, problems: Problems) -> Heated | None:
    """Of a beam in segments: sections of a whole number of segments, without static shapes."""
    if given is None:
        return None
    for key in ("static_shapes", "static_damping"):
        if key in given.model_fields_set:
            problems.add(f"{path}.thermal.{key}", getattr(given, key), "nothing with segments, whose strains are exact")
    if isinstance(given.sections, int) and beam.segments and beam.segments % given.sections:
        problems.add(f"{path}.thermal.sections", given.sections, f"a divisor of segments = {beam.segments}")
    return heated_beam(path, kinds, given, problems)


def heated_plate(path: str, given: ThermalTable | None, problems: Problems) -> Heated | None:
    """Of a plate: between its faces at +z and −z."""
    if given is None:
        return None
    if isinstance(given.thickness, dict):
        problems.add(f"{path}.thermal.thickness", given.thickness, "one number: a plate has one thickness")
    return _heated(path, given, {"z": given.thickness}, problems, True)


def _heated(path, given: ThermalTable, thickness, problems: Problems, bends: bool) -> Heated | None:
    before = len(problems.found)
    for key in OF_GIVEN_MODES:
        if key in given.model_fields_set:
            problems.add(
                f"{path}.thermal.{key}", getattr(given, key), "nothing: it belongs to a body whose modes are given"
            )
    for key in ("expansion", "thickness") if bends else ("expansion",):
        if getattr(given, key) is None:
            problems.found.append(f"{path}.thermal.{key} is missing")
    if given.expansion is None or len(problems.found) > before:
        return None
    sections = (given.sections, 1) if isinstance(given.sections, int) else given.sections
    return Heated(given.expansion, thickness, sections, given.static_shapes, given.reference_temperature)


def with_static_damping(body: FlexibleBody, damping, table: BodyTable) -> FlexibleBody:
    """The body with damping ratios of its modes; static shapes behind them have their own."""
    static = table.thermal.static_damping if table.thermal is not None else 0.0
    return replace(body, damping_ratios=np.append(damping, np.full(body.modes - len(damping), static)))


def with_given_loads(path: str, body: FlexibleBody, table: BodyTable, problems: Problems) -> FlexibleBody:
    """A body with given modes, and the port of its given modal loads; unchanged without a table `thermal`."""
    given, before = table.thermal, len(problems.found)
    if given is None:
        return body
    _check_loads(path, body, given, problems)
    if len(problems.found) > before:
        return body
    loads: list = [Difference(body.name, axis, _amplitudes(body, F)) for axis, F in given.loads.items()]
    if given.mean_loads is not None:
        loads.append(Mean(body.name, _amplitudes(body, given.mean_loads), None, given.reference_temperature))
    places = tuple(body.nodes[place] for place in given.places)
    return replace(body, thermal=Thermal(body.name, tuple(loads), places, np.eye(3)))


def _check_loads(path: str, body: FlexibleBody, given: ThermalTable, problems: Problems) -> None:
    """Problems of given modal loads: their numbers of sections and modes, and the places of the sections."""
    for key in OF_ANALYTICAL:
        if key in given.model_fields_set:
            problems.add(
                f"{path}.thermal.{key}",
                getattr(given, key),
                "nothing: a body with given modes has loads, one row per section",
            )
    rows = {f"loads.{axis}": F for axis, F in given.loads.items()}
    rows |= {} if given.mean_loads is None else {"mean_loads": given.mean_loads}
    if not rows:
        problems.found.append(f"{path}.thermal.loads is missing: what 1 K does to each mode, one row per section")
    sections = len(given.places) or (len(next(iter(rows.values()))) if rows else 0)
    for key, F in rows.items():
        if len(F) != sections or any(len(row) != body.modes for row in F):
            problems.add(
                f"{path}.thermal.{key}", F, f"{sections} rows, one per section, of {body.modes} numbers, one per mode"
            )
    for place in given.places:
        if place not in body.nodes:
            problems.unknown(f"{path}.thermal.places", place, body.nodes, "node")


def _amplitudes(body: FlexibleBody, rows) -> np.ndarray:
    """η_T (N, S) per kelvin = K⁻¹F, with K as it was given."""
    F = np.array(rows, float).T
    if body.stiffness_matrix is not None:
        return np.linalg.solve(body.stiffness_matrix, F)
    return F / (np.diag(body.integrals_at_build.modal_mass) * (2.0 * np.pi * body.frequencies) ** 2)[:, None]
