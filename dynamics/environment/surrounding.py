"""Base of the pieces of the environment, and the row of a piece that has its own table inside [environment]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..system.keys import Declaration
from ..system.pieces import Piece


class Around(Piece):
    """Base of fields, media and the Sun."""

    def shown(self, body: int, name: str) -> Sequence[Piece]:
        """Output pieces of it at the frame of a body (number, name) that no joint carries."""
        return ()


@dataclass(frozen=True)
class SeveralPieces(Piece):
    """Several pieces made from one table."""

    all: tuple[Piece, ...]


@dataclass(frozen=True)
class Surrounding(Declaration):
    """`short`: what its key gives; `planet`: whether there is none without a planet (gravity = "central"); `outputs`: sorts of pieces that it shows."""

    short: str = ""
    planet: bool = True
    outputs: tuple[type[Piece], ...] = ()
