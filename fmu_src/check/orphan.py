"""Ends a worker process when its parent has ended or its time limit has passed: the parent may be killed without cleaning up."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
import time
from pathlib import Path

_LOOK = 0.25  # [s]


def end_with_parent(parent: int, limit: float, folder: Path | None = None) -> None:
    """Ends this process when the parent process id has changed, or after `limit` [s]. Runs in its own thread, which calls into C do not block.

    folder: removed here, because the parent no longer can. Processes that the FMU has started in this session also end.
    """
    until = time.monotonic() + limit

    def watch() -> None:
        while os.getppid() == parent and time.monotonic() < until:
            time.sleep(_LOOK)
        if folder is not None and os.getppid() != parent:
            shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            if os.name == "posix" and os.getsid(0) == os.getpid():
                os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
