"""The libraries of an FMU: whether there is one for this machine."""

from __future__ import annotations

from pathlib import Path

import fmpy

from .members import platforms_of


def check_platform(path: Path | str) -> None:
    """Raises ValueError if the FMU has no library for this machine, under its FMI 2.0 or FMI 3.0 name."""
    platforms = platforms_of(path)
    if not {fmpy.platform, fmpy.platform_tuple} & set(platforms):
        raise ValueError(
            f"{path}: has no library for this platform, {fmpy.platform}; it has {', '.join(platforms) or 'none'}"
        )
