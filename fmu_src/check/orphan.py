"""A worker process that ends with its parent, and by itself when it has had its time: the parent may be killed without a word."""

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
    """From a thread of its own, which calls into C do not hold up: once the parent is another, or after `limit` [s].

    folder: what the parent would have removed. Processes that the FMU has started in this session also end.
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
