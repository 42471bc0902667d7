"""How long a process may take, on a machine that may be busy."""

from __future__ import annotations

import os
import time
from pathlib import Path


class CpuTimeout:
    """Whether a process has had its time: `limit` [s], in which it either worked or waited for nothing.

    On a busy machine a process that could work gets a small part of the time: then what counts is its own, up to ten times the limit.
    """

    def __init__(self, pid: int, limit: float):
        self._pid, self._limit, self._since, self._worked = pid, limit, time.monotonic(), _cpu(pid)

    @classmethod
    def own(cls, limit: float) -> CpuTimeout:
        """Of this process: what a rule may take, which is not to find less because others work beside it."""
        return cls(os.getpid(), limit)

    def ended(self) -> bool:
        passed = time.monotonic() - self._since
        if passed <= self._limit:
            return False
        worked = _cpu(self._pid) - self._worked
        return worked > self._limit or worked < 0.01 * passed or passed > 10 * self._limit


def _cpu(pid: int) -> float:
    """[s] of CPU that a process has used; where that is not told (not Linux), the time that has passed."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
