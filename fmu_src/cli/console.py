"""What the user sees: progress on a terminal, an occasional line in a pipe, errors in one sentence."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from .stopping import heard


class Screen:
    """A console of rich, which is imported only when it is needed: not in a pipe."""

    def __init__(self, stream: str, **options):
        self._stream, self._options = stream, options

    @property
    def is_terminal(self) -> bool:
        asked = getattr(sys, self._stream).isatty() or "FORCE_COLOR" in os.environ
        return asked and self.rich.is_terminal

    @cached_property
    def rich(self):
        from rich.console import Console

        return Console(stderr=self._stream == "stderr", **self._options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich, name)


screen = Screen("stdout", highlight=False)
_errors = Screen("stderr")  # progress is written here: stdout is for results

WRONG_INPUT, DEFECT, STOPPED = 2, 1, 130
HALF_A_MINUTE = 30.0  # [s] between lines of progress in a pipe
NOTHING_KEPT = "nothing was written"


def say(text: str) -> None:
    """A remark for the user; not written in a pipe."""
    if screen.is_terminal:
        screen.print(text)


def give(text: str, remark: str = "") -> None:
    """A result: plain text on stdout; on a terminal, followed by a remark."""
    if screen.is_terminal and remark:
        from rich.markup import escape

        screen.print(f"[bold]{escape(text)}[/bold]  [dim]{escape(remark)}[/dim]", soft_wrap=True)
    else:
        print(text)


def give_json(data) -> None:
    print(json.dumps(data, indent=2, ensure_ascii=False))


@contextmanager
def working(title: str) -> Iterator[tuple[Callable[[str], None], Callable[[float], None]]]:
    """A line of progress on stderr while the block runs: (on_message(words), on_progress(fraction)).

    In a pipe: an occasional plain line, the first after HALF_A_MINUTE, so short work is silent.
    """
    if not _errors.is_terminal:
        on_message, on_progress = _now_and_then(title)
        yield _heeding(on_message), on_progress
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),  # names of files may have brackets
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=_errors.rich, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield (
            _heeding(lambda words: bar.update(task, description=f"{title}: {words}")),
            lambda fraction: bar.update(task, total=1.0, completed=fraction),
        )


def _heeding(on_message: Callable[[str], None]) -> Callable[[str], None]:
    """`on_message`, called as each part of the work begins. It raises an interrupt that was swallowed in the part before."""

    def heed(words: str) -> None:
        heard.raise_again()
        on_message(words)

    return heed


def _now_and_then(title: str, clock: Callable[[], float] = time.monotonic):
    """on_message and on_progress of `working` for a pipe."""
    begun = last = clock()

    def line(words: str) -> None:
        nonlocal last
        now = clock()
        if now - last >= HALF_A_MINUTE:
            last = now
            print(f"spacefmu: {title}: {words}, {now - begun:.0f} s", file=sys.stderr, flush=True)

    return line, lambda fraction: line(f"{100.0 * fraction:.0f} %")


class Stopped(Exception):
    """Ctrl-C or SIGTERM was received; the message says what was kept."""


@contextmanager
def keeping(otherwise: str = NOTHING_KEPT) -> Iterator[list]:
    """A list for the files that a command has finished: if the command is interrupted, the message names them, or says `otherwise`.

    An error after a signal is treated as its consequence: Ctrl-C in a terminal also ends worker processes.
    """
    kept: list = []
    try:
        yield kept
    except BaseException as stop:
        if isinstance(stop, Stopped) or not (heard.number or isinstance(stop, KeyboardInterrupt)):
            raise
        raise Stopped(f"kept: {', '.join(map(str, kept))}" if kept else otherwise) from stop


def fail(error: Exception) -> int:
    """Report an error on stderr, and return the exit code."""
    if hasattr(error, "format_message"):  # a usage error of typer's command line parser
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "spacefmu"
        words = error.format_message().replace("Value error, ", "").rstrip(".")
        _complain(f"{words}; {command} --help lists the options")
        return WRONG_INPUT
    if isinstance(error, Stopped):
        _complain(f"stopped; {error}")
        return heard.exit_code
    sentence = _sentence(error)
    if sentence is None:
        _complain(f"internal error (please report it): {type(error).__name__}: {error}; --debug shows the traceback")
        return DEFECT
    _complain(sentence)
    return WRONG_INPUT


def _sentence(error: Exception) -> str | None:
    """The message for wrong input or a refusal by the machine; None for a defect of spacefmu."""
    from ..cosim.fmu import SimulationError
    from ..native.platforms.compile import CompileError

    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    if isinstance(error, CompileError):
        first, *more = str(error).splitlines()
        return f"{first} … (--debug shows all {len(more)} lines)" if more else first
    return str(error) if isinstance(error, ValueError | OSError | SimulationError) else None


def note(text: str) -> None:
    """A warning on stderr, in a pipe too."""
    _complain(text)


def tell_of_code(python: Mapping[str, Path]) -> None:
    """Announces Python code that a system is about to run without being named on the command line: unit → file."""
    for unit, file in python.items():
        if unit:
            note(f"unit {unit} is {file}, Python code that runs with your rights")


def warn(sentences) -> None:
    """Numbers that are allowed but probably not intended: one line each."""
    for sentence in sentences:
        note(f"warning: {sentence}")


def _complain(text: str) -> None:
    """Lines on stderr: wrapped between words on a terminal, one sentence per line for other programs."""
    for line in text.splitlines():
        if _errors.is_terminal:
            _errors.print(f"spacefmu: {line}", markup=False, highlight=False)
        else:
            print(f"spacefmu: {line}", file=sys.stderr)
