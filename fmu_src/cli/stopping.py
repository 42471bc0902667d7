"""How SIGINT (Ctrl-C) and SIGTERM are handled. docs/help.md has the table of commands and moments."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Heard:
    """The signal that was heard last, 0: none. exit_code goes with it; `raise_again` where an interrupt was swallowed on its way.

    Python raises KeyboardInterrupt wherever it happens to be, and libraries in C may drop it there.
    """

    number = 0
    asked = 0  # the same for a signal that only asked for an early end

    @property
    def exit_code(self) -> int:
        return 128 + (self.number or self.asked or signal.SIGINT)

    def raise_again(self) -> None:
        if self.number:
            raise KeyboardInterrupt

    @staticmethod
    def forget_unhandled() -> None:
        """Let the process end with its own exit code after an interrupt.

        CPython 3.11 notes an interrupt that leaves a string run by exec() as unhandled, even if it is caught further out, and the
        process then ends by SIGINT. dataclasses run such strings at import. The next string that ends well clears the note.
        """
        exec("", {})


heard = Heard()


def _compilers():
    """The module, which only commands that build import."""
    return sys.modules.get("spacefmu.fmu_src.native.platforms.compile")


def _hear(number, frame) -> None:
    heard.number = number
    if compilers := _compilers():
        compilers.stop_compilers()  # here, because the interrupt may get lost before the build sees it
    raise KeyboardInterrupt


@contextmanager
def listening() -> Iterator[None]:
    """Within the block both signals raise KeyboardInterrupt; a signal that is ignored (background job, nohup) stays ignored."""
    heard.number = heard.asked = 0
    try:
        with _handled(_hear):
            yield
    finally:
        if compilers := _compilers():  # this process may continue, as in tests and notebooks
            with compilers.allowed_to_stop():
                pass


@contextmanager
def _handled(handler: Callable) -> Iterator[None]:
    own = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in SIGNALS} if own else {}
    before = {number: was for number, was in before.items() if was is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, was in before.items():
            signal.signal(number, was)


class Ending:
    """Lets a signal end a run early instead of interrupting it: call it at every step; it returns False to end the run.

    After the first step, the first signal ends the run early. A second one, or one before the first step, interrupts as usual.
    """

    def __init__(self, on_progress: Callable[[float], None]):
        self._progress, self.asked = on_progress, False
        self._handling: Any = None

    def __call__(self, fraction: float) -> bool:
        if self._handling is None:
            heard.raise_again()
            self._handling = _handled(self._ask)
            self._handling.__enter__()
        self._progress(fraction)
        return not self.asked

    def _ask(self, number, frame) -> None:
        if self.asked:
            _hear(number, frame)
        self.asked = True
        heard.asked = number

    def __enter__(self) -> Ending:
        return self

    def __exit__(self, *failure) -> None:
        if self._handling is not None:
            self._handling.__exit__(None, None, None)
