"""What MkDocs does beyond its own: generated pages, and the shipped files that pages point at."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parents[1]))  # the project itself, wherever mkdocs was started

from docs import catalogue, commands, equations, python_api, reference
from spacefmu.fmu_src import api
from spacefmu.fmu_src.catalogue import entries

ROOT = Path(__file__).parents[1]


def contributing() -> str:
    """The repository's own page, whose links begin above docs/."""
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](")


GENERATED = {
    "catalogue.md": catalogue.page,
    "reference/descriptions.md": reference.page,
    "reference/commands.md": commands.page,
    "reference/python.md": python_api.page,
    "theory/references.md": catalogue.references,
    "contributing.md": contributing,
}
MODES = "live/modes.html"  # a view to turn with the mouse; of modes: nothing has to be built for it
MADE = os.environ.get("SPACEFMU_DOCS_LIVE", "").split()  # entries whose live pages are made; empty: all of them
NOT_MADE = '<!DOCTYPE html><html lang="en"><title>{0}</title><p>{0}: this build of the site leaves its live page out.</p></html>'
FRAME = re.compile(r"<!-- live (\S+): (.*?) -->")  # in a page: a page of live/ in a frame, and its title
SHIPPED = {"examples": ("*.toml", "*.csv", "*.json", "*.obj"), "fmu_src/catalogue": ("*.toml",), "dynamics": ("*.py",)}
# What the search shows first: pages for users before those for whoever works on the project.
BOOST = {"getting_started.md": 3.0, "glossary.md": 3.0, "help.md": 2.0, "descriptions": 2.0, "solver.md": 2.0, "use/": 2.0, "reference/": 2.5, "theory": 0.6, "rules.md": 0.3, "record.md": 0.3, "benchmarks.md": 0.3, "architecture.md": 0.5, "contributing.md": 0.3}  # fmt: skip


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages and files that are made or taken from elsewhere in the repository."""
    for page, made in GENERATED.items():
        files.append(File.generated(config, page, content=made()))
    files.append(File.generated(config, MODES, content=api.look("FlexibleSatellite", modes=True).page()))
    for name in (entry.name for entry in entries()):
        made = api.live(name).html if name in MADE or not MADE else NOT_MADE.format(name)
        files.append(File.generated(config, f"live/{name}.html", content=made))
    for folder, patterns in SHIPPED.items():
        for path in sorted(found for pattern in patterns for found in (ROOT / folder).rglob(pattern)):
            where = f"files/{path.relative_to(ROOT).as_posix()}".replace(".py", ".py.txt")  # browsers show texts
            files.append(File.generated(config, where, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page, config: MkDocsConfig, files: Files) -> str:
    """Equations; and links to files outside docs/, which work where the repository is shown, lead to their copies in the site."""
    page.meta["search"] = {"boost": next((b for begin, b in BOOST.items() if page.file.src_uri.startswith(begin)), 1.0)}
    markdown = equations.blocks(markdown)
    up = "../" * page.file.src_uri.count("/")
    markdown = FRAME.sub(rf'<iframe class="live" src="{up}live/\1.html" loading="lazy" title="\2"></iframe>', markdown)
    markdown = re.sub(r"\]\((?:\.\./)+examples\)", f"]({up}descriptions.md)", markdown)
    markdown = re.sub(r"\]\((?:\.\./)+(dynamics/[\w/]+\.py)\)", rf"]({up}files/\1.txt)", markdown)
    return re.sub(r"\]\((?:\.\./)+(examples/|fmu_src/catalogue/)", rf"]({up}files/\1", markdown)


def on_page_content(content: str, page, config: MkDocsConfig, files: Files) -> str:
    return equations.lines(content)
