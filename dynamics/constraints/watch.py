"""Connections without ends and forces: they store a past value, which changes at events. Pieces name theirs in `watches`."""

from __future__ import annotations

import numpy as np

from ..bodies.body import plain_node
from .connection import Connection
from .grip import End

SPACE = End(-1, plain_node("space", np.zeros(3)))


class Watch(Connection):
    """Base of all of them: subclasses are frozen dataclasses with a `name`, a discrete state, and an indicator of when it changes."""

    a = SPACE
    b = SPACE
    terminal = ""
    slow = True
    indicator_count = 1
