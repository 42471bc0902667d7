"""Tables of beams that extend → bodies (spacefmu.dynamics.bodies.extending)."""

from __future__ import annotations

from ..bodies.extending import Extending
from ..bodies.extending_beam import KINDS, MODES, extending_beam
from ..environment import Environment
from ..joints.extension import extension
from .beams import properties
from .errors import GIVEN, Problems
from .tables.bodies import BodyTable


def refuse_beside_extends(path: str, table: BodyTable, problems: Problems) -> None:
    """Problems for all that a beam of constant length has and this has not."""
    beam = table.beam
    assert beam is not None  # which is why this way was taken
    for kind in (kind for kind in beam.modes if kind not in KINDS):
        problems.add(
            f"{path}.beam.modes.{kind}",
            beam.modes[kind],
            f"nothing: a beam that extends has modes of {' and '.join(KINDS)}",
        )
    if sum(beam.modes.values()) > MODES:
        problems.add(f"{path}.beam.modes", dict(beam.modes), f"at most {MODES} modes of a beam that extends")
    if beam.tip_mass or any(beam.tip_inertia):
        problems.add(
            f"{path}.beam.tip_mass",
            beam.tip_mass,
            "nothing: put a body on a fixed joint at the tip of a beam that extends",
        )
    if not beam.stiffening:
        problems.add(f"{path}.beam.stiffening", False, "true for a beam that extends")
    for key in ("thermal", "shape"):
        if getattr(table, key) is not None:
            problems.add(f"{path}.{key}", GIVEN, "nothing on a beam that extends")
    for node, place in table.nodes.items():
        if place != 1.0:
            problems.add(
                f"{path}.nodes.{node}", place, "1.0, the tip: other places of a beam that extends are stowed at times"
            )


def extending(path: str, name: str, table: BodyTable, damping, axes, problems: Problems) -> Extending | None:
    from .resolver import Entry  # which finds bodies, and so imports this

    beam, before = table.beam, len(problems.found)
    assert beam is not None
    names = Entry(f"{path}.beam.extends", beam.extends, problems, None, environment=Environment())  # type: ignore[arg-type]  # it stands in no place
    made = extension(name, beam.extends, beam.length, names)
    if len(problems.found) > before:
        return None
    modes = {str(kind): count for kind, count in beam.modes.items()}
    return extending_beam(
        name, properties(beam), modes, damping, axes, table.nodes, made.axis, made.start, made.drum_mass
    )
