"""Bundles the pages' ES modules into one inline script, so that a page's content-security policy can name it by its hash.

Each module becomes a function that returns its exports, in an order in which every module precedes those that import it.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from graphlib import TopologicalSorter
from hashlib import sha256
from importlib.resources import files

_IMPORT = re.compile(r'^import \{ ([^}]+) \} from "\.{1,2}/(?:\w+/)?(\w+\.js)";$', re.M)


def module_texts(*packages: str) -> dict[str, str]:
    """The modules of packages by file name."""
    found = [file for package in packages for file in files(package).iterdir() if file.name.endswith(".js")]
    return {file.name: file.read_text("utf-8") for file in sorted(found, key=lambda file: file.name)}


def bundled(entry: str, texts: Mapping[str, str]) -> str:
    """One script of a module and everything that it imports, directly or indirectly."""
    imports: dict[str, dict[str, list[str]]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in imports:
            imports[name] = {module: names.split(", ") for names, module in _IMPORT.findall(texts[name])}
            waiting += imports[name]
    order = TopologicalSorter({name: own.keys() for name, own in imports.items()}).static_order()
    parts = []
    for name in order:
        wanted = sorted({each for own in imports.values() for each in own.get(name, ())})
        body = _IMPORT.sub(r'const { \1 } = modules["\2"];', texts[name])
        body = re.sub(r"^export (?=const |function |class )", "", body, flags=re.M)
        parts.append(f'modules["{name}"] = (() => {{\n{body}return {{ {", ".join(wanted)} }};\n}})();\n')
    return f'"use strict";\n(() => {{\nconst modules = {{}};\n{"".join(parts)}}})();\n'


def script_of(entry: str, texts: Mapping[str, str]) -> str:
    """The script as HTML; it runs when the page has been parsed."""
    return f'<script type="module">{bundled(entry, texts)}</script>'


def policy_hash(text: str) -> str:
    """The hash by which a content-security policy names an inline script or style."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
