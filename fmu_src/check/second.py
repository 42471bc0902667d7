"""A second process with the same FMU: python -m spacefmu.fmu_src.check.second TASK.json; the result is written to the file that TASK names."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from .cpu_timeout import CpuTimeout
from .orphan import end_with_parent
from .rules import NotPossible


def in_another_process(fmu, task: str, **more) -> list[float]:
    """Outputs of steps in a separate process: a plain run, or one that continues from a serialized state."""
    folder = fmu.folder / "second"
    folder.mkdir(exist_ok=True)
    job = {
        "path": str(fmu.path),
        "folder": str(folder),
        "task": task,
        "answer": str(folder / "answer.json"),
        "parent": os.getpid(),
        "limit": 30 * fmu.limit,
        **more,
    }
    (folder / "task.json").write_text(json.dumps(job), "utf-8")
    (folder / "answer.json").unlink(missing_ok=True)
    worker = subprocess.Popen(
        [sys.executable, "-m", "spacefmu.fmu_src.check.second", str(folder / "task.json")], cwd=folder
    )
    cpu_timeout = CpuTimeout(worker.pid, 3 * fmu.limit)  # it loads, initializes and steps
    while worker.poll() is None:
        time.sleep(0.02)
        if cpu_timeout.ended():
            worker.kill()
            worker.wait()
            raise NotPossible("a second process took too long")
    if worker.returncode or not (folder / "answer.json").exists():
        raise SecondFailed(f"a second process ended with {worker.returncode}")
    return json.loads((folder / "answer.json").read_text("utf-8"))


class SecondFailed(Exception):
    """The second process crashed, or the FMU refused a call there."""


def main() -> None:
    from .running import begin, initialized, outputs, step_through
    from .subject import checked

    job = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    end_with_parent(job["parent"], job["limit"])
    fmu = checked(Path(job["path"]), Path(job["folder"]))
    fmu.watch = lambda call: None
    with initialized(fmu, "CoSimulation") as it:
        if job["task"] == "continue":
            data, state = bytes.fromhex(job["state"]), ctypes.c_void_p()
            it.do("DeSerializeFMUstate", data, len(data), ctypes.byref(state))
            it.do("SetFMUstate", state)
            it.do("FreeFMUstate", ctypes.byref(state))
        rows = step_through(fmu, it, job["steps"], start=begin(fmu), first=job.get("first", 0))
    assert rows.shape[1] == len(outputs(fmu))
    Path(job["answer"]).write_text(json.dumps(rows.ravel().tolist()), "utf-8")


if __name__ == "__main__":
    main()
    os._exit(0)
