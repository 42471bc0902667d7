"""Outputs are written atomically, and an unwritable output is refused before the work for it begins."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_writable(path: Path | str, room: int = 1 << 16) -> None:
    """Raise OSError with name and reason if the file could not be written later. Nothing is left behind.

    room: bytes that must be free on the disk. Missing folders are accepted: the writer creates them.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file")
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
        if free < room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """A temporary name next to `path` to write to; it replaces `path` when the block ends without an error.

    If anything fails, an earlier file at `path` is kept, and nothing else is left behind.
    """
    path = Path(path)
    check_writable(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # The extension stays last: writers such as matplotlib's choose the format by it.
    unfinished = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield unfinished
        os.replace(unfinished, path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise named(error, path) from error
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def named(error: OSError, path: Path | str) -> OSError:
    """The same error with the name that the user knows: the error of a full disk names no file, others name the temporary one."""
    temporary = error.filename is None or Path(str(error.filename)).name.startswith(f".{Path(path).stem}.")
    return type(error)(error.errno, error.strerror, str(path)) if error.errno and temporary else error
