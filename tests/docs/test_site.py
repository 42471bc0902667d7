"""The site in a real browser, from the disk: no complaint of any page's console, nothing loaded from elsewhere, a search that finds."""

from __future__ import annotations

import pytest

from spacefmu.fmu_src.catalogue import entries

# A page of each sort: pictures, an embedded view, equations, a long generated table, measured figures.
SORTS = ("index", "catalogue", "view", "theory/jin1991", "reference/descriptions", "benchmarks")


def opens_well(browser, page) -> None:
    browser.open(page)
    broken = browser.evaluate("[...document.images].filter((i) => i.complete && !i.naturalWidth).map((i) => i.src)")
    assert (browser.complaints, broken) == ([], []), page.name


@pytest.mark.parametrize("page", SORTS)
def test_a_page_does_not_complain(browser, site, page):
    opens_well(browser, site / f"{page}.html")


@pytest.mark.slow
def test_no_page_complains(browser, site):
    pages = sorted(page for page in site.rglob("*.html") if page.name != "404.html")  # that one is for servers
    assert len(pages) > 25
    for page in pages:
        opens_well(browser, page)


def test_the_live_view_is_drawn(browser, site):
    assert 'src="live/modes.html"' in (site / "view.html").read_text(encoding="utf-8")
    browser.open(site / "live/modes.html")
    browser.wait("window.view && window.view.ready")
    assert browser.evaluate("view.triangles()") > 10
    assert browser.complaints == []


def test_the_front_page_simulates(browser, site):
    """The slew of the front page's frame runs, and every entry of the catalogue leads to its own page."""
    assert 'src="live/AttitudeSlew.html"' in (site / "index.html").read_text(encoding="utf-8")
    browser.open(site / "live/AttitudeSlew.html")
    browser.wait("window.live && live.ready && live.time > 0.5")
    assert browser.complaints == []
    listed = (site / "catalogue.html").read_text(encoding="utf-8")
    assert all(
        f'href="live/{entry.name}.html"' in listed and (site / f"live/{entry.name}.html").is_file()
        for entry in entries()
    )


SEARCHED = {  # what a person may type, and the page that has to be among the first three
    "spin_inertia": "reference/descriptions",
    "reaction wheel": "reference/descriptions",
    "tether slack": "tutorials/tethers",
    "quaternion order": "glossary",
    "gravity gradient": "descriptions",
    "solver.tolerance": "solver",
    "Simulink": "use/simulink",
    "units": "glossary",
    "linearize": "reference/commands",
    "NASTRAN": "modes",
    "eclipse": "glossary",
    "install": "getting_started",
}


def test_the_search_works_from_the_disk(browser, site):
    """What is typed is found, in texts and in generated pages, and pages for users come first."""
    browser.open(site / "index.html")
    browser.evaluate("document.querySelector('[data-md-toggle=search]').click()")
    for typed, page in SEARCHED.items():
        browser.evaluate("document.querySelectorAll('.md-search-result__item').forEach((item) => item.remove())")
        browser.evaluate(
            f"(field => {{ field.value = '{typed}'; field.dispatchEvent(new Event('keyup')); }})"
            "(document.querySelector('[data-md-component=search-query]'))"
        )
        browser.wait("document.querySelectorAll('.md-search-result__item').length > 0")
        found = browser.evaluate("[...document.querySelectorAll('.md-search-result__item > a')].map((a) => a.href)")
        pages = list(dict.fromkeys(address.split("?")[0].split("#")[0] for address in found))
        assert any(address.endswith(f"/{page}.html") for address in pages[:3]), (typed, pages)
    assert browser.complaints == []
    first = browser.evaluate("document.querySelector('.md-search-result__item > a').href")
    browser.call("Page.navigate", url=first)
    browser.wait("document.readyState === 'complete'")
    assert "install" in browser.evaluate("document.body.textContent").lower()
