"""A time limit for a process that also works on a busy machine."""

from __future__ import annotations

import os
import time
from pathlib import Path


class CpuTimeout:
    """Whether a process has exceeded its `limit` [s].

    Wall time counts if the process waits (CPU time below 1 %), else its CPU time, because a busy machine gives it only part of a processor; in any case at most
    ten times the limit in wall time.
    """

    def __init__(self, pid: int, limit: float):
        self._pid, self._limit, self._since, self._worked = pid, limit, time.monotonic(), _cpu(pid)

    @classmethod
    def own(cls, limit: float) -> CpuTimeout:
        """The same for this process: a rule must not find less because other processes are busy."""
        return cls(os.getpid(), limit)

    def ended(self) -> bool:
        passed = time.monotonic() - self._since
        if passed <= self._limit:
            return False
        worked = _cpu(self._pid) - self._worked
        return worked > self._limit or worked < 0.01 * passed or passed > 10 * self._limit


def _cpu(pid: int) -> float:
    """CPU time [s] used by a process; where it is not available (not Linux), wall time."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
