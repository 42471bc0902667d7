"""The archive: the same bytes each time, and complete or not there."""

import os
import stat
import zipfile

import pytest

from spacefmu.fmu_src.package import guid_of, write_archive

FILES = {"modelDescription.xml": "<äöü/>", "binaries/linux64/a.so": b"\x7fELF\0" * 1000, "sources/a.c": "int a;\n"}


def test_same_content_same_bytes(tmp_path):
    first = write_archive(tmp_path / "first.fmu", FILES)
    os.utime(first, (0, 0))
    second = write_archive(tmp_path / "second.fmu", dict(reversed(FILES.items())))
    assert first.read_bytes() == second.read_bytes()


def test_content_reads_back_and_is_readable_by_all(tmp_path):
    with zipfile.ZipFile(write_archive(tmp_path / "new folder" / "a.fmu", FILES)) as archive:
        assert archive.namelist() == sorted(FILES)
        assert archive.read("modelDescription.xml").decode() == "<äöü/>"
        assert archive.read("binaries/linux64/a.so") == FILES["binaries/linux64/a.so"]
        assert {stat.filemode(info.external_attr >> 16) for info in archive.infolist()} == {"-rw-r--r--"}


def test_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = write_archive(tmp_path / "a.fmu", FILES)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write_archive(path, FILES | {"zzz": None})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_archive(tmp_path / "a.fmu", FILES)
    assert list(tmp_path.iterdir()) == []


def test_guid_tells_contents_apart():
    texts = {"a": "1", "b": "2"}
    assert guid_of(texts) == guid_of(dict(reversed(texts.items())))
    others = [{"a": "2", "b": "2"}, {"a": "1", "c": "2"}, {"a": "1b2"}, {"a": "1b", "2": ""}]
    assert len({guid_of(texts), *map(guid_of, others)}) == 5
    assert guid_of(texts).startswith("{")
    assert len(guid_of(texts)) == 38
