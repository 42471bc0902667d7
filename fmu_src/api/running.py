"""One model: simulated, linearized."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacefmu.dynamics import description
from spacefmu.dynamics.system.contract import System

from .. import cosim
from ..archive.members import described_by
from ..cosim.fmu import SimulationError
from ..results import Result
from ..results.names import UnknownName, array_name
from ..results.origin import origin_of, unit_origin
from .models import Source, build, load
from .renamed import renamed

if TYPE_CHECKING:  # a finished FMU is simulated without any of these
    from fmpy.model_description import ScalarVariable

    from spacefmu.dynamics.linearize.linear import Linear

    from ..linearize import Family


@renamed(progress="on_progress", report="on_message")
def simulate(
    source: Source,
    stop: float | None = None,
    step: float | None = None,
    start_values: Mapping[str, object] | None = None,
    inputs: Result | None = None,
    record: Sequence[str] | None = None,
    on_progress: Callable[[float], object] | None = None,
    on_message: Callable[[str], None] | None = None,
) -> Result:
    """Simulate an FMU (any .fmu file), or a System or description, whose FMU is then built for the occasion.

    stop, step [s]: default those of the FMU's experiment. start_values: parameters and start values by name.
    inputs: a table over time whose columns are inputs (see read_table). record: variables to keep, default all outputs.
    on_progress: called with the fraction done; if it answers False, the run ends there. on_message: called with a few words
    as each part of the build begins. Names and values that the FMU would not take are refused before it is built.
    An FMU that fails ends the run with a SimulationError whose `so_far` has the results until then.
    """
    run: dict[str, Any] = {
        "stop": stop,
        "step": step,
        "start_values": start_values or {},
        "inputs": inputs,
        "record": record,
    }
    try:
        return _simulate(source, run, on_progress, on_message)
    except UnknownName as error:
        key = array_name(error.name).rpartition(".")[2]
        if error.name not in run["start_values"] or key not in description.description_keys():
            raise
        raise UnknownName(
            f"{error.name!r} can't be set: {key!r} belongs to the description and is not a parameter of the FMU; "
            "change it in the description and build again"
        ) from error


def _simulate(source: Source, run: dict, on_progress, on_message) -> Result:
    if not isinstance(source, System) and Path(source).suffix == ".fmu":
        with origin({"": source}, {"": run["start_values"]}) as known:
            return known(cosim.simulate(source, **run, on_progress=on_progress))
    system = source if isinstance(source, System) else load(source)
    experiment = system.about.experiment["stop"], system.about.experiment["step"]
    cosim.plan(f"{system.name}.fmu", variables_to_be(system), experiment, **run)
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as folder:
        fmu = build(system, Path(folder, f"{system.name}.fmu"), on_message=on_message)
        if on_message:
            on_message("running")
        with origin({"": fmu}, {"": run["start_values"]}) as known:
            return known(cosim.simulate(fmu, **run, on_progress=on_progress))


@contextmanager
def origin(fmus: Mapping[str, Path | str], values: Mapping[str, Mapping]) -> Iterator[Callable[[Result], Result]]:
    """Gives what adds to a result what it was made of: the descriptions that its FMUs carry, and the values that were set.

    A run that fails within has it in its results until then, too.
    """

    def known(result: Result) -> Result:
        units = {u: unit_origin(Path(fmu).name, described_by(fmu), values.get(u, {})) for u, fmu in fmus.items()}
        return replace(result, origin={**result.origin, **origin_of(units)})

    try:
        yield known
    except SimulationError as error:
        if error.so_far is not None:
            error.so_far = known(error.so_far)
        raise


def variables_to_be(system: System) -> dict[str, ScalarVariable]:
    """The variables of the FMU that a System becomes, as FMPy will read them."""
    from fmpy.model_description import Item, ScalarVariable, SimpleType

    from ..interface.description import TYPE_NAMES
    from ..interface.variables import variables_of

    found = {}
    for v in variables_of(system):
        variable = ScalarVariable(name=v.name, valueReference=v.reference)
        variable.type, variable.causality, variable.initial = TYPE_NAMES[v.signal.kind], v.causality, v.initial
        variable.variability = v.variability
        items = [Item(name=name, value=str(value)) for value, name in enumerate(v.signal.items, 1)]
        variable.min, variable.max = (None if b is None else str(b) for b in (v.signal.min, v.signal.max))
        variable.declaredType = SimpleType(name=v.name, type=variable.type, items=items) if items else None
        found[v.name] = variable
    return found


def linearize(
    source: Source,
    grid: Mapping[str, Sequence[float]] | None = None,
    after: float | None = None,
    driven_by: Result | None = None,
    **options,
) -> Linear | Family:
    """The linear model of a System, a description, a catalogue entry or an .fmu file; with a `grid` (name → values) a family of them.

    Options: time, values (parameters, start values and inputs by name), inputs and outputs to keep (wildcards), full_form,
    trim (unknowns that may change until nothing moves), drifting: see spacefmu.fmu_src.linearize.model.linearize.
    after [s]: about the end of a run of that length, simulate(source, after, start_values=values, inputs=driven_by): all states,
    inputs and discrete states are what the FMU has there.
    `spacefmu.linearized.write(model, "plant.mat")`, `.to_control(model)`; `model.modes` is the modal table.
    """
    from .. import linearize as linearized

    if after is not None:
        if grid is not None or options.pop("time", 0.0):
            raise ValueError("after runs one model from 0 s on, expected neither a grid nor a time besides")
        return _linearized_after(source, after, driven_by, **options)
    if driven_by is not None:
        raise ValueError("driven_by are the inputs of a run, expected `after`, the time it ends [s]")
    if not isinstance(source, System):
        if Path(source).suffix == ".fmu" and grid is None:
            return linearized.linearize(Path(source), **options)
        source = load(source)
    return linearized.linearize(source, **options) if grid is None else linearized.family(source, grid, **options)


def _linearized_after(source: Source, after: float, driven_by: Result | None, values=None, **options) -> Linear:
    """A System's FMU is run and asked where it is, and its equations are linearized there; an .fmu file by its own derivatives."""
    from .. import linearize as linearized
    from ..interface.variables import SOLVER_SIGNALS

    run: dict[str, Any] = {"stop": after, "start_values": values or {}, "inputs": driven_by}
    if not isinstance(source, System) and Path(source).suffix == ".fmu":
        return _at_the_end(
            source,
            run,
            lambda fmu, of: linearized.linearize(Path(source), after, instance=(fmu, of), **options),
            linearized.refuse,
        )
    system = source if isinstance(source, System) else load(source)
    cosim.plan(f"{system.name}.fmu", variables_to_be(system), **run)
    names = [s.name for group in ("states", "inputs", "discretes") for s in getattr(system.signals, group)]
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as folder:
        fmu = build(system, Path(folder, f"{system.name}.fmu"))
        at = _at_the_end(fmu, run, lambda fmu, of: cosim.values_of(fmu, of, names))
    solver = {signal.name for signal in SOLVER_SIGNALS}  # the run's, no parameters of the equations
    own = {name: value for name, value in run["start_values"].items() if name not in solver}
    return linearized.linearize(system, after, own, at=at, **options)


def _at_the_end(path, run: dict, look: Callable[[Any, Any], Any], refuse: Callable[..., None] | None = None):
    """What `look` gives for the instance of an FMU, and its description, where a run ends. refuse: asked before it begins."""
    simulator, found = cosim.Simulator(path), []
    of = simulator.description
    if refuse:
        refuse(path, of, of.coSimulation)  # which is what is run, if there is one
    with simulator:
        result = simulator.run(**run, look=lambda fmu: found.append(look(fmu, of)))
    if not found:
        raise ValueError(f"{path}: its run ended at {result.time[-1]:g} s, expected it to reach {run['stop']:g} s")
    return found[0]
