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
    """Simulate an FMU (any .fmu file), or a System or description, which is first built as an FMU.

    stop, step [s]: default: the FMU's experiment. start_values: parameters and start values by name.
    inputs: a table over time whose columns are inputs (see read_table). record: variables to keep; default: all outputs. on_progress:
    called with the fraction done; if it returns False, the run ends. on_message: called with a few words
    as each part of the build begins. Unknown names and invalid values are refused before the FMU is built.
    If the FMU fails, SimulationError is raised; its `so_far` has the results up to that time.
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
    """A function that adds its origin to a result: the descriptions that its FMUs carry, and the values that were set.

    A run that fails within the block gets it in its partial results.
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
    """The variables of a System's FMU, as FMPy will read them."""
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
    """The linear model of a System, a description, a catalogue entry or an .fmu file; with a `grid` (name → values), a family of models.

    Options: time, values (parameters, start values and inputs by name), inputs and outputs to keep (wildcards), full_form,
    trim (unknowns to vary for an equilibrium), drifting: see spacefmu.fmu_src.linearize.model.linearize.
    after [s]: linearize at the end of a run of that length, simulate(source, after, start_values=values, inputs=driven_by), with all
    states, inputs and discrete states of the FMU there.
    `spacefmu.linearized.write(model, "plant.mat")`, `.to_control(model)`; `model.modes` is the modal table.
    """
    from .. import linearize as linearized

    if after is not None:
        if grid is not None or options.pop("time", 0.0):
            raise ValueError("after runs one model from 0 s; leave out grid and time")
        return _linearized_after(source, after, driven_by, **options)
    if driven_by is not None:
        raise ValueError("driven_by gives the inputs of a run; give its end with `after` [s]")
    if not isinstance(source, System):
        if Path(source).suffix == ".fmu" and grid is None:
            return linearized.linearize(Path(source), **options)
        source = load(source)
    return linearized.linearize(source, **options) if grid is None else linearized.family(source, grid, **options)


def _linearized_after(source: Source, after: float, driven_by: Result | None, values=None, **options) -> Linear:
    """For a System, its FMU is run and its equations are linearized at the FMU's state; an .fmu file is linearized by its own derivatives."""
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
    """The value of `look` for the FMU's instance and its description at the end of a run. refuse: called before the run begins."""
    simulator, found = cosim.Simulator(path), []
    of = simulator.description
    if refuse:
        refuse(path, of, of.coSimulation)  # if there is one, it is what runs
    with simulator:
        result = simulator.run(**run, look=lambda fmu: found.append(look(fmu, of)))
    if not found:
        raise ValueError(f"{path}: the run ended at {result.time[-1]:g} s, before {run['stop']:g} s")
    return found[0]
