"""A sweep as a whole: from the plan's file to a folder of results, and back from the folder to any of its runs."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute

from spacefmu.dynamics.description import DescriptionError

from ..archive.description import read_description, variables_of
from ..batch.library import BatchModel
from ..cosim import CoupledSystem
from ..results import Result, read_table
from ..results.names import UnknownName
from .draws import draws
from .metrics import OwnMetrics
from .model import Model
from .plan import Plan, read_plan
from .store import IDENTITY, Store, alone, claim, read_identity, read_runs
from .study import Study, study
from .tasks import SweepState, cluster, run_missing
from .work import Bench

OWN, INPUT, MODELS = "metrics.py", "input.csv", "models"
# The model of a plan: (FMU files by unit, system that couples them or None); FMUs are built into the folder.
FindModel = Callable[[str, str | None, Path], tuple[dict[str, Path], CoupledSystem | None]]


@dataclass(frozen=True)
class Sweep:
    """A sweep on disk: its folder, its plan, and the table of runs (run, status, reason, parameters, metrics)."""

    folder: Path
    plan: Plan
    table: pa.Table
    parameters: tuple[str, ...]
    metrics: tuple[str, ...]

    @property
    def failed(self) -> pa.Table:
        """The runs that failed, with the reasons."""
        return self.table.filter(pa.compute.equal(self.table["status"], "failed"))

    def worst(self, metric: str, count: int = 5) -> pa.Table:
        """The runs with the worst values of a metric: the largest, unless the plan declares the smallest to be worst."""
        given = self.plan.metrics.get(metric)
        order = "ascending" if given and given.worst == "smallest" else "descending"
        with_it = self.table.filter(pa.compute.is_valid(self.table[metric]))
        return with_it.sort_by([(metric, order), ("run", "ascending")]).slice(0, count)

    def statistics(self, metric: str) -> dict[str, float | int | None]:
        """Mean, standard deviation, percentiles and the worst run of a metric, over the runs that have one."""
        values = self.table[metric].drop_null().to_numpy()
        if not len(values):
            return {"runs": 0}
        p5, p50, p95 = np.percentile(values, (5, 50, 95)).tolist()
        worst = self.worst(metric, 1)
        return {
            "runs": len(values),
            "mean": float(values.mean()),
            "deviation": float(values.std(ddof=1)) if len(values) > 1 else 0.0,
            "p5": p5,
            "median": p50,
            "p95": p95,
            "worst": worst[metric][0].as_py(),
            "worst_run": worst["run"][0].as_py(),
        }

    def unit(self, column: str) -> str:
        return (self.table.schema.field(column).metadata or {}).get(b"unit", b"").decode()


def sweep(
    path: Path | str,
    find_model: FindModel,
    folder: Path | str | None = None,
    metrics: Path | str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    on_message: Callable[[str], None] = lambda words: None,
    on_state: Callable[[SweepState], None] = lambda state: None,
    batch_of: Callable[[Path], BatchModel] | None = None,
) -> Sweep:
    """Run the plan in the file `path`, or the runs that its folder does not have yet. See `api.sweep`."""
    path = Path(path)
    plan = read_plan(path)
    own = OwnMetrics.read(metrics) if metrics is not None else None
    folder = Path(folder or plan.name)
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as temporary:
        fmus, system = find_model(plan.model, plan.algorithm, Path(temporary))
        inputs = _inputs(plan, path, system)
        model = Model(fmus, system, plan.stop, plan.step, inputs, plan.set)
        batch = _batch(plan, path, system, fmus, batch_of) if plan.lanes and batch_of else None
        checked = study(plan, str(path), model, own, lambda: draws(plan, path.parent), batch)
        files: dict[str, bytes | str] = {
            f"{MODELS}/{unit or 'model'}/{fmu.name}": fmu.read_bytes() for unit, fmu in fmus.items()
        }
        if own:
            files[OWN] = own.text
        if plan.input is not None:
            files[INPUT] = (path.parent / plan.input).read_bytes()
        claim(folder, _identity(checked, plan, files), path.read_text(encoding="utf-8"), files)
        on_message("starting workers")
        with alone(folder), cluster(scheduler, workers) as client:
            on_message(f"dashboard {client.dashboard_link}")
            run_missing(checked, Store(folder, checked), client, on_state)
    return read_sweep(folder)


def _batch(plan: Plan, path: Path, system: CoupledSystem | None, fmus: dict[str, Path], batch_of) -> BatchModel:
    """The model for runs in lanes, from the description that the FMU carries, with the FMU's variables."""
    if system is not None:
        raise DescriptionError(
            str(path), ['lanes: a system must be stepped as one model; set algorithm = "monolithic"']
        )
    try:
        batch = batch_of(fmus[""])
    except ValueError as error:
        raise DescriptionError(str(path), [f"lanes: {error}"]) from error
    known = {name: variable.valueReference for name, variable in variables_of(read_description(fmus[""])).items()}
    if known != dict(batch.references):
        raise DescriptionError(
            str(path),
            [
                f"lanes: the variables of {plan.model} differ from those of its description; rebuild it with this version, for FMI 2.0"
            ],
        )
    return batch


