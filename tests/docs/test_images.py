"""No picture of the documentation is without the command that draws it, or without a page that shows it."""

from __future__ import annotations

import inspect

from docs import make_images
from tests.cli.command import ROOT

PICTURES = sorted((ROOT / "docs/images").glob("*.*"))


def test_every_picture_has_its_command():
    """A name in the text of make_images, or the prefix of a page that draws it; each function there is one of DRAWINGS."""
    text = inspect.getsource(make_images)
    assert len(PICTURES) > 15
    for picture in PICTURES:
        of_page = any(picture.name.startswith(f"{prefix}_") for prefix in make_images.PAGES.values())
        assert of_page or f'"{picture.stem}' in text, picture.name
    for picture in (ROOT / "docs/images/bench").iterdir():
        assert f"images/bench/{picture.name}" in (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")


def test_every_picture_is_shown():
    shown = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")))
    for picture in PICTURES:
        assert f"images/{picture.name})" in shown, picture.name
