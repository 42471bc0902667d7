"""The live page: three.js, the model as WebAssembly, its data and the scripts, in one HTML file that fetches nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from spacefmu.dynamics.system.contract import System

from ..interface.licences import OF_LIVE, licence_block
from ..interface.variables import variables_of
from ..results.files import whole_file
from ..results.table import Result
from ..view import page as view
from ..view.modules import bundled, module_texts, policy_hash
from ..view.three import three_js
from .data import live_data
from .module import module_of

HIGH = 760  # pixels, in a notebook
ENTRY, WORKER = "live.js", "worker.js"
# Nothing is fetched, and only these scripts run; the worker is one of them, in a blob.
POLICY = (
    "default-src 'none'; script-src 'wasm-unsafe-eval' {scripts}; style-src {style}; worker-src blob:; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class LivePage:
    """html: the page, one file. Notebooks show it in a sandboxed frame."""

    title: str
    html: str

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{escape(self.title)}, live" srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {HIGH}px; border: 0"></iframe>'
        )

    def write(self, path: Path | str) -> Path:
        with whole_file(path) as unfinished:
            unfinished.write_text(self.html, encoding="utf-8")
        return Path(path)


def live_page(system: System, table: Result | None = None) -> str:
    """The HTML of a page that simulates a System. table: inputs over time that it can follow."""
    variables = variables_of(system)
    page = Template((files(__package__) / "page.html").read_text("utf-8"))
    style = (files(__package__) / "page.css").read_text("utf-8")
    texts = module_texts(view.__package__, __package__)
    scripts = three_js(), bundled(ENTRY, texts)
    data = json.dumps(live_data(system, variables, table), separators=(",", ":"), allow_nan=False)
    return page.substitute(
        title=escape(system.name),
        subtitle=escape(system.about.description),
        policy=POLICY.format(scripts=" ".join(map(policy_hash, scripts)), style=policy_hash(style)),
        style=style,
        looks=view.looks(),
        three=scripts[0],
        script=scripts[1],
        worker=bundled(WORKER, texts),
        module=b64encode(module_of(system, variables)).decode(),
        data=data.replace("<", "\\u003c"),  # nothing in it ends or hides the script
        licences=licence_block(OF_LIVE),
    )