def _inputs(plan: Plan, path: Path, system: CoupledSystem | None) -> Result | None:
    if plan.input is None:
        return None
    if system is not None:
        raise DescriptionError(
            str(path), ["input is only for a single FMU: the inputs of a system come from its units"]
        )
    return read_table(path.parent / plan.input)


def _identity(checked: Study, plan: Plan, files: dict[str, bytes | str]) -> dict:
    """The identity of a sweep: the plan, the FMUs, the draws, the user's files; everything except names of folders."""
    contents = {name: data.encode() if isinstance(data, str) else data for name, data in files.items()}
    return {
        "plan": plan.model_dump(mode="json"),
        "system": checked.model.system and checked.model.system.model_dump(mode="json", by_alias=True),
        "draws": hashlib.sha256(np.ascontiguousarray(checked.values).tobytes()).hexdigest(),
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(contents.items())},
    }


def read_sweep(folder: Path | str) -> Sweep:
    """The sweep in a folder, finished or not; ValueError if there is none."""
    folder = Path(folder)
    if not (folder / IDENTITY).is_file():
        raise ValueError(f"{folder}: is not the folder of a sweep: there is no {IDENTITY} in it")
    if not (folder / "runs").is_dir():
        raise ValueError(f"{folder}: no run is done yet")
    plan, table = read_plan(folder / "plan.toml"), read_runs(folder)
    names = table.column_names[3:]
    own = OwnMetrics.read(folder / OWN).functions if (folder / OWN).is_file() else ()
    metrics = (*plan.metrics, *own)
    return Sweep(folder, plan, table, tuple(n for n in names if n not in metrics), metrics)


def repeat(
    folder: Path | str,
    run: int,
    record: Sequence[str] | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> Result:
    """Repeat one run of a sweep exactly: with its FMUs, numbers and steps. record: default: all outputs."""
    done = read_sweep(folder)
    checked = reopened(done)
    if run not in done.table["run"].to_pylist():
        raise UnknownName(f"{done.folder}: has no run {run}; there are 0 to {len(done.table) - 1}")
    with Bench(checked, logged=True) as bench:
        return bench.run(
            checked.values[done.table["run"].to_pylist().index(run)], record or checked.model.outputs(), on_progress
        )


def reopened(done: Sweep) -> Study:
    """The study of a sweep on disk; its values are those of the finished runs, in their order."""
    folder = done.folder
    data = read_identity(folder)
    system = data["system"] and CoupledSystem.model_validate(data["system"])
    fmus = {path.parent.name if system else "": path for path in sorted((folder / MODELS).glob("*/*.fmu"))}
    inputs = read_table(folder / INPUT) if (folder / INPUT).is_file() else None
    model = Model(fmus, system, done.plan.stop, done.plan.step, inputs, done.plan.set)
    own = OwnMetrics.read(folder / OWN) if (folder / OWN).is_file() else None
    values = np.column_stack([done.table[name].to_numpy() for name in done.parameters])
    return study(done.plan, str(folder / "plan.toml"), model, own, lambda: (done.parameters, values))
