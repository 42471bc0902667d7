"""python -m bench [--page] [--no-page] [WORK …]"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import traceback
from datetime import UTC, datetime
from pathlib import Path

from . import (
    page,
    work_batch,
    work_beads,
    work_dynamics,
    work_environment,
    work_live,
    work_mission,
    work_overheads,
    work_panels,
    work_real_time,
    work_scaling,
    work_versions,
)
from .results import Results, folder, read, write

RUN = {
    "dynamics": work_dynamics.run,
    "panels": work_panels.run,
    "modes": work_scaling.modes,
    "loops": work_scaling.loops,
    "planned": work_scaling.planned,
    "beads": work_beads.run,
    "sharing": work_scaling.sharing,
    "overheads": work_overheads.run,
    "mission": work_mission.run,
    "real_time": work_real_time.run,
    "live": work_live.run,
    "batch": work_batch.run,
    "versions": work_versions.run,
    "environment": work_environment.run,
}


def machine() -> str:
    names = (
        [
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            if line.startswith("model name")
        ]
        if Path("/proc/cpuinfo").exists()
        else []
    )
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores"


def load() -> float | None:
    """Mean number of busy processes in the last minute, if the system tells it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def code() -> str:
    """The commit that is measured, with a word if files differ from it; empty in a copy without history."""
    command = ["git", "describe", "--always", "--exclude=*", "--dirty= and changes"]
    return subprocess.run(command, cwd=page.DOCS, capture_output=True, text=True, check=False).stdout.strip()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "works",
        nargs="*",
        choices=[*RUN, []],
        help="which works anew, beside what is kept of the others; all if none is named",
    )
    parser.add_argument(
        "--page",
        action="store_true",
        help="write docs/benchmarks.md from what is kept, whether or not that is all works, and stop",
    )
    parser.add_argument("--no-page", action="store_true", help="leave docs/ as it is")
    given = parser.parse_args(arguments)
    path = folder() / "results.json"
    for name in [] if given.page else given.works or RUN:
        print(f"{name}:", flush=True)
        own = Results(machine(), load=load(), begun=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", code=code())
        try:
            RUN[name](own)
        except Exception as error:  # the other works go on, and the table says what is missing
            traceback.print_exc()
            own.row(page.LETTERS[name], f"the work {name} failed", None, note=f"{type(error).__name__}: {error}")
        kept = read(path) | {name: own}
        write({work: kept[work] for work in page.WORKS if work in kept}, path)
    kept = read(path)
    (folder() / "table.md").write_text(page.table(kept), "utf-8")
    print(page.table(kept))
    if given.no_page:
        return
    lacking = [name for name in page.WORKS if name not in kept]
    if lacking and not given.page:
        print(
            f"docs/benchmarks.md is left as it is: not measured here are {', '.join(lacking)}; --page writes it without them"
        )
        return
    print(page.write(kept).relative_to(page.DOCS.parent))


if __name__ == "__main__":
    main()
