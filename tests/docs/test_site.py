"""The site in a real browser, from the disk: no complaint of any page's console, nothing loaded from elsewhere, a search that finds."""

from __future__ import annotations


def test_no_page_complains(browser, site):
    pages = sorted(page for page in site.rglob("*.html") if page.name != "404.html")  # that one is for servers
    assert len(pages) > 25
    for page in pages:
        browser.open(page)
        broken = browser.evaluate("[...document.images].filter((i) => i.complete && !i.naturalWidth).map((i) => i.src)")
        assert (browser.complaints, broken) == ([], []), page.name


def test_the_search_works_from_the_disk(browser, site):
    """What is typed is found, in texts and in the generated reference; the first result leads to a page that has the word."""
    browser.open(site / "index.html")
    browser.evaluate("document.querySelector('[data-md-toggle=search]').click()")
    browser.evaluate(
        "(field => { field.value = 'spin_inertia'; field.dispatchEvent(new Event('keyup')); })"
        "(document.querySelector('[data-md-component=search-query]'))"
    )
    browser.wait("document.querySelectorAll('.md-search-result__item').length > 0")
    first = browser.evaluate("document.querySelector('.md-search-result__item a').href")
    assert browser.complaints == []
    browser.call("Page.navigate", url=first)
    browser.wait("document.readyState === 'complete'")
    assert "spin_inertia" in browser.evaluate("document.body.textContent")
