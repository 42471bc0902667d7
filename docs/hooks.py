"""What MkDocs does beyond its own: generated pages, and the shipped files that pages point at."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parents[1]))  # the project itself, wherever mkdocs was started

from docs import catalogue, commands, equations, python_api, reference
from spacefmu.fmu_src import api

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
LIVE = "live/modes.html"  # a view to turn with the mouse; of modes: nothing has to be built for it
SHIPPED = {"examples": ("*.toml", "*.csv", "*.json", "*.obj"), "fmu_src/catalogue": ("*.toml",), "dynamics": ("*.py",)}
# What the search shows first: pages for users before those for whoever works on the project.
BOOST = {"getting_started.md": 3.0, "glossary.md": 3.0, "help.md": 2.0, "descriptions.md": 2.0, "use/": 2.0, "reference/": 1.5, "theory": 0.6, "rules.md": 0.3, "record.md": 0.3, "benchmarks.md": 0.3, "architecture.md": 0.5, "contributing.md": 0.3}  # fmt: skip


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages and files that are made or taken from elsewhere in the repository."""
    for page, made in GENERATED.items():
        files.append(File.generated(config, page, content=made()))
    files.append(File.generated(config, LIVE, content=api.look("FlexibleSatellite", modes=True).page()))
    for folder, patterns in SHIPPED.items():
        for path in sorted(found for pattern in patterns for found in (ROOT / folder).rglob(pattern)):
            where = f"files/{path.relative_to(ROOT).as_posix()}".replace(".py", ".py.txt")  # browsers show texts
            files.append(File.generated(config, where, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page, config: MkDocsConfig, files: Files) -> str:
    """Equations; and links to files outside docs/, which work where the repository is shown, lead to their copies in the site."""
    page.meta["search"] = {"boost": next((b for begin, b in BOOST.items() if page.file.src_uri.startswith(begin)), 1.0)}
    markdown = equations.blocks(markdown)
    markdown = markdown.replace(
        "<!-- live -->", f'<iframe class="live" src="{LIVE}" loading="lazy" title="A view to turn"></iframe>'
    )
    up = "../" * page.file.src_uri.count("/")
    markdown = re.sub(r"\]\((?:\.\./)+examples\)", f"]({up}descriptions.md)", markdown)
    markdown = re.sub(r"\]\((?:\.\./)+(dynamics/[\w/]+\.py)\)", rf"]({up}files/\1.txt)", markdown)
    return re.sub(r"\]\((?:\.\./)+(examples/|fmu_src/catalogue/)", rf"]({up}files/\1", markdown)


def on_page_content(content: str, page, config: MkDocsConfig, files: Files) -> str:
    return equations.lines(content)
