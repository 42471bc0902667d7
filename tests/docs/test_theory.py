"""The theory pages: every paper that code cites has one, which names the cited equations and links to the code that has them."""

from __future__ import annotations

import re

import pytest

from tests.cli.command import ROOT

PAPERS = {"jin1991": 35, "tkachev": 19, "liu1998": 54, "stroe": 42}  # how many numbered equations each has
ENGINE = sorted((ROOT / "dynamics").rglob("*.py"))
# [jin1991] eq. (31)–(35); [stroe] (40), (42)
CITED = re.compile(r"\[(?P<key>\w+)\][^\n(\[]{0,20}(?P<numbers>\(\d+\)(?:(?:–|, | and )\(\d+\))*)")


def page(key: str) -> str:
    return (ROOT / "docs/theory" / f"{key}.md").read_text(encoding="utf-8")


def numbers(text: str) -> set[int]:
    """Equations that a text names: (4), and all of (1)–(10)."""
    found = {int(n) for n in re.findall(r"\((\d+)[a-c]?\)", text)}
    for first, last in re.findall(r"\((\d+)[a-c]?\)–\((\d+)", text):
        found |= set(range(int(first), int(last) + 1))
    return found


@pytest.mark.parametrize("key", PAPERS)
def test_every_equation_that_code_cites_is_on_the_papers_page(key):
    known, cited = numbers(page(key)), {}
    for path in ENGINE:
        for match in CITED.finditer(path.read_text(encoding="utf-8")):
            if match["key"] == key:
                cited |= dict.fromkeys(numbers(match["numbers"]), path)
    assert cited or key == "tkachev"
    assert {n: str(path) for n, path in cited.items() if n not in known} == {}


@pytest.mark.parametrize("key", PAPERS)
def test_no_equation_of_the_paper_is_left_out(key):
    assert set(range(1, PAPERS[key] + 1)) - numbers(page(key)) == set()


@pytest.mark.parametrize("key", PAPERS)
def test_the_page_links_to_all_code_that_cites_its_equations(key):
    linked = {path.split("../")[-1] for path in re.findall(r"\]\(([\w./]+\.py)\)", page(key))}
    assert len(linked) >= 3
    for path in ENGINE:
        keys = {match["key"] for match in CITED.finditer(path.read_text(encoding="utf-8"))}
        assert key not in keys or path.name == "__init__.py" or path.relative_to(ROOT).as_posix() in linked


def test_links_lead_to_files():
    for path in (ROOT / "docs/theory").glob("*.md"):
        for link in re.findall(r"\]\(((?:\.\./)[\w./-]+?)(?:#[\w-]+)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / link).exists(), f"{path.name}: {link}"
