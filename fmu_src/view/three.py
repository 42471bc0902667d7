"""three.js, extracted from the installed trimesh, which ships it with a glTF loader and mouse controls (all MIT)."""

from __future__ import annotations

import zipfile
from importlib.util import find_spec
from pathlib import Path

WHERE = "resources/templates/viewer.zip", "viewer.html.template"
BEGIN, END = "<script>", "THREE.GLTFLoader=GLTFLoader;})();"  # followed by trimesh's own viewer


def three_js() -> str:
    """The text of a script that defines THREE with GLTFLoader and TrackballControls, its licence at the top."""
    archive, member = WHERE
    found = find_spec("trimesh")  # its import takes a second
    try:
        with zipfile.ZipFile(Path((found and found.origin) or "", "..", archive).resolve()) as content:
            page = content.read(member).decode("utf-8")
        begin = page.index(BEGIN) + len(BEGIN)
        return page[begin : page.index(END) + len(END)]
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"the installed trimesh has no three.js at the expected place ({error}); install the version named in constraints.txt"
        ) from error
