"""The documentation folder: complete, escaped, and self-contained."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from spacefmu.fmu_src.interface.documentation import documentation
from spacefmu.fmu_src.interface.icon import generic_icon
from spacefmu.fmu_src.interface.licences import of_native
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.platforms.compile import fmi_headers
from tests.interface.systems import ONE_OF_EVERYTHING

VARIABLES = variables_of(ONE_OF_EVERYTHING)


@pytest.fixture(scope="module")
def files():
    return documentation(
        ONE_OF_EVERYTHING,
        VARIABLES,
        "{1234}",
        generic_icon(),
        ["darwin64 (never run)", "linux64"],
        of_native(["Darwin", "Linux"], 2),
    )


class Reader(HTMLParser):
    """Checks that tags nest, and collects the text, the links and the code."""

    VOID = frozenset({"meta", "img"})

    def __init__(self, html):
        super().__init__()
        self.open, self.text, self.sources = [], "", []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.sources += [value for name, value in attributes if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_page_shows_every_variable_and_what_is_baked(files):
    page = Reader(files["index.html"])
    for variable in VARIABLES[1:]:
        array = re.fullmatch(r"(\w+)\[\d\]", variable.name)
        assert (f"{array[1]}[1] … [2]" if array else variable.name) in page.text
        assert variable.signal.description in page.text
    assert "the wall is at −0.5 m" in page.text
    assert "darwin64 (never run), linux64" in page.text
    assert "x < 1 & no friction" in page.text
    assert "0, 1e-300" in page.text  # the starts of an array share a row


def test_page_needs_nothing_else(files):
    page = Reader(files["index.html"])
    assert [source[:22] for source in page.sources] == ["data:image/png;base64,"]
    assert not re.search(r"https?://|@import|url\(", files["index.html"])


def test_licences_are_there_in_full(files):
    assert files["licenses/spacefmu.txt"] == Path(__file__).parents[2].joinpath("LICENSE").read_text("utf-8")
    header = " ".join(fmi_headers()["fmi2Functions.h"].split())
    assert " ".join(files["licenses/fmi-headers.txt"].split()) in header
    mentioned = re.findall(r"[\w-]+\.txt", files["licenses/license.txt"])
    assert {f"licenses/{name}" for name in mentioned} < set(files)


def test_icon_is_the_same_png_each_time():
    icon = generic_icon()
    assert icon.startswith(b"\x89PNG\r\n")
    assert icon == generic_icon()
    assert b"tEXt" not in icon  # no program name or version in it
