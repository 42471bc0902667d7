"""The documentation: every block of every page is run as it stands there, in its order, in one folder a page.

sh           lines of `spacefmu`, run
toml, csv, python with a title    written to the file of that name
python       run
toml         without a title: a piece of a description; it has to be TOML
math         has to be an equation
text         behind a line `<!-- refused: spacefmu … -->`: what that command says as it refuses
text, lua    what other programs are told: only on the pages in NOT_RUN, which say that it is not run

A line `<!-- not run: reason -->` right before a block leaves it out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from docs.equations import mathml
from tests.cli.command import ROOT, in_this_process

DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
# Commands that take long: of whole experiments of two systems, of a design by many linear models.
MARKED = {"thermal.md": pytest.mark.slow, "tutorials/linear_design.md": pytest.mark.ci}
NOT_RUN = {"use/omsimulator.md", "use/openmodelica.md"}
BLOCK = re.compile(
    r"^(?P<left_out><!-- not run: [^\n]+ -->\n)?(?:<!-- refused: (?P<refused>[^\n]+) -->\n)?```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


def blocks(page: str) -> list[tuple[str, str, str]]:
    """(language, title, text) of the fenced blocks; drawings have no language, and a refused command is a title."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    fences = re.findall(r"^```\w.*$", text, re.MULTILINE)
    assert len(found) == len(fences), f"{page}: a block that is not understood among {fences}"
    return [
        (block["language"], block["refused"] or block["title"] or "", block["text"])
        for block in found
        if not block["left_out"]
    ]


RUN = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize(
    "page, commands",
    [
        *((page, page not in MARKED) for page in RUN),
        *(pytest.param(page, True, marks=mark) for page, mark in MARKED.items()),
    ],
)
def test_every_block_runs(page, commands, tmp_path, monkeypatch, capfd):
    """commands: its commands, too; those of slow pages are only read otherwise (test_generated.py)."""
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")  # pages may stand in the repository's folder
    for language, title, text in blocks(page):
        if title.startswith("spacefmu "):
            in_this_process(title, 2)
            said = capfd.readouterr().err
            assert all(f"spacefmu: {line}\n" in said for line in text.splitlines()), said
        elif title:
            Path(title).write_text(text, encoding="utf-8")
        elif language == "sh":
            for line in text.strip().splitlines() if commands else ():
                in_this_process(line)
        elif language == "python":
            run_python(text)
        elif language == "toml":
            tomllib.loads(text)
        elif language == "math":
            mathml(text)
        else:
            assert language in ("text", "lua")
            assert page in NOT_RUN
            assert "not run" in (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_no_command_hides_where_it_is_not_run(page):
    """Drawings without a language and indented lines are not run: no command stands in them."""
    text = BLOCK.sub("", (DOCS / page).read_text(encoding="utf-8"))
    drawings = re.findall(r"^```(?: \{ \.text \.drawing \})?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    indented = re.findall(r"^    .*$", text, re.MULTILINE)
    assert re.findall(r"^ *spacefmu .*$", "\n".join([*drawings, *indented]), re.MULTILINE) == []


def run_python(text: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{text}\n{done.stderr}"


def test_the_site_needs_no_network(site):
    """No script, style, font or picture comes from elsewhere; links that a person follows may."""
    for path in site.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=\"(https?:[^\"]*)", path.read_text("utf-8")
        )
        assert [address for address in loaded if "canonical" not in address] == [], path


def test_every_page_is_found_by_the_search(site):
    index = next(site.glob("search/search_index.js*")).read_text(encoding="utf-8")
    for page in [*PAGES, "reference/descriptions.md"]:
        assert page.replace(".md", ".html").replace("index.html", "") in index
    assert "spin_inertia" in index  # of the generated reference


def test_the_reference_has_every_key():
    from docs.reference import KINDS, page
    from tests.description.test_meanings import TABLES

    text = page()
    for table in TABLES.values():
        for key, field in table.model_fields.items():
            assert f"| `{field.alias or key}` |" in text, key
    assert all(f"## Kind `{kind}`" in text for kind in KINDS)
    assert "| value |" not in text  # a type that has no words yet


def test_every_key_of_the_reference_has_an_example():
    """It is of a shipped description (docs/reference.py has no other), and TOML as it stands there, unless it was cut for its length."""
    from docs.reference import page

    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in page().splitlines() if line.startswith("| `")]
    assert len(rows) > 500
    for key, *_, example in rows:
        text = example.strip().strip("`")
        assert text, key
        if not text.endswith("…"):
            tomllib.loads(text)
