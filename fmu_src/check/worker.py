"""The process in which rules run: python -m spacefmu.fmu_src.check.worker JOB.json. Only this process loads the FMU, so a crash ends only this one.

JOB: path, folder, rules (ids, in order), limit. Findings go to folder/findings.jsonl, one line per finding, written at once. The call in progress is in
folder/now, so that check.py knows where a process ended.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import struct
import sys
import time
from pathlib import Path

MOST_FINDINGS = 200  # of one rule
NOW = struct.Struct("d64s64s")  # when the call began (0: none is under way), rule, call


class Worker:
    """Runs rules one after the other and writes their findings."""

    def __init__(self, job: dict):
        from .subject import checked

        self.folder = Path(job["folder"])
        with open(self.folder / "now", "r+b") as stream:
            self._now = mmap.mmap(stream.fileno(), NOW.size)
        self._rule = b""
        self.subject = checked(Path(job["path"]), self.folder / "work", job["limit"])
        self.subject.watch = self.watch
        self._out = open(self.folder / "findings.jsonl", "a", encoding="utf-8")  # noqa: SIM115 (open while the process lives)

    def watch(self, call: str) -> None:
        """Note the call that begins, or that none is under way."""
        NOW.pack_into(self._now, 0, time.monotonic() if call else 0.0, self._rule, call.encode()[:64])

    def write(self, **line) -> None:
        self._out.write(json.dumps(line) + "\n")
        self._out.flush()

    def run(self, names: list[str]) -> None:
        from .host import CallRefused, Fatal
        from .rules import NotPossible, Unreadable, all_rules

        rules = all_rules()
        self.write(version=self.subject.version)
        for name in names:
            if rules[name].of(self.subject.version) is None:  # a rule of the other version
                self.write(passed=name)
                continue
            self._rule = name.encode()[:64]
            self.watch("")
            try:
                for count, text in enumerate(rules[name].look(self.subject)):
                    if count < MOST_FINDINGS:
                        self.write(rule=name, text=str(text)[:1000])
            except NotPossible as error:
                self.write(skipped=name, text=str(error), unreadable=isinstance(error, Unreadable))
            except CallRefused as error:
                self.write(skipped=name, text=str(error))
                if not rules[name].abuse:
                    self.write(rule="refused", text=str(error))
            except Fatal as error:
                self.write(rule="fatal", text=str(error))
            except Exception as error:  # a bug in spacefmu or its libraries: the other rules still run
                self.write(skipped=name, text=f"the check itself failed: {type(error).__name__}: {error}", defect=True)
            self.write(done=name)


def limit_resources() -> None:
    """No core files, no file beyond 1 GB, at most 8 GB of address space, where the system supports such limits."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        for what, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 1 << 30), (resource.RLIMIT_AS, 8 << 30)):
            resource.setrlimit(what, (most, resource.getrlimit(what)[1]))


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    limit_resources()
    from .orphan import end_with_parent

    # the parent waits at most ten times 12 limits per rule, see CpuTimeout
    end_with_parent(job["parent"], 120.0 * job["limit"] * len(job["rules"]), Path(job["folder"]))
    (Path(job["folder"]) / "work").mkdir(exist_ok=True)
    os.chdir(Path(job["folder"]) / "work")
    Worker(job).run(job["rules"])


if __name__ == "__main__":
    main()
    os._exit(0)  # skips exit handlers of libraries, which may crash: rule `unload` checks those
