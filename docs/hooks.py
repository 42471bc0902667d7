"""What MkDocs does beyond its own: the generated reference, and the shipped files that pages point at."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parents[1]))  # the project itself, wherever mkdocs was started

from docs.reference import page

ROOT = Path(__file__).parents[1]
SHIPPED = {"examples": ("*.toml", "*.csv", "*.json", "*.obj"), "fmu_src/catalogue": ("*.toml",), "dynamics": ("*.py",)}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages and files that are made or taken from elsewhere in the repository."""
    files.append(File.generated(config, "reference/descriptions.md", content=page()))
    for folder, patterns in SHIPPED.items():
        for path in sorted(found for pattern in patterns for found in (ROOT / folder).rglob(pattern)):
            where = f"files/{path.relative_to(ROOT).as_posix()}".replace(".py", ".py.txt")  # browsers show texts
            files.append(File.generated(config, where, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page, config: MkDocsConfig, files: Files) -> str:
    """Links to files outside docs/, which work where the repository is shown, lead to their copies in the site."""
    up = "../" * page.file.src_uri.count("/")
    markdown = re.sub(r"\]\((?:\.\./)+examples\)", f"]({up}descriptions.md)", markdown)
    markdown = re.sub(r"\]\((?:\.\./)+(dynamics/[\w/]+\.py)\)", rf"]({up}files/\1.txt)", markdown)
    return re.sub(r"\]\((?:\.\./)+(examples/|fmu_src/catalogue/)", rf"]({up}files/\1", markdown)
