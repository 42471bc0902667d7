"""Many runs of one model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spacefmu.dynamics.texts import read_toml

from .. import catalogue, cosim
from ..batch.library import batch_model
from ..results import Result
from ..results.plot import save
from .models import is_system, load, python_of
from .renamed import renamed
from .systems import coupled, fmu_of

if TYPE_CHECKING:  # Dask and pyarrow come with an extra
    from ..studies.folder import Sweep
    from ..studies.tasks import SweepState


@renamed(report="on_message", tell="on_state")
def sweep(
    plan: Path | str,
    folder: Path | str | None = None,
    metrics: Path | str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    on_message: Callable[[str], None] | None = None,
    on_state: Callable[[SweepState], object] | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> Sweep:
    """Run many parameter sets of a model as a plan (.toml) states; results are written to `folder`, default: the plan's name.

    Runs that the folder already has are not repeated. metrics: a Python file of functions of a run's Result, one per metric.
    workers: processes on this machine; default: one per core. scheduler: the address of a Dask cluster to use instead.
    on_message: called with a few words as each part of the work begins. on_progress: with the fraction of the runs done.
    on_state: called after each task with the SweepState: runs done and failed, and the time left.
    In a script, call it under `if __name__ == "__main__":`, because worker processes import the script.
    """
    studies, plan = _studies(), Path(plan)
    on_message = on_message or (lambda words: None)

    def find_model(model: str, algorithm: str | None, temporary: Path):
        local = plan.parent / model
        if local.suffix == ".fmu":
            return {"": local}, None
        path = catalogue.find(local if local.is_file() else model)
        algorithm = (algorithm or cosim.read_system(path).algorithm) if is_system(path) else "monolithic"
        if algorithm == "monolithic":
            return {"": fmu_of(str(path.absolute()), plan.parent, temporary, on_message)}, None
        system, fmus = coupled(path, temporary, on_message)
        return fmus, system.model_copy(update={"algorithm": algorithm})

    def after_task(state: SweepState) -> None:
        if on_progress is not None:
            on_progress(state.done / state.runs)
        if on_state is not None:
            on_state(state)

    return studies.sweep(
        plan,
        find_model,
        folder,
        metrics,
        workers,
        scheduler,
        on_message,
        after_task,
        lambda fmu: batch_model(load(fmu)),
    )


def python_of_plan(plan: Path | str) -> dict[str, Path]:
    """The Python files that a sweep's model would run, as given by `python_of`; empty for a plan that can't be read."""
    try:
        model = str(read_toml(Path(plan)).get("model", ""))
        local = Path(plan).parent / model
        return python_of(local if local.is_file() else model) if model else {}
    except (OSError, ValueError):  # the sweep itself reports the error
        return {}


def read_sweep(folder: Path | str) -> Sweep:
    """A sweep from its folder, finished or not: plan, table of runs, worst runs, statistics."""
    return _studies().read_sweep(folder)


@renamed(progress="on_progress")
def repeat(
    folder: Path | str,
    run: int,
    record: Sequence[str] | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> Result:
    """Repeat one run of a sweep, bit for bit. record: variables to keep; default: all outputs. on_progress: called with the fraction done."""
    return _studies().repeat(folder, run, record, on_progress)


def plot_sweep(sweep: Sweep, path: Path | str) -> Path:
    """A picture of a sweep: histograms of the metrics, scatters over the parameters, worst runs."""
    from ..studies.figures import summary_figure

    return save(summary_figure(sweep), path)


def _studies():
    try:
        from ..studies import folder
    except ImportError as error:
        raise ValueError(f"sweeps need Dask and pyarrow ({error}): pip install 'spacefmu[sweep]'") from error
    return folder
