"""spacefmu sweep"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import give, give_json, keeping, say, tell_of_code, working

RESUMES = "finished runs are kept, and the same command resumes"


def sweep(
    plan: Annotated[Path, typer.Argument(help="The plan (.toml): model, parameters, metrics.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder of the results; default: the plan's name.")
    ] = None,
    metrics: Annotated[
        Path | None,
        typer.Option("--metrics", "-m", help="Python file with your own metrics, one function each. It is executed."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=1, help="Worker processes here; default: one per core.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The numbers as JSON.")] = False,
) -> None:
    """Run many parameter sets of an FMU, a description or a system of FMUs; a sweep that was stopped resumes.

    [bold]Examples:[/bold]

      spacefmu sweep spread.toml

      spacefmu sweep spread.toml --metrics my_metrics.py --workers 8 -o results/spread

      spacefmu simulate results/spread --run 17 --plot run17.png
    """
    with keeping(RESUMES), working(f"Sweep {plan.stem}") as (on_message, on_progress):
        from .. import api  # imports take about a second: only after the first message is shown

        def tell(state) -> None:
            left = "" if state.left is None else f", {_duration(state.left)} left"
            rate = "" if state.rate is None else f", {state.rate:.3g} per second"
            failed = f", {state.failed} failed" if state.failed else ""
            on_message(f"{state.done} of {state.runs} runs{rate}{left}{failed}{link[0]}")
            on_progress(state.done / state.runs)

        link = [""]

        def hear(words: str) -> None:
            if words.startswith("dashboard "):
                link[0] = f"  {words.removeprefix('dashboard ')}"
            on_message(words)

        tell_of_code(api.python_of_plan(plan))
        done = api.sweep(plan, output, metrics, workers, scheduler, hear, tell)
        on_message("drawing")
        picture = api.plot_sweep(done, done.folder / "summary.png")
    if as_json:
        return give_json(_facts(done, picture))
    _print(done)
    say("")
    give(str(done.folder / "runs"), "Parquet: one row per run")
    if done.plan.traces:
        give(str(done.folder / "traces"), "Parquet: one row per time point")
    give(str(picture), f"spacefmu simulate {done.folder} --run N repeats a run")
    return None


def _facts(done, picture: Path) -> dict:
    """The summary of a sweep, for other programs."""
    return {
        "folder": str(done.folder),
        "picture": str(picture),
        "runs": len(done.table),
        "failed": [{"run": row["run"], "reason": row["reason"]} for row in done.failed.to_pylist()],
        "metrics": {name: done.statistics(name) for name in done.metrics},
    }


def _print(done) -> None:
    failed = done.failed.to_pylist()
    print(f"{len(done.table)} runs, {len(failed)} failed")
    for row in failed[:5]:
        print(f"  run {row['run']}: {row['reason']}")
    if len(failed) > 5:
        print(f"  … and {len(failed) - 5} more, in the column `reason`")
    width = max(map(len, done.metrics), default=0)
    for name in done.metrics:
        numbers, unit = done.statistics(name), done.unit(name)
        if numbers["runs"] == 0:
            print(f"{name:{width}}  undefined in all runs")
            continue
        print(
            f"{name:{width}}  mean {numbers['mean']:.6g}  deviation {numbers['deviation']:.3g}  95 % {numbers['p95']:.6g}  "
            f"worst {numbers['worst']:.6g} {unit}  (run {numbers['worst_run']})"
        )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
