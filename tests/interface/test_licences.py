"""Licences of everything that travels in an FMU or a page are listed inside it."""

from __future__ import annotations

import re
import zipfile
from html import unescape

import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.interface import licences
from spacefmu.fmu_src.live.page import live_page
from spacefmu.fmu_src.native.platforms.compile import systems_by_zig
from tests.catalogue_fmus import fmu_file, system_of
from tests.cli.test_views import run_of

# Of each kind of FMU: the texts that it has. What the compiler links in is seen in the library itself (below).
NATIVE = {"license.txt", "spacefmu.txt", "fmi-headers.txt", "zig.txt"}


def texts_of(fmu) -> dict[str, str]:
    folder = "documentation/licenses/"
    with zipfile.ZipFile(fmu) as archive:
        names = [name for name in archive.namelist() if name.startswith(folder)]
        return {name.removeprefix(folder): archive.read(name).decode() for name in names}


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_native_fmu_names_what_is_linked_into_it(fmi, tmp_path):
    fmu = fmu_file("HingedPanel") if fmi == 2 else api.build("HingedPanel", tmp_path / "three.fmu", fmi=3)
    texts = texts_of(fmu)
    assert set(texts) == {*NATIVE, "glibc.txt"}
    assert "GNU C Library" in texts["glibc.txt"]
    years = {2: "2012-2019", 3: "2012-2023"}[fmi]
    assert f'{years} Modelica Association Project "FMI"' in texts["fmi-headers.txt"]
    assert set(re.findall(r"[\w-]+\.txt", texts["license.txt"])) == set(texts) - {"license.txt"}
    for numbers in ("EGM2008", "IGRF-14", "IAU 2000B"):
        assert numbers in texts["license.txt"]


@pytest.mark.parametrize(
    ("platforms", "more"),
    [(["win64"], {"mingw-w64.txt"}), (["darwin64"], set()), (["linux64", "win64"], {"glibc.txt", "mingw-w64.txt"})],
)
def test_each_platform_brings_its_own(platforms, more):
    assert set(licences.licence_files(licences.of_native(systems_by_zig(platforms), 2))) == NATIVE | more


def test_a_library_of_the_hosts_compiler_has_nothing_of_zigs(monkeypatch):
    monkeypatch.setenv("SPACEFMU_CC", "cc")
    assert set(licences.licence_files(licences.of_native(systems_by_zig(["linux64"]), 2))) == NATIVE - {"zig.txt"}


def test_a_python_fmu_names_pythonfmu():
    texts = texts_of(fmu_file("HingedPanel", "python"))
    assert set(texts) == {"license.txt", "spacefmu.txt", "fmi-headers.txt", "pythonfmu.txt"}
    assert "MIT License" in texts["pythonfmu.txt"]


def listed(page: str) -> str:
    """The licences of a page; what else is in it has no copyright that they do not name."""
    before, block = page.split('<script id="licences" type="text/plain">')
    found = block.partition("</script>")[0]
    assert "<" not in found
    for holder in re.findall(r"(?i)copyright (?:\(c\) )?([^\n]*)", unescape(before.split("<iframe")[0])):
        if holder[:1].isupper() or holder[:1].isdigit():
            words = [word for word in ("Three.js Authors", "Anaconda, Inc.", "jQuery") if word in holder]
            assert words, holder
            assert (
                words == ["jQuery"] or words[0] in found
            )  # jQuery's line is in Bokeh's script, which the list points to
    return found


def test_views_and_reports_list_theirs(tmp_path):
    view = listed(api.look(run_of("FourBar")).page())
    assert "Three.js Authors" in view
    assert "Anaconda" not in view
    api.report(run_of("FourBar"), tmp_path / "report.html")
    report = listed((tmp_path / "report.html").read_text("utf-8"))
    assert "Redistributions in binary form" in report


@pytest.mark.ci
def test_a_live_page_lists_its_c_library():
    found = listed(live_page(system_of("FourBar")))
    for words in ("wasi-libc", "musl as a whole is", "cloudlibc", "Zig", "Modelica Association", "Three.js Authors"):
        assert words in found, words
