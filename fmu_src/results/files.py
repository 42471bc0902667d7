"""Outputs appear complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """A temporary name beside `path` to write to; it takes its place when the block ends without an error.

    If anything fails, whatever was at `path` before is still there, and nothing else is left behind.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, expected the name of a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    # The ending stays the last part: writers such as matplotlib's choose the format by it.
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
    """The same error with the name that a person knows: a full disk names no file, other errors the temporary one."""
    temporary = error.filename is None or Path(str(error.filename)).name.startswith(f".{Path(path).stem}.")
    return type(error)(error.errno, error.strerror, str(path)) if error.errno and temporary else error
