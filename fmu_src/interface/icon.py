"""model.png: the picture an FMI tool shows of the FMU (FMI 2.0, section 2.3)."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageDraw

_SKY, _HUB, _EDGE, _CELL, _GRID = "#10253b", "#d9dfe5", "#8c99a6", "#2f6da8", "#9cc3e6"
_SIZE, _FINE = 256, 4  # pixels; subpixels along each side of a pixel, for smooth edges


def generic_icon() -> bytes:
    """A satellite with two solar panels, as a PNG of 256 x 256 pixels; without text, so independent of fonts."""
    image = Image.new("RGB", (_SIZE * _FINE, _SIZE * _FINE), "white")
    pen = ImageDraw.Draw(image)
    half, thin = 0.5 * _SIZE * _FINE, 2 * _FINE

    def at(*places: float) -> list[float]:
        """Subpixels of places from -1 to 1, y upwards: x, y, x, y …; of a box its upper left corner first."""
        return [half * (1.0 + place * (-1 if i % 2 else 1)) for i, place in enumerate(places)]

    pen.rounded_rectangle(at(-0.94, 0.94, 0.94, -0.94), 0.1 * half, _SKY)
    for side in (-1, 1):
        pen.line(at(0.2 * side, 0.0, 0.3 * side, 0.0), _EDGE, 5 * _FINE)
        for column in range(2):
            left = 0.3 + 0.27 * column if side > 0 else -0.57 - 0.27 * column
            pen.rectangle(at(left, 0.24, left + 0.27, -0.24), _CELL, _GRID, thin)
        pen.line(at(0.3 * side, 0.0, 0.84 * side, 0.0), _GRID, thin)
    pen.rectangle(at(-0.2, 0.3, 0.2, -0.3), _HUB, _EDGE, thin)
    pen.line(at(0.0, 0.3, 0.0, 0.46), _EDGE, 4 * _FINE)
    pen.ellipse(at(-0.1, 0.64, 0.1, 0.44), _HUB, _EDGE, thin)
    return png_bytes(image.reduce(_FINE))


def png_bytes(image: Image.Image) -> bytes:
    """A PNG without metadata: the same image gives the same bytes."""
    stream = BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
