"""Videos: MP4 by ffmpeg, which `make test` installs; a sentence where it is missing. GIFs: test_places.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.view.video import check_video, write_video
from tests.browser.test_pages import hinged_run


def test_what_can_not_be_written_is_refused_before_the_run(monkeypatch):
    with pytest.raises(ValueError, match=r"run\.avi: videos are written as \.mp4 or \.gif"):
        check_video(Path("run.avi"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        ValueError, match=r"run\.mp4: an MP4 needs ffmpeg, which is not installed; a \.gif needs no other program"
    ):
        check_video(Path("run.mp4"))
    check_video(Path("run.gif"))


def test_an_mp4_is_one(tmp_path):
    sight = api.look(hinged_run(5))
    ((name, clip),) = sight.clips.items()
    data = write_video(tmp_path / "run.mp4", sight.scene, clip.motion, name).read_bytes()
    assert data[4:8] == b"ftyp"
    assert b"avc1" in data  # H.264, which every browser and office program plays
