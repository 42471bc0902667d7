"""A sweep's folder, written by processes that are killed at every file operation in turn; run by test_lost_processes.py.

A program of its own, without Dask and its threads: it forks. Each child does what a sweep does with its folder, and kills itself
(SIGKILL) right before its n-th rename, removal, new folder or opened file. The next child is a fresh one that resumes. Prints how many were killed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from spacefmu.fmu_src.studies.store import Span, Store, claim
from spacefmu.fmu_src.studies.work import RunsOutcome

RUNS = 12
EVENTS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree")
# all that the store reads of a study
STUDY = SimpleNamespace(
    values=np.arange(2.0 * RUNS).reshape(RUNS, 2),
    parameters=(SimpleNamespace(name="a", unit="kg"), SimpleNamespace(name="b", unit="")),
    metric_names=("m",),
    measures={},
    traces=("x",),
)


def outcome(span: Span) -> RunsOutcome:
    runs = np.arange(span.first, span.last + 1.0)
    return RunsOutcome(
        np.column_stack([runs**2]), {}, tuple((np.arange(3.0), np.full((3, 1), run)) for run in runs), 1.0
    )


def write(folder: Path, runs_of_a_task: int = 3) -> None:
    """What `studies.folder.sweep` does with the folder."""
    claim(folder, {"plan": "the same"}, "plan", {"models/a.fmu": b"a", "metrics.py": "m"})
    store = Store(folder, STUDY)  # type: ignore[arg-type]
    for gap in store.missing():
        rest: Span | None = gap
        while rest:
            now, rest = rest.cut(runs_of_a_task)
            store.add(now, outcome(now))
    store.finish()


def die_at(count: int, folder: Path) -> None:
    seen = 0

    def hook(event: str, arguments: tuple) -> None:
        nonlocal seen
        if event in EVENTS and str(folder.parent) in str(arguments[0]):
            seen += 1
            if seen == count:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def killed(folder: Path, count: int) -> bool:
    """Whether a child that is to die at its count-th operation did."""
    child = os.fork()
    if child == 0:
        die_at(count, folder)
        write(folder)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(place: Path) -> None:
    write(place / "whole" / "Sweep")
    expected = contents(place / "whole" / "Sweep")
    for name in expected:
        if name.endswith(".parquet"):  # finished by its name; its bytes never reached the disk
            os.truncate(place / "whole" / "Sweep" / name, 0)
            write(place / "whole" / "Sweep")
            assert contents(place / "whole" / "Sweep") == expected, name
    count = 0
    while killed(place / f"at{count}" / "Sweep", count + 1):
        write(place / f"at{count}" / "Sweep", 2)  # resumes, by tasks of another length
        assert contents(place / f"at{count}" / "Sweep") == expected, f"killed at operation {count + 1}"
        count += 1
    again = place / "again" / "Sweep"
    for at in range(1, 40):  # and one folder whose every resumption is killed, a little later each time
        killed(again, 1 + 3 * at)
    write(again)
    assert contents(again) == expected
    print(count)


def contents(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
