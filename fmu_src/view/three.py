"""three.js, taken out of the installed trimesh, which ships it with a loader of glTF and controls for the mouse (all MIT)."""

from __future__ import annotations

import zipfile
from importlib.resources import files
from io import BytesIO

WHERE = "resources/templates/viewer.zip", "viewer.html.template"
BEGIN, END = "<script>", "THREE.GLTFLoader=GLTFLoader;})();"  # behind it stands trimesh's own viewer


def three_js() -> str:
    """The text of a script that defines THREE with GLTFLoader and TrackballControls, its licence at the top."""
    archive, member = WHERE
    try:
        with zipfile.ZipFile(BytesIO((files("trimesh") / archive).read_bytes())) as content:
            page = content.read(member).decode("utf-8")
        begin = page.index(BEGIN) + len(BEGIN)
        return page[begin : page.index(END) + len(END)]
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(
            f"the installed trimesh has no three.js where it is looked for ({error}); constraints.txt names a version that has it"
        ) from error
