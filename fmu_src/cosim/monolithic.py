"""A system of FMUs as one System: connections become equations, so there is no master and no coupling error."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import fmpy
from fmpy.model_description import ModelDescription

from spacefmu.dynamics.fuse import Fused, Part, Wire, fuse
from spacefmu.dynamics.system.contract import System

from ..archive.description import convert, variables_of
from ..interface.description import model_description
from ..interface.variables import variables_of as variables_to_be
from ..native.trace.sparsity import dependencies
from ..results.names import resolve
from .coupling import connected, with_own_seeds
from .system import CoupledSystem


def monolithic(system: CoupledSystem, systems: Mapping[str, System]) -> System:
    """The one System of a coupled system's units. DescriptionError lists what is wrong with the connections, as for a master."""
    descriptions = {unit: _description(own) for unit, own in systems.items()}
    system = with_own_seeds(system, descriptions.__getitem__)
    wires = [Wire(w.output, w.input, w.factor) for w in connected(system, descriptions)]
    starts = {unit: _starts(descriptions[unit], table.start) for unit, table in system.units.items()}
    parts = [Part(unit, own.made_by, starts[unit]) for unit, own in systems.items()]
    tolerance = min(own.about.experiment["tolerance"] for own in systems.values())
    experiment = {"stop": system.stop, "step": system.step, "tolerance": tolerance}
    fused = Fused(system.name, tuple(parts), tuple(wires), experiment, system.description, system.documentation)
    return fuse(fused, systems)


def _starts(description: ModelDescription, given: Mapping[str, object]) -> dict[str, float]:
    variables = variables_of(description)
    return {
        name: float(convert(variables[name], value)) for key, value in given.items() for name in resolve(key, variables)
    }


def _description(system: System) -> ModelDescription:
    """The model description of the FMU that would be built from a System."""
    text = model_description(system, variables_to_be(system), "{}", dependencies(system))
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as folder:
        path = Path(folder, "modelDescription.xml")
        path.write_text(text, "utf-8")
        return fmpy.read_model_description(str(path), validate=False)
