"""The page's scripts are ES modules; a page has all of them in itself, because browsers load no module files from the disk.

An import map gives each module a name of its own and its text as a data: URL; `import … from "./x.js"` becomes that of the name.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files

_RELATIVE, _NAMED = 'from "./', 'from "spacefmu/'


def module_scripts(package: str, names: Sequence[str]) -> str:
    """The scripts of a package as HTML: the import map of all, and what runs the first of them."""
    texts = {name: (files(package) / name).read_text("utf-8").replace(_RELATIVE, _NAMED) for name in names}
    imports = {f"spacefmu/{name}": _url(name, text) for name, text in texts.items()}
    return (
        f'<script type="importmap">{json.dumps({"imports": imports}, indent=0)}</script>\n'
        f'<script type="module">import "spacefmu/{names[0]}";</script>'
    )


def _url(name: str, text: str) -> str:
    """The text with the name that a browser's tools show."""
    named = f"{text}//# sourceURL=spacefmu/{name}\n"
    return f"data:text/javascript;base64,{b64encode(named.encode()).decode()}"
