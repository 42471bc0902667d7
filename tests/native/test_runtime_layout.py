"""The runtime's core does not depend on the version of FMI: code for each version is in a separate folder."""

from __future__ import annotations

import re

from spacefmu.fmu_src.native.platforms.compile import CORE, RUNTIME


def test_the_core_names_no_version_of_fmi():
    named = [path.name for path in CORE.iterdir() if re.search(r"fmi[23]", path.read_text(), re.IGNORECASE)]
    assert named == []


def test_core_headers_are_included_by_faces_and_never_the_other_way():
    faces = {
        path.name for folder in RUNTIME.iterdir() if folder.is_dir() and folder != CORE for path in folder.iterdir()
    }
    assert faces
    for path in CORE.iterdir():
        included = set(re.findall(r'#include "(\S+)"', path.read_text()))
        assert not included & faces, path.name
