"""Draws 3-D space from the side and slightly from above, without perspective; nearer objects cover farther ones."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FINE = 2  # subpixels along each side of a pixel, for smooth edges
MARGIN, TRIAD, LETTER = 0.08, 45.0, 11  # of the picture; [pixels]: length of the arrows of N, height of letters
_EDGE = "#39434d"
SHIFTS = (0, -1, 1, -2, 2)  # shift of a name that would cover another, relative to its height

_UP, _AROUND = np.deg2rad([24.0, -58.0])  # position of the viewer
# (3, 3): to the right, up, and towards the eye, in axes of N
VIEW = np.array([
    [-np.sin(_AROUND), np.cos(_AROUND), 0.0],
    [-np.sin(_UP) * np.cos(_AROUND), -np.sin(_UP) * np.sin(_AROUND), np.cos(_UP)],
    [np.cos(_UP) * np.cos(_AROUND), np.cos(_UP) * np.sin(_AROUND), np.sin(_UP)],
])  # fmt: skip


class Canvas:
    """Collects objects in metres, and paints them when finished. names: texts, each at a place (3,)."""

    def __init__(self, size: tuple[int, int], reach: np.ndarray):
        """size: width and height in pixels. reach (n, 3): points that must be visible."""
        self.size = FINE * np.array(size)
        seen = reach @ VIEW[:2].T
        low, high = seen.min(axis=0), seen.max(axis=0)
        self._scale = float(np.min((1.0 - 2.0 * MARGIN) * self.size / np.maximum(high - low, 1e-9)))
        self._center = 0.5 * (low + high)
        self._pieces: list[tuple[float, list[float], tuple[int, ...] | str, int]] = []  # depth, corners, color, width
        self._dots: list[tuple[np.ndarray, str]] = []
        self.names: list[tuple[np.ndarray, str]] = []

    def triangles(self, corners: np.ndarray, colors: np.ndarray) -> None:
        """corners (n, 3, 3); colors (n, 4) from 0 to 255, the last one opacity."""
        self._add(corners, map(tuple, colors.round().astype(int).tolist()), 0)

    def sides(self, corners: np.ndarray, drawn: np.ndarray, color: str) -> None:
        """Drawn sides (n, 3) of triangles (n, 3, 3), each directly over its triangle."""
        ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2)[drawn]
        depth = np.repeat(corners.mean(axis=1) @ VIEW[2], 3).reshape(-1, 3)[drawn]
        self._pieces += [
            (d, points, color, 1) for d, points in zip(depth, self._places(ends).reshape(-1, 4).tolist(), strict=True)
        ]

    def behind(self, corners: np.ndarray, color: np.ndarray) -> None:
        """Triangles (n, 3, 3) that cover nothing."""
        flat = self._places(corners).reshape(len(corners), -1).tolist()
        self._pieces += [(-np.inf, points, tuple(color.tolist()), 0) for points in flat]

    def line(self, points: np.ndarray, color: str, dotted: bool = False) -> None:
        """A line through points (n, 3); dotted: every other segment."""
        stretches = np.stack([points[:-1], points[1:]], axis=1)[:: 2 if dotted else 1]
        self._add(stretches, [color] * len(stretches), FINE + 1)

    def dot(self, point: np.ndarray, color: str) -> None:
        self._dots.append((point, color))

    def name(self, point: np.ndarray, text: str) -> None:
        self.names.append((point, text))

    def finished(self) -> Image.Image:
        image = Image.new("RGB", tuple(self.size.tolist()), "white")
        pen, font = ImageDraw.Draw(image, "RGBA"), ImageFont.load_default(FINE * LETTER)
        for _, points, color, width in sorted(self._pieces, key=lambda piece: piece[0]):
            if width:
                pen.line(points, color, width)
            else:
                pen.polygon(points, color)
        for point, color in self._dots:
            pen.circle(self._places(point).tolist(), 2.5 * FINE, color)
        corner = np.array([0.0, self.size[1]]) + FINE * TRIAD * np.array([0.4, -0.4])
        for axis, letter in zip(VIEW[:2].T * [1.0, -1.0], "xyz", strict=True):
            pen.line([*corner, *(corner + FINE * TRIAD * axis)], _EDGE, FINE)
            pen.text((corner + 1.2 * FINE * TRIAD * axis).tolist(), letter, _EDGE, font, anchor="mm")
        for place, text in self.placed_names(font):
            pen.text(place, text, "black", font, anchor="mm", stroke_width=FINE, stroke_fill="#ffffffb0")
        return image.reduce(FINE)

    def placed_names(self, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> list[tuple[tuple[float, float], str]]:
        """Names and their places without overlaps: the nearest keeps its place, the others move up or down, or are left out."""
        found: list[tuple[tuple[float, float], str]] = []
        taken: list[tuple[float, float, float]] = []
        high = FINE * (LETTER + 1)
        for point, text in sorted(self.names, key=lambda name: -float(name[0] @ VIEW[2])):
            x, y = self._places(point).tolist()
            half = 0.5 * font.getlength(text)
            for shift in SHIFTS:
                up = y + shift * high
                if all(abs(x - a) > half + b or abs(up - c) >= high for a, b, c in taken):
                    taken.append((x, half, up))
                    found.append(((x, up), text))
                    break
        return found

    def _add(self, shapes: np.ndarray, colors: Iterable[tuple[int, ...] | str], width: int) -> None:
        """Insert shapes (n, corners, 3) by the depth of their middles."""
        depth = (shapes.mean(axis=1) @ VIEW[2]).tolist()
        flat = self._places(shapes).reshape(len(shapes), -1).tolist()
        self._pieces += [(d, points, color, width) for d, points, color in zip(depth, flat, colors, strict=True)]

    def _places(self, points: np.ndarray) -> np.ndarray:
        """(…, 2) of points (…, 3): subpixels from the left and from the top."""
        return 0.5 * self.size + (points @ VIEW[:2].T - self._center) * [self._scale, -self._scale]
